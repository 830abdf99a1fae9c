import { describe, expect, it } from 'vitest';
import { speedHandlers } from '../../src/emulator/handlers/speed-analysis.ts';
import { speedStories } from '../../src/emulator/world/speed/runs.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { harOf, median, NOW_MS, num, placeIn, type Report, reportsOf, stepsOf } from './speed-place.ts';

const SEEDS = [1, 2, 3, 4, 5];
const METRICS = ['firstContentfulPaint', 'largestContentfulPaint', 'loadTime', 'totalBlockingTime', 'firstByte'] as const;

function valuesOf(reports: readonly Report[], stepId: number, name: (typeof METRICS)[number]): number[] {
  const steps = reports.flatMap((report) => stepsOf(report).filter((step) => step.stepId === stepId && step.fail === 0));
  return steps.map((step) => num(name === 'loadTime' ? step.loadTime : step.timings?.[name]));
}

describe.each(SEEDS)('speed stories of seed %i', (seed) => {
  const place = placeIn(seed);
  const { slowTag, noisy, failing } = speedStories({ seed, startMs: NOW_MS });

  it('slows one step from the event of the tag on, and no other', async () => {
    const reports = await reportsOf(place, { scenarioId: slowTag.scenarioId, limit: 0 });
    const [before, after] = [
      reports.filter((report) => report.date < slowTag.dateMs),
      reports.filter((report) => report.date >= slowTag.dateMs),
    ];
    const ratio = (stepId: number, name: (typeof METRICS)[number]): number =>
      median(valuesOf(after, stepId, name)) / median(valuesOf(before, stepId, name));

    for (const name of slowTag.metrics) {
      const tolerance = name === 'totalBlockingTime' ? 0.15 : 0.05;
      expect(Math.abs(ratio(slowTag.stepId, name) / slowTag.factor - 1)).toBeLessThan(tolerance);
    }
    expect(Math.abs(ratio(slowTag.stepId, 'firstContentfulPaint') / slowTag.factor - 1)).toBeLessThan(0.05);
    expect(Math.abs(ratio(slowTag.stepId, 'firstByte') - 1)).toBeLessThan(0.05);
    const others = stepsOf(reports[0]).filter((step) => step.stepId !== slowTag.stepId);
    for (const { stepId } of others) expect(Math.abs(ratio(num(Number(stepId)), 'largestContentfulPaint') - 1)).toBeLessThan(0.05);
    expect(slowTag.factor).toBeGreaterThanOrEqual(1.35);
    expect(slowTag.factor).toBeLessThanOrEqual(1.7);
    const daysBack = Math.floor(NOW_MS / DAY_MS) - Math.floor(slowTag.dateMs / DAY_MS);
    expect(daysBack).toBeGreaterThanOrEqual(6);
    expect(daysBack).toBeLessThanOrEqual(14);
  });

  it('names the tag in an event, and shows it in the HAR from then on', async () => {
    const { events } = await speedHandlers.listSpeedEvents({ scenarioId: slowTag.scenarioId, key: slowTag.eventKey }, place);
    expect(events.map(({ date }) => Date.parse(String(date)))).toEqual([slowTag.dateMs]);

    const reports = await reportsOf(place, { scenarioId: slowTag.scenarioId, limit: 0, error: false });
    const entriesOf = async (report: Report | undefined) => {
      const found = await Promise.all(
        stepsOf(report).map(async (step) => {
          const { log } = await harOf(place, step);
          return log.entries
            .filter((entry) => new URL(entry.request.url).host === slowTag.host)
            .map((entry) => ({ entry, stepId: step.stepId }));
        }),
      );
      return found.flat();
    };
    const last = await entriesOf(reports.find((report) => report.date < slowTag.dateMs));
    const first = await entriesOf(reports.findLast((report) => report.date >= slowTag.dateMs));
    expect(last).toEqual([]);
    expect(first.length).toBeGreaterThan(3);
    expect(first.every(({ stepId }) => stepId === slowTag.stepId)).toBe(true);
    expect(first.filter(({ entry: { _renderBlocking: blocking } }) => blocking === 'blocking').length).toBeGreaterThan(0);
  });

  it('keeps the level of the noisy scenario', async () => {
    // Four standard errors of the median of a week whose runs resemble each other by 0.4.
    const tolerance = (4 * 1.25 * noisy.sigma) / Math.sqrt(168 * (0.6 / 1.4));
    const reports = await reportsOf(place, { scenarioId: noisy.scenarioId, limit: 0 });
    const weeks = [0, 7, 14, 28].map((days) =>
      reports.filter(({ date }) => date < NOW_MS - days * DAY_MS && date >= NOW_MS - (days + 7) * DAY_MS),
    );
    for (const { stepId } of stepsOf(reports[0])) {
      const values = valuesOf(reports, Number(stepId), 'largestContentfulPaint').toSorted((a, b) => a - b);
      const quartiles = [0.25, 0.75].map((share) => num(values[Math.floor(values.length * share)]));
      expect(num(quartiles[1]) / num(quartiles[0])).toBeGreaterThan(1.35);
      for (const week of weeks) {
        expect(Math.abs(median(valuesOf(week, Number(stepId), 'largestContentfulPaint')) / median(values) - 1)).toBeLessThan(tolerance);
      }
    }
  });

  it('ends about one run in eight of the failing scenario at its action', async () => {
    const reports = await reportsOf(place, { scenarioId: failing.scenarioId, limit: 0, error: true });
    const all = await reportsOf(place, { scenarioId: failing.scenarioId, limit: 0 });
    const atStep = reports.filter((report) => stepsOf(report).at(-1)?.stepId === failing.stepId);
    expect(atStep.length / all.length).toBeGreaterThan(0.09);
    expect(atStep.length / all.length).toBeLessThan(0.16);
    expect(reports.every((report) => report.summary?.fail === 1)).toBe(true);
    expect(stepsOf(atStep[0]).length).toBeLessThan(stepsOf(all.find((report) => report.summary?.fail === 0)).length);

    const broken = stepsOf(atStep[0]).at(-1);
    const { step } = await speedHandlers.getStepReport({ stepId: String(broken?.stepResultId) }, place);
    expect(broken?.fail).toBe(1);
    expect(step.nextStepId).toBe('');
    const failed = step.actionsResult?.find((action) => action.status === 'failure');
    expect(failed?.message).toBe(`${failing.action}: not possible within 10 s`);
  });
});

describe('speed stories', () => {
  it('take three scenarios and differ from seed to seed', () => {
    const all = SEEDS.map((seed) => speedStories({ seed, startMs: NOW_MS }));
    for (const { slowTag, noisy, failing } of all) {
      expect(new Set([slowTag.scenarioId, noisy.scenarioId, failing.scenarioId]).size).toBe(3);
    }
    for (const fact of ['stepId', 'dateMs', 'host', 'factor'] as const) {
      expect(new Set(all.map(({ slowTag }) => slowTag[fact])).size).toBeGreaterThan(1);
    }
    expect(new Set(all.map(({ failing }) => failing.stepId + failing.action)).size).toBeGreaterThan(1);
    expect(new Set(all.map(({ noisy }) => noisy.scenarioId)).size).toBeGreaterThan(1);
  });

  it('move with the clock at start', () => {
    const [today, later] = [NOW_MS, NOW_MS + 10 * DAY_MS].map((startMs) => speedStories({ seed: 1, startMs }));
    expect(num(later?.slowTag.dateMs) - num(today?.slowTag.dateMs)).toBe(10 * DAY_MS);
  });
});
