import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { entriesOf, type RankedChange, speedFacts, speedSentence } from '../../src/metrics/changes/changes-answer.ts';
import type { Part } from '../../src/metrics/changes/events.ts';
import { changeFacts } from '../../src/metrics/findings.ts';
import type { SpeedChange, SpeedMove } from '../../src/speed/scenario-study.ts';
import { partOf } from '../metrics/points.ts';
import { history, studyOf, WINDOWS } from './histories.ts';

const METRICS = ['largestContentfulPaint', 'firstByte'];
const { startMs } = WINDOWS.period;

/** The changes where the first step is slower for some spells, in days of the period. */
function changesIn(spells: readonly (readonly [number, number])[]) {
  const isSlow = (date: number) => spells.some(([from, to]) => date >= startMs + from * DAY_MS && date < startMs + to * DAY_MS);
  return studyOf(
    history(11, { emulated: true, run: 0.08 }, (date, step) => (step === 0 && isSlow(date) ? 1.4 : 1)),
    METRICS,
  );
}

describe('the changes of a scenario in its period', () => {
  it('are none where its level stays, and the series are counted all the same', () => {
    expect(changesIn([])).toMatchObject({ changes: [], judged: 4 });
  });

  it('are one for all metrics that moved together, at one instant, led by what visitors feel most', () => {
    const fromMs = startMs + 3 * DAY_MS;
    const { changes } = changesIn([[3, 99]]);
    expect(changes).toHaveLength(1);
    expect(changes[0]?.map(({ step, metric, shape }) => [step, metric, shape])).toEqual([
      ['Step 1', 'largestContentfulPaint', 'step'],
      ['Step 1', 'firstByte', 'step'],
    ]);
    expect(new Set(changes[0]?.map((each) => each.fromMs)).size).toBe(1);
    expect(changes[0]?.[0].relative).toBeCloseTo(0.4, 1);
    expect(Math.abs((changes[0]?.[0].fromMs ?? 0) - fromMs)).toBeLessThan(DAY_MS / 4);
  });

  it.each([
    ['that is over is an episode', [[1, 3]], ['episode']],
    ['that was over before is no news', [[-9, -5]], []],
    ['that began before is no news', [[-9, 99]], []],
    [
      'that was undone before the next one came is one of several',
      [
        [0.5, 2],
        [4, 99],
      ],
      ['episode', 'step'],
    ],
  ] as const)('%s', (_, spells, told) => {
    const shapes = changesIn(spells).changes.map(([{ shape }]) => shape);
    expect([...new Set(shapes)].toSorted()).toEqual(told);
  });
});

const level = (typical: number) => ({ median: typical, typical, p25: typical, p75: typical, runs: 100 });
const at = (text: string) => Date.parse(text);

function move(own: Partial<SpeedMove> = {}): SpeedMove {
  const fromMs = at('2026-11-10T11:08Z');
  return {
    step: 'Pay',
    metric: 'largestContentfulPaint',
    shape: 'step',
    fromMs,
    previousMs: fromMs,
    began: { startMs: fromMs, endMs: fromMs },
    untilMs: undefined,
    before: level(2000),
    after: level(3000),
    relative: 0.5,
    pValue: 0,
    ...own,
  };
}

const speed = (first: Partial<SpeedMove>, ...rest: SpeedMove[]): SpeedChange => ({
  scenarioId: 7,
  scenario: 'Checkout',
  moves: [move(first), ...rest],
});

function site(metric: string, from: string, change: Parameters<typeof partOf>[1] = {}, causes: Part['causes'] = []): RankedChange {
  const part = { ...partOf(metric, { from, ...change }, { device: 'mobile' }), causes };
  const cost = { of: 'revenueSum', value: -100, low: -150, high: -50, unit: 'EUR', from, to: from };
  const facts = changeFacts({ ...part, place: {}, last: from }, 'EUR');
  return { event: [part], facts: metric === 'bounceRate' ? [facts] : [{ ...facts, cost }] };
}

const PERIOD = { timeZone: 'UTC', firstDay: '2026-11-01', today: '2026-11-20' };
const orderOf = (entries: ReturnType<typeof entriesOf>) =>
  entries.map((entry) =>
    'site' in entry
      ? `${entry.site.event[0].change.from}${entry.beside ? ` beside ${entry.beside.scenarioId}` : ''}`
      : String(entry.speed.scenarioId),
  );

