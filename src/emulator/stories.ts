import { shop } from './projects.ts';
import type { Mishap } from './world/exports/job.ts';
import { DAILY_JOB_NAME, mishapsOf, missingDay } from './world/exports/seeded-jobs.ts';
import type { Origin } from './world/origin.ts';
import { DAY_MS } from './world/sessions/index.ts';
import { type MetricStories, metricStories } from './world/sessions/stories.ts';
import { type SpeedStories, speedStories } from './world/speed/stories.ts';

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
