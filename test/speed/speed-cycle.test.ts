import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Report } from '../../src/speed/runs.ts';
import { draftStudy, type Row } from '../../src/speed/scenario-study.ts';
import { type Course, levelsOf, scenarioRuns } from '../../src/speed/scenario-views.ts';
import { cycleAnswer } from '../../src/speed/speed-cycle.ts';
import { seeded } from '../bench/verdicts/random.ts';

const START = Date.UTC(2026, 5, 1);
const DAYS = 42;
const RANGE = { startMs: START, endMs: START + DAYS * DAY_MS - 1 };
const BROKE = START + 32 * DAY_MS;
const STEPS = ['Home', 'Category', 'Cart'];

/** A run every two hours; the step Cart is 50 % slower since a day, at weekends by another factor too. */
function reportsOf({ slower = 1.5, weekend = 1 } = {}): Report[] {
  const { normal } = seeded(7);
  return Array.from({ length: DAYS * 12 }, (_, index) => {
    const date = START + index * 2 * HOUR_MS;
    const isWeekend = [0, 6].includes(new Date(date).getUTCDay());
    return {
      date,
      steps: STEPS.map((name, place) => {
        const own = name === 'Cart' ? (date >= BROKE ? slower : 1) * (isWeekend ? weekend : 1) : 1;
        const factor = own * Math.exp(0.04 * normal());
        const timings = { largestContentfulPaint: Math.round(2000 * factor), firstByte: Math.round(200 * (1 + 0.05 * normal())) };
        return { stepId: place + 1, stepResultId: `${index}-${place}`, name, fail: 0, loadTime: 4000, timings };
      }),
    };
  });
}

const METRIC = 'largestContentfulPaint';

function courseOf(reports: readonly Report[], metric: string): Course {
  const baseline = { startMs: RANGE.startMs, endMs: RANGE.startMs };
  const study = draftStudy(reports, { baseline, period: RANGE, metrics: [metric], timeZone: 'UTC' })();
  return [{ scenarioId: 1, name: 'Checkout', study }];
}

function answerTo(reports: Report[], breakdown: 'day' | 'week' | 'weekend', metrics: readonly [string, ...string[]], judged = metrics) {
  const courses = new Map(judged.map((metric) => [metric, courseOf(reports, metric)]));
  return cycleAnswer([scenarioRuns(1, 'Checkout', reports, RANGE)], {
    breakdown,
    metrics,
    range: RANGE,
    timeZone: 'UTC',
    limit: 8,
    courses,
  });
}

it('by day and week a step that moved is told first and stands in front of a table that is cut', () => {
  const { answer, rows, notes } = answerTo(reportsOf(), 'week', [METRIC]);
  expect(answer).toMatch(/^LCP at "Cart" in "Checkout" has been (?:49|50|51)% slower since 3 July, \d\d:\d\d UTC\./);
  expect(rows.slice(0, 6).map((row) => row[1])).toEqual(Array.from({ length: 6 }, () => 'Cart'));
  expect(notes[0]).toBe('Showing 8 of 18 rows; raise limit for more. Steps that moved come first.');
});

it('by day and week each metric is judged and has a column, and one that there was no time for is named', () => {
  const { answer, columns, notes } = answerTo(reportsOf(), 'week', [METRIC, 'firstByte']);
  expect(columns).toEqual(['scenario', 'step', 'week', METRIC, 'low', 'high', 'firstByte', 'runs']);
  expect(answer).toMatch(/ TTFB keeps its level in all 3 steps\.$/);
  expect(notes).toContain(`low, high and runs are of ${METRIC}.`);
  const late = answerTo(reportsOf(), 'week', [METRIC, 'firstByte'], [METRIC]);
  expect(late.answer).not.toContain('TTFB');
  expect(late.notes).toContain('There was no time to judge firstByte: metrics with these alone does.');
});

it('by weekend each metric is judged, and a step that differs comes first', () => {
  const { answer, rows } = answerTo(reportsOf({ slower: 1, weekend: 1.3 }), 'weekend', [METRIC, 'firstByte']);
  expect(answer).toMatch(
    /^LCP is (?:29|30|31)% higher at weekends than at other times, in 1 of 3 steps\. TTFB does not differ significantly by weekend/,
  );
  expect(rows.slice(0, 2).map((row) => row[1])).toEqual(['Cart', 'Cart']);
});

