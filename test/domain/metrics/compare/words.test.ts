import { describe, expect, it } from 'vitest';
import { type Cause, deviceSentence, segmentSentence } from '../../../../src/domain/metrics/compare/cause-words.ts';
import { deviceRecord } from '../../../../src/domain/metrics/compare/comparison-rows.ts';
import {
  type Change,
  changeSentence,
  earlierOf,
  earlierPlace,
  earlierSentence,
  onlyEarlier,
} from '../../../../src/domain/metrics/compare/comparison-words.ts';
import type { Explained } from '../../../../src/domain/metrics/compare/contributions.ts';
import { revenueSentence } from '../../../../src/domain/metrics/compare/revenue-words.ts';
import { usualText } from '../../../../src/domain/metrics/compare/usual-words.ts';
import type { Judgement } from '../../../../src/domain/metrics/engine/judge.ts';
import type { GroupChange } from '../../../../src/domain/metrics/engine/reasons.ts';

const moved = (name: string, relative: number, verdict: GroupChange['verdict'] = 'alike', relativeOfOthers = 0): GroupChange => ({
  name,
  relative,
  low: relative - 0.05,
  high: relative + 0.05,
  relativeOfOthers,
  scoreOfOthers: 0,
  pValue: verdict === 'alike' ? 1 : 0.001,
  score: verdict === 'alike' ? 0 : 3.3,
  verdict,
});

function rates(mix: number, rate: number): Explained {
  return {
    metric: 'conversionRate',
    change: mix + rate,
    groups: [
      { name: 'mobile', before: 3, after: 3 + rate, shareBefore: 40, shareAfter: 60, mix, rate, contribution: mix + rate },
      { name: 'desktop', before: 5, after: 5, shareBefore: 60, shareAfter: 40, mix: 0, rate: 0, contribution: 0 },
    ],
    remainder: 0,
  };
}

const step = { shape: 'step', from: '2026-09-28', days: 20, earliest: '2026-09-28', latest: '2026-09-28', pValue: 1e-6 } as const;

function cause(explained: Explained | undefined, groups: readonly GroupChange[], named?: string): Cause {
  return { of: 'devices', explained, reasons: { groups, ...(named !== undefined && { named }) }, isSteady: true };
}

describe('what devices have to do with a change', () => {
  it('is that one of them changed, by how much, and what that makes of the change', () => {
    const groups = [moved('mobile', -0.3, 'more', -0.01), moved('desktop', 0.02, 'less')];
    expect(deviceSentence(cause(rates(-0.1, -0.9), groups, 'mobile'))).toBe(
      'The change is on mobile: 30.0% lower (25.0% to 35.0%), all other visits -1.0% (within noise). It accounts for 100% of the change.',
    );
  });

  it('is nothing that one could be blamed for where all moved alike, however large one is', () => {
    const groups = [moved('desktop', -0.1), moved('mobile', -0.12), moved('tablet', -0.07)];
    expect(deviceSentence(cause(rates(-0.01, -0.9), groups))).toBe(
      'The devices differ from each other within noise: mobile -12.0%, desktop -10.0%, tablet -7.0%.',
    );
  });

  it('is that they moved differently where no single one makes the difference', () => {
    const groups = [moved('desktop', 0.1, 'less'), moved('mobile', -0.12, 'more'), moved('tablet', -0.2)];
    expect(deviceSentence(cause(rates(-0.01, -0.9), groups))).toBe(
      'Devices moved differently: tablet -20.0%, mobile -12.0%, desktop +10.0%.',
    );
  });

  it('is the mix of traffic where moved shares make more of it than moved rates', () => {
    const groups = [moved('mobile', -0.02), moved('desktop', -0.01)];
    expect(deviceSentence(cause(rates(-0.9, -0.1), groups), { name: 'Sale', before: 2, after: 21.4 })).toBe(
      'Traffic mix of devices accounts for 90% of the change: the share of mobile rose 40% → 60%; values within them for 10% (each ' +
        'within noise). Most moved segment: "Sale", 2% → 21% of the visits.',
    );
  });

  it('is no share where one part is more than the whole change', () => {
    const groups = [moved('mobile', -0.3, 'more', -0.01), moved('desktop', 0.02, 'less')];
    const all = rates(-0.1, -0.9);
    const [mobile, desktop] = all.groups;
    if (!mobile || !desktop) throw new Error('Two groups are made above.');
    const opposed = {
      ...all,
      groups: [
        { ...mobile, contribution: -1.25 },
        { ...desktop, contribution: 0.25 },
      ],
    };
    expect(deviceSentence(cause(opposed, groups, 'mobile'))).toContain(
      ' It accounts for more than the whole change; the others went the other way within noise.',
    );
    expect(deviceSentence(cause(rates(-1.25, 0.25), groups))).toMatch(
      /^Traffic mix of devices accounts for more than the whole change: .*; values within them went the other way \(each within noise\)\.$/,
    );
  });

  it('is not said where too little is known of them', () => {
    expect(deviceSentence(cause(undefined, [moved('mobile', -0.3)]))).toBe('');
    expect(deviceSentence(cause(undefined, []))).toBe('');
  });
});

