import * as fc from 'fast-check';
import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { knownDaysOf } from '../../../src/metrics/calendar/known-days.ts';
import { specialDaysOf } from '../../../src/metrics/calendar/special-days.ts';
import { judgePeriods, type Question } from '../../../src/metrics/engine/judge.ts';
import { dayOf, drawWorld as drawSite, valuesOf } from '../../bench/nature/metrics-world.ts';
import {
  drawWorld,
  METRICS,
  type Metric,
  type Planted,
  pointsOf,
  type Selection,
  type WorldOptions,
} from '../../bench/verdicts/metrics/world.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { pointsFrom, scaled } from '../points.ts';

const DAYS = 98;
const PERIOD = 91;
const BASELINE = 84;

interface Asked extends Partial<WorldOptions> {
  readonly metric?: Metric;
  readonly selection?: Selection;
  readonly length?: number;
}

/** The last week, or as many days as asked, of a large site against those before. */
function questionOf({ metric = 'conversionRate', selection = {}, length = 7, history = BASELINE, ...options }: Asked): Question {
  const days = history + 2 * length;
  const world = drawWorld({ seed: 5, visitsPerDay: 100_000, days, history, ...options });
  const label = (day: number) => world.labels[day] ?? '';
  return {
    kind: METRICS[metric].kind,
    days: pointsOf(world, metric, selection),
    baseline: { from: label(history), to: label(history + length - 1) },
    period: { from: label(history + length), to: label(days - 1) },
  };
}

const labelOf = ({ days }: Question, day: number) => days[day]?.label ?? '';
const dropOf = (from: number, to: number, factor: number): Planted => ({ on: 'rate', from, to, factor });

describe('the figures of two ranges', () => {
  it('have the noise of all their days, where one day of a week makes the verdict', () => {
    const planted: Planted[] = [{ on: 'visits', from: DAYS - 1, to: DAYS, factor: 1.5 }];
    const [changed, calm] = [planted, []].map((own) => judgePeriods(questionOf({ metric: 'visits', visitsPerDay: 3_000, planted: own })));
    expect(changed?.verdict).toBe('up');
    expect(changed?.noise).toBeGreaterThan(0.7 * (calm?.noise ?? 1));
  });

  it('are those of a level of five weeks that fills the baseline', () => {
    const planted: Planted[] = [{ on: 'visits', from: BASELINE - 21, to: BASELINE + 19, factor: 1.4 }];
    const { verdict, relative } = judgePeriods(questionOf({ metric: 'visits', length: 14, planted }));
    expect(verdict).toBe('down');
    expect(relative).toBeCloseTo((5 * 1.4 + 9) / 14 / 1.4 - 1, 1);
  });

  it('are those of a longer level, where it and a campaign leave no day of a baseline', () => {
    const question = questionOf({
      metric: 'visits',
      planted: [
        { on: 'visits', from: BASELINE - 30, to: BASELINE + 8, factor: 0.85 },
        { on: 'visits', from: BASELINE - 4, to: BASELINE + 5, factor: 4 },
      ],
    });
    const { relative } = judgePeriods(question);
    expect(Math.abs(relative ?? 1)).toBeLessThan(0.25);
  });
});

it('January is told from December by the scatter of ordinary days, where no earlier year shows what Christmas does', () => {
  const known = knownDaysOf(specialDaysOf([]), () => []);
  const noises = times(12, (seed) => {
    const world = drawSite({ visits: 4_000, lastDay: '2026-01-25', holidays: true }, 91_001 + seed);
    const days = times(78, (index) => {
      const at = world.days - 78 + index;
      const label = dayOf(world, 78 - index);
      const { visits } = valuesOf(world, { device: 'all', segment: undefined }, at, at + 1);
      return { label, numerator: visits ?? 0, denominator: 1, isWhole: true, ...known.of('visits', label) };
    });
    const baseline = { from: '2025-12-08', to: '2025-12-21' };
    return judgePeriods({ kind: 'count', days, baseline, period: { from: '2026-01-12', to: '2026-01-25' } }).noise ?? 1;
  });
  expect(mean(noises)).toBeLessThan(0.12);
});

