import { describe, expect, it } from 'vitest';
import { textOf } from '../../support/sources.ts';
import { type Claim, outcomeOf } from './claim.ts';
import { PAGE } from './document.ts';
import last from './last.json' with { type: 'json' };
import { questions } from './questions.ts';
import { CHANGE, IS, WAS } from './truth.ts';
import { drawnWorld, FIXED } from './world.ts';

const page = textOf(PAGE);
const partOf = (world: string) => page.split(/^### /m).find((part) => part.startsWith(`World ${world}\n`)) ?? '';
const keptOf = (world: string) => Object.entries(last).filter(([key]) => key.startsWith(`${world} `));

describe('the worlds that are asked', () => {
  it.each(FIXED)('have a row for each call of each question, in the page as in what later builds are held against: $name', ({ name }) => {
    const rows = questions.flatMap(({ number, calls }) =>
      calls.map((_, index) => ({ cell: `| ${number}${index > 0 ? `.${index + 1}` : ''} |`, key: `${name} ${number}.${index + 1} ` })),
    );
    expect(rows.filter(({ cell }) => !partOf(name).includes(`\n${cell}`)).map(({ cell }) => cell)).toEqual([]);
    expect(rows.filter(({ key }) => !Object.keys(last).some((each) => each.startsWith(key))).map(({ key }) => key)).toEqual([]);
  });

  it.each(FIXED)('show in the page which rows do not agree: $name', ({ name }) => {
    const counted = (cell: string) => partOf(name).split(`| ${cell} |`).length - 1;
    const kept = (outcome: string) => keptOf(name).filter(([, { agrees }]) => agrees === outcome).length;
    expect([counted('**no**'), counted('**only in words**')]).toEqual([kept('no'), kept('words')]);
  });

  it('have a truth found apart for most calls', () => {
    const judged = Object.values(last).filter(({ agrees }) => agrees !== '');
    expect(judged.length).toBeGreaterThan(0.9 * Object.keys(last).length);
  });

  it('are the same again for the same seed, others for others, on a day on which each range has begun', () => {
    expect(drawnWorld(71)).toEqual(drawnWorld(71));
    const clocks = Array.from({ length: 200 }, (_, index) => new Date(drawnWorld(index * 7_919_117).clock));
    expect(new Set(clocks.map((clock) => clock.toISOString().slice(0, 10))).size).toBeGreaterThan(100);
    expect(clocks.filter((clock) => clock.getUTCDate() < 4 || [1, 2].includes(clock.getUTCDay()))).toEqual([]);
  });
});

/** Today's comparison, with its change beside the rows. */
const comparison = {
  answer: 'Conversion rate on mobile is 68% lower since 2026-11-10.',
  columns: ['metric', 'before', 'after', 'since', 'sinceChangePercent'],
  rows: [['conversionRate', 3.5116, 2.5682, '2026-11-10', -31.75]],
  devices: [
    { device: 'desktop', before: 4.6714, after: 4.2339 },
    { device: 'mobile', before: 2.7187, after: 1.1182 },
  ],
  change: { metric: 'conversionRate', device: 'mobile', from: '2026-11-10', changePercent: -68.45, conversionCount: -425.25 },
};
/** The same as a finding. */
const finding = {
  findings: [
    {
      subject: 'conversionRate',
      place: { device: 'mobile' },
      when: { shape: 'step', from: '2026-11-10', ongoing: true },
      now: 1.1182,
      against: { what: 'before', value: 2.7187 },
      change: { percent: -68.45, low: -72, high: -64 },
      cost: { of: 'conversionCount', value: -425.25, low: -516, high: -346 },
    },
  ],
};
const claims = {
  pair: {
    by: 'REST',
    at: ['mobile'],
    has: [
      { as: WAS, is: 2.71868 },
      { as: IS, is: 1.11819 },
    ],
  },
  change: {
    by: 'planted',
    at: ['mobile'],
    metric: 'conversionRate',
    has: [
      { as: CHANGE.from, is: '2026-11-10' },
      { as: CHANGE.percent, is: -67, within: 4 },
      { as: CHANGE.cost, is: -400, within: 60 },
    ],
  },
} satisfies Record<string, Claim>;

const said = (structured: object | undefined, claim: Claim, text = '') =>
  outcomeOf(claim, { text, structured: { ...structured }, isError: false });
/** The value with each of its texts and figures replaced in turn. */
const swapped = (structured: object, from: string | number, to: string | number) =>
  JSON.parse(JSON.stringify(structured).replaceAll(JSON.stringify(from), JSON.stringify(to))) as object;

describe.each([
  ['rows', comparison],
  ['findings', finding],
])('a truth against %s', (_, structured) => {
  it('agrees with a record of its place, day, size and cost', () => {
    expect([said(structured, claims.pair), said(structured, claims.change)]).toEqual(['yes', 'yes']);
  });

  it.each([
    ['figure', 'pair', 1.1182, 1.1183],
    ['figure before', 'pair', 2.7187, 2.7197],
    ['place', 'pair', 'mobile', 'tablet'],
    ['place', 'change', 'mobile', 'desktop'],
    ['metric', 'change', 'conversionRate', 'visits'],
    ['first day', 'change', '2026-11-10', '2026-11-11'],
    ['size', 'change', -68.45, -60],
    ['sign', 'change', -68.45, 68.45],
    ['cost', 'change', -425.25, -325],
  ] as const)('does not agree with another %s (%s)', (_what, name, from, to) => {
    expect(said(swapped(structured, from, to), claims[name])).toBe('no');
  });
});

describe('a truth', () => {
  it('of all devices is not held by a row of one, nor that of a device by a row of one of its segments', () => {
    const all: Claim = { by: 'REST', has: [{ as: IS, is: 1.1182 }] };
    expect(said({ devices: comparison.devices }, all)).toBe('no');
    expect(said({ rows: [{ device: 'mobile', segment: 'Germany', before: 2.7187, after: 1.1182 }] }, claims.pair)).toBe('no');
  });

  it('is not put together from two records', () => {
    const parted = {
      rows: [
        { device: 'mobile', before: 2.7187, after: 9 },
        { device: 'mobile', before: 8, after: 1.1182 },
      ],
    };
    expect(said(parted, claims.pair)).toBe('no');
  });

  it('that only a line of the text tells is no agreement', () => {
    const text = 'On mobile it is 68.5% lower since 2026-11-10, about 425 conversions.';
    expect(said({}, claims.change, text)).toBe('words');
    expect(said({}, claims.change, text.replace('11-10', '11-12'))).toBe('no');
    expect(said({ answer: text }, claims.change)).toBe('no');
  });

  it('is held as exactly as it is written, of two figures at least', () => {
    const of = (is: number, shown: number) => said({ rows: [{ value: shown }] }, { by: 'REST', has: [{ as: IS, is }] });
    expect([of(3.13, 3.1), of(0.754, 0.75), of(5.04, 5), of(879, 879)]).toEqual(['yes', 'yes', 'yes', 'yes']);
    expect([of(3.16, 3.1), of(0.756, 0.75), of(5.4, 5), of(879, 880)]).toEqual(['no', 'no', 'no', 'no']);
  });

  it('that nothing changed needs a record that says so, and none that says otherwise', () => {
    const verdict = ['verdict'];
    const calm: Claim = { by: 'planted', at: ['Home'], has: [{ as: verdict, is: 'steady' }], none: { as: verdict, is: 'slower' } };
    const of = (...verdicts: string[]) => said({ scenarios: verdicts.map((each) => ({ scenario: 'Home', verdict: each })) }, calm);
    expect([of('steady'), of(), of('slower'), of('steady', 'slower')]).toEqual(['yes', 'no', 'no', 'no']);
  });

  it('that there is no such figure needs a refusal', () => {
    const refused: Claim = { by: 'planted', refused: true };
    expect(outcomeOf(refused, { text: 'metrics: no heatmaps', structured: undefined, isError: true })).toBe('yes');
    expect(said({ rows: [{ visits: 1 }] }, refused)).toBe('no');
  });

  it('of what was done is held by the platform, not by the answer', () => {
    const done: Claim = { by: 'REST', at: ['release'], has: [], done: false };
    expect([said({ key: 'release' }, done), said({ key: 'release' }, { ...done, done: true })]).toEqual(['no', 'yes']);
  });
});