describe('what segments have to do with a change', () => {
  it('is the one that moved most unlike the rest, or nothing', () => {
    const groups = [moved('Germany', -0.1), moved('Paid search', -0.4, 'more', -0.02)];
    expect(segmentSentence(undefined, { groups, named: 'Paid search' })).toBe(
      'Of the segments, Paid search moved most unlike the rest: 40.0% lower (35.0% to 45.0%), all other visits -2.0%.',
    );
    expect(segmentSentence(undefined, { groups: [moved('Germany', -0.1)] })).toBe('');
  });

  it('is none that moved as the device did, which the change is on, and one that moved clearly more', () => {
    const groups = [moved('Mobile Safari', -0.4, 'more', -0.02)];
    const device = moved('mobile', -0.39, 'more', -0.01);
    expect(segmentSentence(undefined, { groups }, { apart: [], device })).toBe(
      'No segment that was looked at moved clearly more than mobile as a whole.',
    );
    expect(segmentSentence(undefined, { groups }, { apart: [], device: moved('mobile', -0.2, 'more', -0.01) })).toMatch(
      /^Of the segments, Mobile Safari/,
    );
  });

  it('is one that moved clearly more than the device, though another one is named first', () => {
    const groups = [moved('Mobile Safari', -0.4, 'more'), moved('App users', -0.8, 'more')];
    const said = segmentSentence(undefined, { groups, named: 'Mobile Safari' }, { apart: [], device: moved('mobile', -0.39, 'more') });
    expect(said).toMatch(/^Of the segments, App users moved most unlike the rest: 80\.0% lower/);
  });

  it('is the mix of those that divide the visits', () => {
    const divided: Cause = { ...cause(rates(-0.9, -0.1), []), of: 'new and back', isSteady: false };
    expect(segmentSentence(divided, { groups: [] })).toMatch(/^Traffic mix of new and back accounts for 90% of the change/);
  });
});

it('the factors of revenue are named in the order of what they make of its change, in money where one is more than the whole', () => {
  expect(revenueSentence({ visits: -20, conversion: -75, basket: -5 }, -100, 'EUR')).toBe(
    'Conversion accounts for 75% of the revenue change, visits for 20%, basket for 5%.',
  );
  expect(revenueSentence({ visits: 420, conversion: -1420, basket: 0 }, -1000, 'EUR')).toBe(
    'Of the revenue change of -1,000 EUR, conversion makes -1,420, basket 0, visits +420 EUR.',
  );
  expect(revenueSentence({ visits: 5, conversion: -5, basket: 0 }, 0, 'EUR')).toBe('');
});

