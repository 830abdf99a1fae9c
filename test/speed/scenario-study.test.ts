import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { chooseStep, type Report, studyWindows } from '../../src/speed/runs.ts';
import { times } from '../support/times.ts';
import { answerOf, history, lcpReports, reportOf, slowerSince, studyOf, WINDOWS } from './histories.ts';

const LCP = 'largestContentfulPaint';
const { baseline, period } = WINDOWS;
const NOISE = { emulated: true, run: 0.1 } as const;

const study = (reports: readonly Report[], metrics: readonly string[] = [LCP]) => studyOf(reports, metrics);

const answerTo = (reports: readonly Report[]) => answerOf(study(reports), 'Home – mobile');

/** What is said of the first row. */
function firstRow(reports: readonly Report[]) {
  const [row] = study(reports).rows;
  return row && { state: row.state, level: row.level, p: row.p, moves: row.moves, move: row.move };
}

it('properties the order of the reports says nothing', () => {
  const reports = history(4, NOISE, slowerSince(period.startMs, 1.3));
  const plain = firstRow(reports);
  fc.assert(
    fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (shuffled) => {
      expect(firstRow(shuffled)).toEqual(plain);
    }),
    { numRuns: 5 },
  );
});

it('properties raising the values of the period never makes it faster', { tags: 'nightly' }, () => {
  // Where a change lasts, its direction; an excursion that is over leaves the level as it was.
  const directionOf = (reports: readonly Report[]) => {
    const move = firstRow(reports)?.move;
    return move && move.untilMs === undefined ? Math.sign(move.relative) : 0;
  };
  for (let seed = 0; seed < 8; seed += 1) {
    const places = [0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.5, 2].map((factor) =>
      directionOf(history(seed, { run: 0.12 }, (date) => (date >= period.startMs ? factor : 1))),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([-1, 1]);
  }
});

describe('too little to say', () => {
  const before = (count: number) => times(count, (index) => 2000 + index);
  it.each([
    [0, 0],
    [0, 5],
    [5, 0],
    [200, 2],
    [3, 3],
  ])('%i runs against %i are not enough data', (first, second) => {
    const reports = [...lcpReports(before(first), baseline.endMs - 300 * HOUR_MS), ...lcpReports(before(second), period.startMs)];
    expect(study(reports).state).toBe('not enough data');
    expect(answerTo(reports).answer).toBe(
      `"Home – mobile" has too few runs to judge: ${Math.min(second, 179)} runs without failure in the period, ${first} in the baseline.`,
    );
  });

  it('five runs on each side that do not overlap are enough, and marked as few', () => {
    const level = (from: number) => [0, 10, -10, 5, -5].map((each) => from + each);
    const reports = [...lcpReports(level(2000), period.startMs - 5 * HOUR_MS), ...lcpReports(level(3000), period.startMs)];
    expect(study(reports).state).toBe('slower');
    expect(answerTo(reports).answer).toContain('It rests on few runs: 5 before and 5 since.');
  });

  it('failed runs count for nothing, and only failed runs leave nothing', () => {
    const failed = [baseline.startMs, period.startMs].flatMap((fromMs) =>
      times(50, (index) => reportOf(fromMs + index * HOUR_MS, [{ [LCP]: 9000 }], { failedAt: 0 })),
    );
    expect(answerTo(failed)).toMatchObject({
      verdict: 'failing',
      speedVerdict: 'not enough data',
      period: { runs: 50, failed: 50, failurePercent: 100 },
    });
    const sound = history(7, NOISE);
    expect(firstRow([...sound, ...failed.map((report) => ({ ...report, date: report.date + 60_000 }))])).toEqual(firstRow(sound));
  });

  it('values that are missing are left out, and a metric without any has no row', () => {
    const values = times(37 * 24, (index) => (index % 3 === 0 ? null : 2000 + (index % 7)));
    const [row] = study(lcpReports(values, baseline.startMs)).rows;
    expect(row?.series.values).toHaveLength(592);
    expect(row?.state).toBe('steady');
    expect(study(lcpReports(values, baseline.startMs), [LCP, 'speedIndex']).rows).toHaveLength(1);
  });

  it.each([
    ['equal values', () => 70, period.startMs - 20 * 24 * HOUR_MS],
    [
      'values whose change is too small to be felt',
      (index: number) => (index < 480 ? 2000 : 2030) + (index % 3),
      period.startMs - 480 * HOUR_MS,
    ],
  ])('%s are steady', (_, valueAt, fromMs) => {
    const values = times(650, (index) => valueAt(index));
    expect(firstRow(lcpReports(values, fromMs))?.state).toBe('steady');
  });
});

describe('steps', () => {
  const named = (names: readonly string[], fromMs: number, ids = 0) =>
    times(48, (index) => {
      const report = reportOf(
        fromMs + index * HOUR_MS,
        names.map((_name, place) => ({ [LCP]: 1000 * (place + 1) + (index % 5), loadTime: 100 })),
        { names },
      );
      return { ...report, steps: report.steps?.map((step) => ({ ...step, stepId: Number(step.stepId) + ids })) };
    });

  it.each([
    ['renamed stay the same, under the new name', ['Start', 'Cart'], 0],
    ['made anew under the same name stay the same, under the new id', ['Home', 'Cart'], 70],
  ])('that were %s', (_, names, ids) => {
    const { steps, rows } = study([...named(['Home', 'Cart'], baseline.endMs - 48 * HOUR_MS), ...named(names, period.startMs, ids)]);
    expect(steps.map(({ name, stepId, runs }) => [name, stepId, runs.length])).toEqual(names.map((name, at) => [name, ids + at + 1, 96]));
    expect(rows.every(({ series }) => series.values.length === 96)).toBe(true);
  });

  it('that came later are in no sum, and have not moved', () => {
    const { rows, otherSteps, usualSteps } = study(
      [
        ...named(['Home', 'Cart'], baseline.endMs - 48 * HOUR_MS),
        ...named(['Home', 'Cart', 'Payment'], period.startMs),
        ...named(['Home', 'Cart', 'Payment'], period.startMs + 50 * HOUR_MS),
      ],
      [LCP, 'loadTime'],
    );
    expect([usualSteps, otherSteps]).toEqual([3, 48]);
    const sum = rows.find(({ step, metric }) => step === undefined && metric === 'loadTime');
    expect(sum?.series.values).toHaveLength(96);
    expect(rows.find(({ step }) => step?.name === 'Payment')).toMatchObject({ state: 'steady', move: undefined });
  });

  it('are chosen by number, id or name, and refused with the list', async () => {
    const { steps } = study(named(['Home', 'Cart', 'Cart overview'], period.startMs, 100));
    for (const [asked, name] of [
      [2, 'Cart'],
      ['103', 'Cart overview'],
      ['cart', 'Cart'],
    ] as const)
      expect((await chooseStep(steps, asked)).name).toBe(name);
    await expect(chooseStep(steps, 'Payment')).rejects.toThrow(
      'step: the scenario has the steps 1 "Home", 2 "Cart", 3 "Cart overview"; "Payment" is not one of them.',
    );
    await expect(chooseStep([], 1)).rejects.toThrow('no run without a failure');
  });
});

describe('windows', () => {
  const nowMs = Date.parse('2026-11-20T10:00:00Z');
  const startDate = '2026-11-13T00:00:00.000Z';

  it.each([
    ['the period and the 30 days before it', 'UTC', startDate, undefined, '2026-10-14T00:00:00Z'],
    ['a calendar month and the one before', 'UTC', '2026-10-01T00:00:00Z', '2026-10-31T23:59:59.999Z', '2026-09-01T00:00:00Z'],
    ['a month of a zone', 'Europe/Madrid', '2026-10-01T00:00:00+02:00', '2026-10-31T23:59:59.999+01:00', '2026-09-01T00:00:00+02:00'],
  ])('are %s', (_, timeZone, from, to, before) => {
    expect(studyWindows({ startDate: from, endDate: to }, nowMs, timeZone)).toEqual({
      period: { startMs: Date.parse(from), endMs: to === undefined ? nowMs : Date.parse(to) },
      baseline: { startMs: Date.parse(before), endMs: Date.parse(from) - 1 },
    });
  });

  it.each([
    [{ startDate, endDate: '2026-11-12T00:00:00Z' }, 'endDate: must be after startDate'],
    [{ startDate, baselineEndDate: '2026-11-14T00:00:00Z' }, 'baselineEndDate: the baseline must end before startDate'],
    [{ startDate, baselineStartDate: '2026-11-13T00:00:00Z' }, 'baselineEndDate: must be after baselineStartDate'],
  ])('that make no comparison are refused: %j', (bounds, words) => {
    expect(() => studyWindows(bounds, nowMs, 'UTC')).toThrow(words);
  });
});