it('a run that drifts is held against its line', () => {
  const dates = Array.from({ length: 60 }, (_, day) => day * DAY_MS);
  const values = dates.map((date) => 1000 * 1.2 ** (date / (30 * DAY_MS)));
  const levels = levelsOf({ dates, values }, { move: { shape: 'drift', relative: 0.2 } as Row['move'], moves: [] });
  expect(values.map((value, index) => (value / (levels[index]?.usual ?? 0)).toFixed(6))).toEqual(values.map(() => '1.000000'));
});

describe('by hour', () => {
  const LENGTH = 37;
  const range = { startMs: START, endMs: START + LENGTH * DAY_MS - 1 };

  /** Runs every so many hours whose steps have a factor by hour, in UTC. */
  function hourly(factorsAt: (hour: number, day: number) => readonly number[], { everyHours = 1, seed = 1, noise = 0.06 } = {}) {
    const { normal } = seeded(seed);
    const reports = Array.from({ length: (LENGTH * 24) / everyHours }, (_, index): Report => {
      const date = START + index * everyHours * HOUR_MS + 7 * 60_000;
      const factors = factorsAt(new Date(date).getUTCHours(), Math.floor((date - START) / DAY_MS));
      const steps = factors.map((factor, place) => {
        const timings = { largestContentfulPaint: Math.round(2000 * factor * Math.exp(noise * normal())) };
        return { stepId: place + 1, stepResultId: `${index}-${place}`, name: STEPS[place] ?? '', fail: 0, timings };
      });
      return { date, steps };
    });
    return cycleAnswer([scenarioRuns(1, 'Checkout', reports, range)], {
      breakdown: 'hour',
      metrics: [METRIC],
      range,
      timeZone: 'UTC',
      limit: 100,
      courses: new Map(),
    });
  }

  it.each<[string, (hour: number) => readonly number[], number, RegExp]>([
    [
      'a single hour that is slow',
      (hour) => [hour === 2 ? 1.7 : 1],
      1,
      /^LCP is (?:69|70|71)% higher from 02:00 to 03:00 than at other times\.$/,
    ],
    [
      'a slow hour of one step beside what all steps share',
      (hour) => [1, 2, 3].map((step) => (hour >= 12 && hour < 18 ? 1.15 : 1) * (step === 3 && hour === 4 ? 1.6 : 1)),
      1,
      new RegExp(
        String.raw`^LCP is 1[3-7]% to 1[3-7]% higher from 12:00 to 18:00 than at other times, in all 3 steps\. ` +
          String.raw`LCP is 5\d% higher from 04:00 to 05:00 than at other times, in 1 of 3 steps\.$`,
      ),
    ],
    ['a fast night', (hour) => [hour >= 22 || hour < 4 ? 0.8 : 1], 1, /^LCP is (?:19|20|21)% lower from 22:00 to 04:00 than/],
    ['an hour among runs every two hours', (hour) => [hour === 6 ? 1.4 : 1], 2, /^LCP is (?:3[7-9]|4[0-3])% higher from 06:00 to 07:00/],
  ])('%s is found and named', (_, factorsAt, everyHours, words) => {
    const { answer, rows } = hourly(factorsAt, { everyHours });
    expect(answer).toMatch(words);
    expect(rows[2]?.[2]).toBe(everyHours === 1 ? '02:00' : '04:00');
  });

  it('a single night says nothing, nor does scatter in more than 3 of 100', () => {
    const never = 'LCP does not differ significantly by hour in the step.';
    expect(hourly((hour, day) => [hour === 2 && day === 20 ? 4 : 1]).answer).toBe(never);
    const told = Array.from({ length: 100 }, (_, seed) => hourly(() => [1], { seed: seed + 2, noise: 0.2 })).filter(
      ({ answer }) => answer !== never,
    );
    expect(told.length).toBeLessThanOrEqual(3);
  });
});
