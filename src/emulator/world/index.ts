import { shop } from '../projects.ts';
import { createExports, type ExportWorld } from './exports/index.ts';
import type { Mishap } from './exports/schedule.ts';
import { DAILY_JOB_NAME, mishapsOf, missingDay } from './exports/seeded-jobs.ts';
import type { Origin } from './origin.ts';
import { createSessions, DAY_MS, type SessionWorld } from './sessions/index.ts';
import { type MetricStories, metricStories } from './sessions/stories.ts';
import { createSpeed, type SpeedWorld } from './speed/index.ts';
import { type SpeedStories, speedStories } from './speed/stories.ts';

/** The whole emulated platform's data; what clients create lives in it too, so each emulator has its own. */
export interface World {
  readonly origin: Origin;
  readonly sessions: SessionWorld;
  readonly speed: SpeedWorld;
  readonly exports: ExportWorld;
}

/** Makes the world at no cost: its data are computed when they are asked for. */
export function createWorld(origin: Origin): World {
  const sessions = createSessions(origin);
  return { origin, sessions, speed: createSpeed(origin), exports: createExports(origin, sessions) };
}

/** What was placed in the data of one seed and start, for tests that look whether it is found. */
export interface Stories extends MetricStories, SpeedStories {
  /** The one day of a daily export whose run failed, a UTC date. */
  readonly missingExport: { readonly projectId: number; readonly jobName: string; readonly day: string };
  /** All that went wrong with single runs of the shop's recurring exports, the failed day included, by the name of the job. */
  readonly exportMishaps: Readonly<Record<string, readonly Mishap[]>>;
}

export function storiesOf(origin: Origin): Stories {
  const day = new Date(missingDay(origin) * DAY_MS).toISOString().slice(0, 10);
  return {
    ...metricStories(origin),
    ...speedStories(origin),
    missingExport: { projectId: shop.id, jobName: DAILY_JOB_NAME, day },
    exportMishaps: mishapsOf(origin),
  };
}
