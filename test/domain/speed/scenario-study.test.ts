import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cluesIn } from '../../../src/domain/speed/clues.ts';
import { chooseStep, type Report, studyWindows } from '../../../src/domain/speed/runs.ts';
import { scenarioAnswer } from '../../../src/domain/speed/scenario-answer.ts';
import { studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { history, lcpReports, reportOf, WINDOWS } from './histories.ts';

const LCP = 'largestContentfulPaint';
const { baseline, period } = WINDOWS;
const NOISE = { emulated: true, run: 0.1 } as const;
const CHANGE = { fromMs: period.startMs, factor: 1.3 };

const study = (reports: readonly Report[], metrics: readonly string[] = [LCP]) => studyScenario(reports, { ...WINDOWS, metrics });

function answerTo(reports: readonly Report[]) {
  const found = study(reports);
  return scenarioAnswer(found, cluesIn(found), { events: [], failures: [] }, { name: 'Home – mobile', whole: false });
}

/** What is said of the first row. */
function firstRow(reports: readonly Report[]) {
  const [row] = study(reports).rows;
  return row && { verdict: row.verdict, p: row.p, before: row.comparison.before, after: row.comparison.after };
}

function mapLcp(reports: readonly Report[], change: (value: number, date: number) => number): Report[] {
  return reports.map((report) => ({
    ...report,
    steps: report.steps?.map((step) => ({ ...step, timings: { [LCP]: change(step.timings?.[LCP] ?? 0, report.date) } as never })),
  }));
}

describe('properties', () => {
  it('multiplying all values leaves what is relative', () => {
    const reports = history(3, NOISE, CHANGE);
    const [plain] = study(reports).rows;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (factor) => {
        const [row] = study(mapLcp(reports, (value) => value * factor)).rows;
        expect(row?.comparison.relative).toBeCloseTo(plain?.comparison.relative ?? 0, 9);
        expect(row?.p).toBe(plain?.p);
        expect(row?.verdict).toBe(plain?.verdict);
      }),
      { numRuns: 10 },
    );
  });

  it('the order of the reports says nothing', () => {
    const reports = history(4, NOISE, CHANGE);
    const plain = firstRow(reports);
    fc.assert(
      fc.property(fc.shuffledSubarray(reports, { minLength: reports.length }), (shuffled) => {
        expect(firstRow(shuffled)).toEqual(plain);
      }),
      { numRuns: 5 },
    );
  });

  it('exchanging the runs of a day changes nothing', () => {
    const values = history(5, NOISE, CHANGE).map(({ steps }) => steps?.[0]?.timings?.[LCP] ?? 0);
    const days = Array.from({ length: 38 }, (_, day) => values.slice(24 * day, 24 * day + 24));
    const plain = firstRow(lcpReports(values, baseline.startMs));
    expect(plain?.verdict).toBe('slower');
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const exchanged = days.flatMap((day) =>
          day
            .map((value) => ({ value, key: numbers.next().value ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
            .map(({ value }) => value),
        );
        expect(firstRow(lcpReports(exchanged, baseline.startMs))).toEqual(plain);
      }),
      { numRuns: 10 },
    );
  });

  it('raising the values of the period never makes it faster', () => {
    const order = ['faster', 'within noise', 'slower'];
    for (let seed = 0; seed < 8; seed += 1) {
      const reports = history(seed, { run: 0.12 });
      const places = [0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.5, 2].map((factor) =>
        order.indexOf(firstRow(mapLcp(reports, (value, date) => (date >= period.startMs ? value * factor : value)))?.verdict ?? ''),
      );
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect([places[0], places.at(-1)]).toEqual([0, 2]);
    }
  });
});