describe('a change in the period', () => {
  it('is reported on its first day, which may become an outlier day or a new level', () => {
    const question = questionOf({ planted: [dropOf(DAYS - 1, DAYS, 0.75)] });
    const { verdict, main } = judgePeriods(question);
    expect(verdict).toBe('down');
    expect(main).toMatchObject({ shape: 'step', from: labelOf(question, DAYS - 1), days: 1 });
    expect(main).not.toHaveProperty('to');
    expect(main?.relative).toBeGreaterThan(-0.4);
    expect(main?.relative).toBeLessThan(-0.12);
    expect(main?.high).toBeLessThan(0);
  });

  it.each([2, 6])('that began %i days ago has this first day', (since) => {
    const question = questionOf({ planted: [dropOf(DAYS - since, DAYS, 0.75)] });
    const { verdict, main } = judgePeriods(question);
    expect([verdict, main?.from, main?.days]).toEqual(['down', labelOf(question, DAYS - since), since]);
    expect(main?.low).toBeLessThan(-0.25);
    expect(main?.high).toBeGreaterThan(-0.25);
  });

  it('that began in the baseline and goes on has the size of all its days', () => {
    const since = PERIOD - 3;
    const question = questionOf({ planted: [dropOf(since, DAYS, 0.6)] });
    const { verdict, changes } = judgePeriods(question);
    expect(verdict).toBe('down');
    const going = changes.find(({ shape, to }) => shape === 'step' && to === undefined);
    expect(going).toMatchObject({ from: labelOf(question, since) });
    expect(Math.abs((going?.relative ?? 0) + 0.4)).toBeLessThan(0.03);
  });

  it('that ended is an episode with a first and a last day', () => {
    const question = questionOf({ planted: [dropOf(PERIOD + 1, PERIOD + 4, 0.6)] });
    const { verdict, main } = judgePeriods(question);
    expect(verdict).toBe('down');
    expect(main).toMatchObject({ shape: 'episode', from: labelOf(question, PERIOD + 1), to: labelOf(question, PERIOD + 3), days: 3 });
  });
});

describe('no change in the period', () => {
  it('names an outlier day and leaves it out', () => {
    const question = questionOf({ planted: [dropOf(PERIOD + 2, PERIOD + 3, 0.25)] });
    const { verdict, changes } = judgePeriods(question);
    expect(verdict).toBe('within noise');
    expect(changes).toMatchObject([{ shape: 'outlier', from: labelOf(question, PERIOD + 2), to: labelOf(question, PERIOD + 2) }]);
  });

  it('names a change that began before the period, and compares the levels', () => {
    const question = questionOf({ planted: [dropOf(BASELINE, DAYS, 0.7)] });
    const { verdict, changes, main } = judgePeriods(question);
    expect([verdict, main]).toEqual(['within noise', undefined]);
    expect(changes).toMatchObject([{ shape: 'step', from: labelOf(question, BASELINE) }]);
    const late = questionOf({ planted: [dropOf(BASELINE + 5, DAYS, 0.7)] });
    const judged = judgePeriods(late);
    expect([judged.verdict, judged.main]).toEqual(['down', undefined]);
    expect(judged.changes).toMatchObject([{ shape: 'step', from: labelOf(late, BASELINE + 5) }]);
  });

  it('calls a slow slide drift, which has no first day', () => {
    const { days, ...question } = questionOf({ metric: 'visits', length: 30 });
    const sliding = scaled(days, (at) => Math.exp(-0.0035 * at));
    const { verdict, main, relative } = judgePeriods({ ...question, days: sliding });
    expect([verdict, main]).toEqual(['drift', undefined]);
    expect(relative).toBeLessThan(-0.05);
  });
});

it('an average that is one and the same on most days is not judged, whatever single ones are', () => {
  const days = pointsFrom('2026-06-01', 150, (at) => [at === 100 ? 15 : at === 103 ? 20 : 10, 10]);
  const window = (from: number, to: number) => ({ from: days[from]?.label ?? '', to: days[to]?.label ?? '' });
  expect(judgePeriods({ kind: 'average', days, baseline: window(94, 121), period: window(122, 149) }).verdict).toBe('not enough data');
});

describe('other windows', () => {
  it('of a single day each are judged as these two days', () => {
    const question = questionOf({ planted: [dropOf(DAYS - 1, DAYS, 0.6)] });
    const day = (at: number) => ({ from: labelOf(question, at), to: labelOf(question, at) });
    const judged = judgePeriods({ ...question, baseline: day(DAYS - 8), period: day(DAYS - 1) });
    expect(judged).toMatchObject({ verdict: 'down' });
    expect(judged).not.toHaveProperty('main');
    expect(judgePeriods({ ...question, baseline: day(DAYS - 9), period: day(DAYS - 2) }).verdict).toBe('within noise');
  });

  describe('in another season', () => {
    /** The last week of a site, and that of another one of the year before. */
    function yearApart(asked: Asked, before: Asked) {
      const question = questionOf(asked);
      const earlier = questionOf({ seed: 6, ...before })
        .days.slice(PERIOD)
        .map((day) => ({ ...day, label: dayAfter(day.label, -364) }));
      const baseline = { from: earlier[0]?.label ?? '', to: earlier.at(-1)?.label ?? '' };
      return { judged: judgePeriods({ ...question, days: [...earlier, ...question.days], baseline }), earlier, question };
    }

    it('are compared by level', () => {
      const { judged, earlier, question } = yearApart({ planted: [dropOf(0, DAYS, 0.8)] }, {});
      const level = (days: Question['days']) =>
        days.reduce((sum, { numerator }) => sum + numerator, 0) / days.reduce((sum, { denominator }) => sum + denominator, 0);
      expect(judged.main).toBeUndefined();
      expect(judged.relative).toBeCloseTo(level(question.days.slice(PERIOD)) / level(earlier) - 1, 1);
    });

    it('leave out a day that stands out among those of the other', () => {
      // The same site, whose weekdays are alike.
      const asked = { seed: 6, metric: 'visits' } as const;
      const { judged, earlier } = yearApart(asked, { ...asked, planted: [{ on: 'visits', from: 93, to: 94, factor: 1.95 }] });
      expect(judged.verdict).toBe('within noise');
      expect(judged.changes[0]).toMatchObject({ shape: 'outlier', from: earlier[2]?.label });
    });
  });

  it('given the other way round give the opposite answer', () => {
    const question = questionOf({ planted: [dropOf(PERIOD, DAYS, 0.7)] });
    const turned = judgePeriods({ ...question, baseline: question.period, period: question.baseline });
    const straight = judgePeriods(question);
    expect([straight.verdict, turned.verdict]).toEqual(['down', 'up']);
    expect((1 + (straight.relative ?? 0)) * (1 + (turned.relative ?? 0))).toBeCloseTo(1);
  });

  it('with too few days, or nothing counted, give no verdict', () => {
    const { days, ...question } = questionOf({});
    for (const known of [days.slice(-12), [], scaled(days, () => 0), days.slice(0, PERIOD)])
      expect(judgePeriods({ ...question, days: known }).verdict).toBe('not enough data');
  });
});