it('a factor of revenue that lies within noise has no part of its change', () => {
  const split = { visits: -90, conversion: -15, basket: 5 };
  expect(revenueSentence(split, -100, 'EUR', (factor) => factor !== 'visits')).toBe(
    'Revenue moved with visits; conversion and basket lie within noise.',
  );
  expect(revenueSentence(split, -100, 'EUR', () => true)).toMatch(/^Neither visits nor conversion nor basket moved beyond noise alone/);
});

it('factors that cancel each other are amounts, not shares of a change', () => {
  expect(revenueSentence({ visits: -548, conversion: 434, basket: 14 }, -100, 'EUR')).toBe(
    'Of the revenue change of -100.00 EUR, visits make -548.00, basket +14.00, conversion +434.00 EUR.',
  );
});

it('says the change with weekdays evened out where ranges of other weekdays make a rise of a fall', () => {
  const text = (relative: number, metric = 'visits') =>
    usualText({
      metric,
      compared: { before: 100, after: 120 },
      judgement: { verdict: 'within noise', changes: [], relative, noise: 0.5, score: 0 },
      days: { first: '2026-11-23' },
    });
  expect(text(-0.1)).toBe(' (-10.0% on a typical day, weekdays and special days evened out)');
  expect([text(0.05), text(0.19)]).toEqual(['', '']);
  // Figures within noise, −21 %, beside a level that is not, by which the verdict goes.
  const decided = usualText({
    metric: 'visits',
    compared: { before: 100, after: 79 },
    judgement: { verdict: 'down', changes: [], relative: -0.29, noise: 0.25, score: -4 },
    days: { first: '2026-11-23' },
  });
  expect(decided).toBe(' (-29.0% on a typical day, weekdays and special days evened out)');
  // Visits and rate say theirs.
  expect(text(-0.1, 'conversionCount')).toBe('');
});

it('says of a single day what was to be expected of it before the baseline', () => {
  const day: Change = {
    metric: 'conversionRate',
    before: 2.5,
    after: 2,
    compared: { before: 2.5, after: 2 },
    isPerDay: false,
    lengths: { before: 1, after: 1 },
    detectable: -0.21,
    judgement: {
      verdict: 'within noise',
      changes: [],
      relative: -0.05,
      noise: 0.1,
      score: -1,
      expected: { expected: 0.0211, low: 0.019, high: 0.0234 },
    },
    since: undefined,
    days: { first: '2026-11-27', last: '2026-11-27' },
    baselineDay: '2026-11-26',
    of: '',
  };
  expect(changeSentence(day, undefined)).toBe(
    'Conversion rate on 2026-11-27: 2% where 2.11% (95%: 1.9% to 2.34%) was to be expected, -5.0%, within noise ' +
      '(-21.0% would show in 4 of 5 cases); -0.50 pp, -20.0% against 2026-11-26.',
  );
  expect(changeSentence({ ...day, detectable: -1 }, undefined)).toContain('within noise (no fall of any size would show); ');
  const lower = { ...day, detectable: null, judgement: { ...day.judgement, verdict: 'down' as const, relative: -0.2 } };
  expect(changeSentence(lower, undefined)).toMatch(/was to be expected, -20\.0%, beyond noise; -0\.50 pp/);
  expect(usualText(day)).toBe(' (-5.0% against the expected)');
});

