import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { budgetAnswer, checkScenario } from '../../src/speed/budgets.ts';
import type { Report } from '../../src/speed/runs.ts';
import type { Study } from '../../src/speed/scenario-study.ts';
import { levelAnswer, scenarioRuns } from '../../src/speed/scenario-views.ts';
import { times } from '../support/times.ts';
import { answerOf, history, reportOf, studyOf, WINDOWS } from './histories.ts';

const LCP = 'largestContentfulPaint';
const LOST_MS = Date.parse('2026-11-19T10:00:00Z');

/** Five weeks of runs whose values of a metric are others where it is lost. */
function lost(metric: string, value: number | null, isLost: (date: number, run: number) => boolean): Report[] {
  return history(3, { run: 0.04 }).map((report, run) =>
    isLost(report.date, run)
      ? { ...report, steps: (report.steps ?? []).map((step) => ({ ...step, timings: { ...step.timings, [metric]: value } as never })) }
      : report,
  );
}
const sinceDay = (date: number) => date >= LOST_MS;

const inPeriod = (reports: readonly Report[]) => reports.filter(({ date }) => date >= WINDOWS.period.startMs);
const checked = (reports: readonly Report[], budgets?: Parameters<typeof checkScenario>[1]) =>
  checkScenario({ scenarioId: 1, name: 'Home', reports }, budgets);

const answerTo = (study: Study) => answerOf(study, 'Home');

describe.each([
  ['a paint of 0', LCP, 0, 'LCP'],
  ['an absent paint', LCP, null, 'LCP'],
  ['a paint below 0', LCP, -3.15, 'LCP'],
  ['a first byte after 0 ms', 'firstByte', 0, 'TTFB'],
  ['a layout shift below 0', 'cumulativeLayoutShift', -1, 'CLS'],
])('%s', (_, metric, value, short) => {
  const reports = lost(metric, value, sinceDay);

  it('is no change of its level, and is said first: since when and in how many runs', () => {
    const study = studyOf(reports);
    const { answer, findings } = answerTo(study);
    expect(answer).toMatch(
      new RegExp(`^${short} at "Step 1" in "Home" has not been measured since 19 Nov, 10:07 UTC: no value in 24 of 178 runs\\.`),
    );
    expect(answer).not.toMatch(/faster|slower/);
    expect(findings[0]).toMatchObject({
      subject: metric,
      verdict: 'measurement',
      now: null,
      when: { shape: 'step', from: '2026-11-19T10:07Z', ongoing: true },
    });
    for (const { series } of study.rows) expect(Math.min(...series.values)).toBeGreaterThanOrEqual(0);
  });

  it('does not pass a budget', () => {
    for (const budgets of [[{ metric, limit: 9e9 }], undefined]) {
      const { checks } = checked(inPeriod(reports), budgets);
      const own = checks.filter((check) => check.metric === metric);
      expect(own.map(({ status }) => status)).toEqual(budgets || metric !== 'firstByte' ? ['not measured', 'not measured'] : []);
    }
  });
});

it('blocking time and layout shift may be 0', () => {
  const reports = lost('totalBlockingTime', 0, sinceDay);
  expect(studyOf(reports).unmeasured).toEqual([]);
  const { checks } = checked(reports.slice(-20), [{ metric: 'totalBlockingTime', limit: 1 }]);
  expect(checks.map(({ status, runs }) => [status, runs])).toEqual([
    ['passed', 20],
    ['passed', 20],
  ]);
});

it('a load of 0 is in no sum over the steps of a run', () => {
  const reports = times(20, (run) => reportOf(run * HOUR_MS, [{ loadTime: 900 }, { loadTime: run % 4 === 0 ? 0 : 1000 }]));
  const windows = { baseline: { startMs: 0, endMs: HOUR_MS }, period: { startMs: HOUR_MS + 1, endMs: 20 * HOUR_MS } };
  const { rows } = studyOf(reports, ['loadTime'], windows);
  const sum = rows.find(({ step }) => step === undefined);
  expect(sum?.series.values).toEqual(times(15, () => 1900));
});

it.each<[string, (date: number, run: number) => boolean, RegExp]>([
  ['single runs', (_, run) => run % 40 === 0, /^"Home" is steady|^LCP at "Step \d" in "Home" may/],
  ['every third run', (_, run) => run % 3 === 0, /^LCP at "Step 1" in "Home" was not measured in (?:59|60) of 178 runs\./],
  [
    'every second run since an instant',
    (date, run) => date >= WINDOWS.period.startMs + 48 * HOUR_MS && run % 2 === 0,
    /^LCP at "Step 1" in "Home" was not measured in 6\d of 178 runs, more often since 15 Nov, \d\d:\d\d UTC\./,
  ],
  ['any run', () => true, /^LCP at "Step 1" in "Home" was not measured in any of 178 runs\./],
])('%s without a value are told as that', (_, isLost, words) => {
  expect(answerTo(studyOf(lost(LCP, 0, isLost))).answer).toMatch(words);
});

it('a step that never has a metric lacks nothing, and does not pass a budget', () => {
  const reports = lost(LCP, null, () => true);
  expect(studyOf(reports).unmeasured).toEqual([]);
  const { checks } = checked(reports.slice(-20));
  expect(checks.filter(({ metric }) => metric === LCP).map(({ status }) => status)).toEqual(['not measured', 'not measured']);
});

it('levels count the runs of the metric', () => {
  const all = scenarioRuns(1, 'Home', lost(LCP, 0, sinceDay), WINDOWS.period);
  const { answer, rows } = levelAnswer([all], { metrics: [LCP], orderBy: undefined, limit: 9 });
  expect(answer).toMatch(/the median of 154 runs\.$/);
  expect(rows.map((row) => row[4])).toEqual([154, 154]);
});

it('a gate names what is not measured', () => {
  const answer = budgetAnswer([checked(inPeriod(lost(LCP, 0, sinceDay)), [{ metric: LCP, limit: 9000 }])], {
    cursor: undefined,
    list: 1,
    whole: true,
    timeZone: 'UTC',
    year: '2026',
  });
  expect(answer).toMatchObject({ broken: 0, passed: 0, unmeasured: 2 });
  expect(answer.answer).toMatch(
    new RegExp(
      '^2 budgets could not be judged\\. LCP at "Step 1" in "Home" has not been measured since 19 Nov, 10:07 UTC: ' +
        'no value in 24 of 178 runs\\.',
    ),
  );
  expect(answer.findings[0]).toMatchObject({ subject: LCP, verdict: 'measurement', now: null });
});