describe('a judgement', () => {
  it('does not depend on the unit of an amount', () => {
    const question = questionOf({ metric: 'revenueSum', planted: [dropOf(DAYS - 3, DAYS, 0.8)] });
    const { score, verdict } = judgePeriods(question);
    expect(verdict).toBe('down');
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (unit) => {
        const inUnit = judgePeriods({ ...question, days: question.days.map((day) => ({ ...day, numerator: day.numerator * unit })) });
        expect(inUnit.verdict).toBe(verdict);
        expect(inUnit.score).toBeCloseTo(score, 6);
      }),
      { numRuns: 3 },
    );
  });

  it('does not depend on the order of the days, nor on days that are not whole', () => {
    const question = questionOf({ planted: [dropOf(DAYS - 3, DAYS, 0.8)] });
    const judged = judgePeriods(question);
    expect(judgePeriods({ ...question, days: question.days.toReversed() })).toEqual(judged);
    const cut = { label: '2026-06-08', numerator: 1, denominator: 50, isWhole: false };
    expect(judgePeriods({ ...question, days: [...question.days, cut], period: { ...question.period, to: cut.label } })).toEqual(judged);
  });

  it('of few counts, with days without any, is no alarm', () => {
    const { days, ...question } = questionOf({ metric: 'conversionCount', visitsPerDay: 40 });
    expect(days.some(({ numerator }) => numerator === 0)).toBe(true);
    expect(judgePeriods({ ...question, days }).verdict).toBe('within noise');
  });

  it('is for any series of counts a verdict with finite numbers', () => {
    const { days, ...question } = questionOf({});
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: DAYS, maxLength: DAYS }), (counts) => {
        const drawn = days.map((day, at) => ({ ...day, numerator: counts[at] ?? 0, denominator: 1 }));
        const { verdict, relative, noise, score } = judgePeriods({ ...question, kind: 'count', days: drawn });
        if (verdict === 'not enough data') return;
        expect([relative, noise, score].every((value) => Number.isFinite(value))).toBe(true);
        expect(noise).toBeGreaterThan(0);
      }),
      { numRuns: 10 },
    );
  });
});

it.each([31, 38, 41, 42])('a change that began before both ranges is not dated anew (world %i)', (seed) => {
  const history = 177;
  const planted = [dropOf(history - 6, history + 14, 0.87)];
  expect(judgePeriods(questionOf({ seed, visitsPerDay: 25_000, history, planted })).main).toBeUndefined();
});

it('a day that stands out before a fall is one day, and the fall is told against the days before both', () => {
  const labelAt = (day: number) => dayAfter('2026-05-01', day);
  const falls = times(40, (seed) => {
    const { normal } = seeded(seed + 1);
    const factorOf = (day: number) => (day === 92 ? 1.75 : 1) * (day > 92 ? 0.7 : 1);
    const days = pointsFrom(labelAt(0), 98, (day) => 12_000 * factorOf(day) * Math.exp(0.15 * normal()));
    const baseline = { from: labelAt(84), to: labelAt(90) };
    return judgePeriods({ kind: 'amount', days, baseline, period: { from: labelAt(91), to: labelAt(97) } }).main;
  });
  const found = falls.flatMap((main) => main?.relative ?? []);
  expect(found.length).toBeGreaterThanOrEqual(38);
  // Against the one high day the fall is 60 %.
  expect(Math.min(...found)).toBeGreaterThan(-0.45);
});