describe('the list of changes', () => {
  it('holds a change of speed beside the change of conversion that began within a day, else before what has no effect', () => {
    const changes = [site('visits', '2026-11-10'), site('conversionRate', '2026-11-11'), site('bounceRate', '2026-11-10')];
    const others = [
      {
        ...speed({ fromMs: at('2026-11-15T00:00Z'), began: { startMs: at('2026-11-15T00:00Z'), endMs: at('2026-11-15T09:00Z') } }),
        scenarioId: 9,
      },
    ];
    expect(orderOf(entriesOf(changes, [...others, speed({})], PERIOD))).toEqual([
      '2026-11-10',
      '2026-11-11 beside 7',
      '7',
      '9',
      '2026-11-10',
    ]);
  });

  const conversion = (from = '2026-11-10', ...more: [Parameters<typeof partOf>[1]?, Part['causes']?]) =>
    site('conversionRate', from, ...more);
  it.each<[string, RankedChange, SpeedChange]>([
    [
      'what moved by the mix',
      conversion('2026-11-10', {}, [{ kind: 'mix', name: 'a larger share of others', basis: 'measured' }]),
      speed({}),
    ],
    ['a drift of conversion', conversion('2026-11-10', { shape: 'drift' }), speed({})],
    ['a drift of speed', conversion(), speed({ shape: 'drift' })],
    ['what began two days later', conversion('2026-11-12'), speed({})],
    ['what began before the runs did', conversion('2026-11-09'), speed({})],
    ['what runs on another device', conversion(), { ...speed({}), scenario: 'Checkout – desktop' }],
  ])('takes for no coincidence %s', (_, change, other) => {
    expect(orderOf(entriesOf([change], [other], PERIOD))).toEqual([change.event[0].change.from, '7']);
  });

  it('puts slower before faster, and what lasts before what is over', () => {
    const over = { ...speed({ shape: 'episode', untilMs: at('2026-11-12T00:00Z') }), scenarioId: 2 };
    const faster = { ...speed({ relative: -0.5 }), scenarioId: 3 };
    expect(orderOf(entriesOf([], [faster, over, speed({})], PERIOD))).toEqual(['7', '2', '3']);
  });
});

describe('a finding', () => {
  const sentence = (change: SpeedChange) => speedSentence(change, PERIOD);

  it('says size, place and since when', () => {
    expect(sentence(speed({}))).toBe('LCP at "Pay" in "Checkout" has been 50% slower since 10 Nov, 11:08 UTC.');
    const over = speed({ shape: 'episode', untilMs: at('2026-11-12T08:00Z') });
    expect(sentence(over)).toBe('LCP at "Pay" in "Checkout" was 50% slower from 10 Nov, 11:08 to 12 Nov, 08:00 UTC.');
    expect(sentence(speed({ shape: 'drift' }))).toMatch(/^LCP at "Pay" in "Checkout" has drifted 50% slower since 10 Nov/);
  });

  it('is one for all metrics that moved, with its levels, and between when it began where that is not sure', () => {
    const began = { startMs: at('2026-11-09T00:00Z'), endMs: at('2026-11-11T00:00Z') };
    expect(speedFacts(speed({ began }, move({ metric: 'weight', step: undefined, relative: 0.06 })), PERIOD)).toMatchObject({
      subject: 'largestContentfulPaint',
      unit: 'ms',
      place: { scenario: 'Checkout', step: 'Pay' },
      when: { shape: 'step', from: '2026-11-10T11:08Z', earliest: '2026-11-09T00:00Z', latest: '2026-11-11T00:00Z', ongoing: true },
      now: 3000,
      against: { what: 'before', value: 2000 },
      change: { percent: 50 },
      chance: 0.0001,
      more: { tool: 'analyze_scenario', arguments: { scenarioIds: [7] } },
    });
  });

  it('has no share where the value was zero before', () => {
    const shift = speed({ metric: 'cumulativeLayoutShift', before: level(0), after: level(0.2), relative: Number.POSITIVE_INFINITY });
    expect(speedFacts(shift, PERIOD).change).toEqual({ points: 0.2, low: 0.2, high: 0.2 });
    expect(sentence(shift)).toContain('has been 0.20 points higher since');
  });
});