describe('a change that began before the period', () => {
  const change = (verdict: 'down' | 'within noise', from: string): Change => ({
    metric: 'conversionRate',
    before: 3,
    after: 3,
    compared: { before: 3, after: 3 },
    isPerDay: false,
    lengths: { before: 1, after: 1 },
    detectable: null,
    judgement: { verdict, changes: [{ ...step, from, relative: -0.39, low: -0.45, high: -0.32 }], relative: 0, noise: 0.1, score: 0 },
    since: undefined,
    days: { first: '2026-10-12', last: '2026-10-18' },
    of: 'mobile',
  });
  const said = (own: Change, cost = '') => {
    const earlier = earlierOf(own);
    return earlier ? earlierSentence(own, { metric: own.metric, change: earlier, cost }) : '';
  };

  it('is said with its day and size, whatever the verdict of the period is', () => {
    const words = 'since 2026-09-28, before the period, conversion rate (mobile) is 39.0% lower (32.0% to 45.0%).';
    expect(said(change('within noise', '2026-09-28'))).toBe(`But ${words}`);
    expect(said(change('down', '2026-09-28'))).toBe(`Already ${words}`);
    expect(changeSentence(change('within noise', '2026-09-28'), undefined)).toBe('Conversion rate (mobile) went 3% → 3% (0.00 pp, 0.0%).');
    expect(changeSentence(change('within noise', '2026-10-13'), undefined)).toContain(': within noise (');
  });

  it('is placed on the one device that shows it, with its cost there, on none where several do or one fell on another day', () => {
    const own = change('within noise', '2026-09-28');
    const device = (from: string, relative = -0.77) => ({
      ...own.judgement,
      changes: [{ ...step, from, relative, low: -0.8, high: -0.7 }],
    });
    const [mobile, calm] = [device('2026-09-29'), { ...own.judgement, changes: [] }];
    expect(onlyEarlier(own, [mobile, calm])).toBe(mobile);
    expect(onlyEarlier(own, [mobile, device('2026-09-01'), device('2026-09-28', 0.5)])).toBe(mobile);
    expect(onlyEarlier(own, [mobile, device('2026-09-28')])).toBeUndefined();
    expect(onlyEarlier(own, [calm])).toBeUndefined();
    expect(onlyEarlier(change('within noise', '2026-10-13'), [mobile])).toBeUndefined();
    const there = {
      metric: 'conversionRate',
      change: { ...step, from: '2026-09-29', relative: -0.77, low: -0.8, high: -0.7 },
      cost: 'about -358 conversions',
    };
    expect(earlierPlace('mobile', there)).toBe(
      'Of the devices only mobile shows it: 77.0% lower (70.0% to 80.0%) since 2026-09-29, in the period about -358 conversions.',
    );
    expect(earlierPlace('mobile', undefined)).toBe('');
  });

  it('is said with its cost in the period', () => {
    expect(said(change('within noise', '2026-09-28'), 'about -48,058 EUR of revenue')).toBe(
      'But since 2026-09-28, before the period, conversion rate (mobile) is 39.0% lower (32.0% to 45.0%), in the period ' +
        'about -48,058 EUR of revenue.',
    );
  });

  it('is not said of a single day that may itself be what makes it', () => {
    const day = change('within noise', '2026-10-11');
    const expected = { expected: 0.03, low: 0.025, high: 0.035 };
    const steps = (latest: string) => [{ ...step, from: '2026-10-11', latest, relative: -0.39, low: -0.45, high: -0.32 }];
    const of = (latest: string) => said({ ...day, judgement: { ...day.judgement, expected, changes: steps(latest) } });
    expect(of('2026-10-12')).toBe('');
    expect(of('2026-10-11')).toMatch(/^But since 2026-10-11/);
  });

  it('is not said where it began within the period', () => {
    expect(said(change('within noise', '2026-10-13'))).toBe('');
  });
});

it('gives a group whose change began within the period its first day, where the whole period went the other way', () => {
  const record = (verdict: 'up' | 'down') => {
    const main = { ...step, from: '2026-11-21', relative: 0.52, low: 0.2, high: 0.9 };
    const judged: Judgement = { verdict, main, changes: [main], relative: -0.04, noise: 0.15, score: -1 };
    return deviceRecord({ name: 'desktop', before: 4.75, after: 4.59, contribution: -0.07 }, -0.66, { judged, change: undefined });
  };
  expect(record('up')).toMatchObject({ changePercent: -3.37, verdict: 'mixed', since: '2026-11-21', sinceChangePercent: 52 });
  expect(record('down')).not.toHaveProperty('since');
});