describe('too little to say', () => {
  const before = (count: number) => Array.from({ length: count }, (_, index) => 2000 + index);
  it.each([
    [0, 0],
    [0, 5],
    [5, 0],
    [1, 200],
    [2, 200],
    [200, 2],
    [3, 3],
  ])('%i runs against %i are not enough data', (first, second) => {
    const reports = [...lcpReports(before(first), baseline.endMs - 300 * HOUR_MS), ...lcpReports(before(second), period.startMs)];
    expect(study(reports).verdict).toBe('not enough data');
    expect(answerTo(reports).answer).toBe(
      `Not enough data: ${Math.min(second, 179)} runs without failure in the period, ${first} in the baseline.`,
    );
  });

  it('no report at all gives an answer too', () => {
    expect(answerTo([])).toMatchObject({ verdict: 'not enough data', rows: [], baseline: { runs: 0, failurePercent: null } });
  });

  it('five runs on each side that do not overlap are enough', () => {
    const reports = [
      ...lcpReports([2000, 2010, 1990, 2005, 1995], baseline.endMs - 10 * HOUR_MS),
      ...lcpReports([3000, 3010, 2990, 3005, 2995], period.startMs),
    ];
    expect(study(reports).verdict).toBe('slower');
  });

  it('failed runs count for nothing, and only failed runs leave nothing', () => {
    const failed = [baseline.startMs, period.startMs].flatMap((fromMs) =>
      Array.from({ length: 50 }, (_, index) => reportOf(fromMs + index * HOUR_MS, [{ [LCP]: 9000 }], { failedAt: 0 })),
    );
    expect(answerTo(failed)).toMatchObject({ verdict: 'not enough data', period: { runs: 50, failed: 50, failurePercent: 100 } });
    const sound = history(7, NOISE);
    expect(firstRow([...sound, ...failed.map((report) => ({ ...report, date: report.date + 60_000 }))])).toEqual(firstRow(sound));
  });

  it('values that are missing are left out, and a metric without any has no row', () => {
    const values = Array.from({ length: 37 * 24 }, (_, index) => (index % 3 === 0 ? null : 2000 + (index % 7)));
    const [row] = study(lcpReports(values, baseline.startMs)).rows;
    expect(row?.comparison.before?.n).toBe(480);
    expect(row?.comparison.before?.min).toBe(2000);
    expect(study(lcpReports(values, baseline.startMs), [LCP, 'speedIndex']).rows).toHaveLength(1);
  });

  it('equal values are noise, whatever their number', () => {
    const equal = lcpReports(
      Array.from({ length: 37 * 24 }, () => 70),
      baseline.startMs,
    );
    expect(firstRow(equal)).toMatchObject({ verdict: 'within noise', p: 1 });
  });

  it('a change that nobody would feel is noise, however certain', () => {
    const step = (level: number) => Array.from({ length: 160 }, (_, index) => level + (index % 3));
    const reports = [...lcpReports(step(2000), period.startMs - 160 * HOUR_MS), ...lcpReports(step(2030), period.startMs)];
    const [row] = study(reports).rows;
    expect(row?.comparison.p).toBeLessThan(0.001);
    expect(row?.verdict).toBe('within noise');
  });
});

describe('steps', () => {
  const named = (names: readonly string[], fromMs: number, ids = 0) =>
    Array.from({ length: 48 }, (_, index) => {
      const report = reportOf(
        fromMs + index * HOUR_MS,
        names.map((_name, place) => ({ [LCP]: 1000 * (place + 1) + (index % 5), loadTime: 100 })),
        { names },
      );
      return { ...report, steps: report.steps?.map((step) => ({ ...step, stepId: Number(step.stepId) + ids })) };
    });

  it('that were renamed stay the same, under the new name', () => {
    const { steps, rows } = study([...named(['Home', 'Cart'], baseline.endMs - 48 * HOUR_MS), ...named(['Start', 'Cart'], period.startMs)]);
    expect(steps.map(({ name, runs }) => [name, runs.length])).toEqual([
      ['Start', 96],
      ['Cart', 96],
    ]);
    expect(rows.every(({ comparison }) => comparison.before?.n === 48 && comparison.after?.n === 48)).toBe(true);
  });

  it('that were made anew under the same name stay the same, under the new id', () => {
    const { steps } = study([...named(['Home', 'Cart'], baseline.endMs - 48 * HOUR_MS), ...named(['Home', 'Cart'], period.startMs, 70)]);
    expect(steps.map(({ name, stepId, runs }) => [name, stepId, runs.length])).toEqual([
      ['Home', 71, 96],
      ['Cart', 72, 96],
    ]);
  });

  it('that came later are in no sum, and are compared with nothing', () => {
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
    expect(sum).toMatchObject({ verdict: 'not enough data', comparison: { before: null } });
    expect(rows.find(({ step }) => step?.name === 'Payment')?.verdict).toBe('not enough data');
  });

  it('are chosen by number, id or name, and refused with the list', async () => {
    const { steps } = study(named(['Home', 'Cart', 'Cart overview'], period.startMs, 100));
    expect((await chooseStep(steps, 2)).name).toBe('Cart');
    expect((await chooseStep(steps, '103')).name).toBe('Cart overview');
    expect((await chooseStep(steps, 'cart')).name).toBe('Cart');
    await expect(chooseStep(steps, 'Payment')).rejects.toThrow(
      'step: the scenario has the steps 1 "Home", 2 "Cart", 3 "Cart overview"; "Payment" is not one of them.',
    );
    await expect(chooseStep(steps, 9)).rejects.toThrow('"9" is not one of them');
  });
});

describe('windows', () => {
  const nowMs = Date.parse('2026-11-20T10:00:00Z');
  const startDate = '2026-11-13T00:00:00.000Z';

  it('are the period and the 30 days before it', () => {
    expect(studyWindows({ startDate }, nowMs)).toEqual({
      period: { startMs: Date.parse(startDate), endMs: nowMs },
      baseline: { startMs: Date.parse('2026-10-14T00:00:00Z'), endMs: Date.parse(startDate) - 1 },
    });
  });

  it.each([
    [{ startDate, endDate: '2026-11-12T00:00:00Z' }, 'endDate: must be after startDate'],
    [{ startDate, baselineEndDate: '2026-11-14T00:00:00Z' }, 'baselineEndDate: the baseline must end before startDate'],
    [{ startDate, baselineStartDate: '2026-11-13T00:00:00Z' }, 'baselineEndDate: must be after baselineStartDate'],
  ])('that make no comparison are refused: %j', (bounds, words) => {
    expect(() => studyWindows(bounds, nowMs)).toThrow(words);
  });
});
