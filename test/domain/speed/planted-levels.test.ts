import { describe, expect, it } from 'vitest';
import { isFailed, metricOf, type Report, studyWindows } from '../../../src/domain/speed/runs.ts';
import { studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import { createWorld } from '../../../src/emulator/world/index.ts';
import { reportEntry } from '../../../src/emulator/world/speed/reports.ts';
import { runsBackwards } from '../../../src/emulator/world/speed/runs.ts';
import { scenariosOf } from '../../../src/emulator/world/speed/scenarios.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { median } from '../../../src/statistics/order.ts';
import { someOf } from '../../support/sample-size.ts';

const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
const MIDNIGHT_MS = Math.floor(NOW_MS / DAY_MS) * DAY_MS;

/** The scenario with the planted slow-down of a seed, as the platform reports it. */
function planted(seed: number) {
  const { model } = createWorld({ seed, startMs: NOW_MS }).speed;
  const { slowTag } = model.stories;
  const scenario = scenariosOf(slowTag.projectId).find(({ id }) => id === slowTag.scenarioId);
  if (!scenario) throw new Error(`Seed ${seed} planted its slow-down in no scenario.`);
  return { slowTag, reports: [...runsBackwards(model, scenario, NOW_MS, {})].map((run): Report => reportEntry(model, run)) };
}

/** Medians of all runs without failure on each side of an instant, taken from the reports themselves. */
function trueLevels(reports: readonly Report[], { stepName, metric, dateMs }: { stepName: string; metric: string; dateMs: number }) {
  const sound = reports.filter((report) => !isFailed(report));
  const levelOf = (some: readonly Report[]) =>
    median(some.flatMap(({ steps }) => steps?.flatMap((step) => (step.name === stepName ? (metricOf(step, metric) ?? []) : [])) ?? []));
  return [levelOf(sound.filter(({ date }) => date < dateMs)), levelOf(sound.filter(({ date }) => date >= dateMs))] as const;
}

describe.each(someOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 1))('the planted slow-down of seed %i', (seed) => {
  const { slowTag, reports } = planted(seed);

  it.each([7, 28])('asked for the last %i days has its levels before and since within 3 of 100 of the true medians', (days) => {
    const windows = studyWindows({ startDate: new Date(MIDNIGHT_MS - days * DAY_MS).toISOString() }, NOW_MS, 'UTC');
    const inWindows = reports.filter(({ date }) => date >= windows.baseline.startMs);
    const { rows } = studyScenario(inWindows, { ...windows, metrics: undefined, timeZone: 'UTC' });
    for (const metric of slowTag.metrics) {
      const row = rows.find((each) => each.step?.name === slowTag.stepName && each.metric === metric);
      expect(row?.state).toBe('slower');
      const [before, since] = trueLevels(inWindows, { ...slowTag, metric });
      expect(Math.abs((row?.move?.before.typical ?? 0) / before - 1)).toBeLessThan(0.03);
      expect(Math.abs((row?.move?.after.typical ?? 0) / since - 1)).toBeLessThan(0.03);
    }
  });
});
