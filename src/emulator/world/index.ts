import { dayText } from '../../lib/clock.ts';
import { type Project, shop } from '../credentials.ts';
import { createEnrichments } from './exports/enrichments.ts';
import { createAddresses, createFiles } from './exports/files.ts';
import { DAILY_JOB_NAME, type ExportJob, incidentsOf, type JobDraft, missingDay, seededJobs } from './exports/schedule.ts';
import type { Origin } from './random.ts';
import { createSessions, type SessionWorld } from './sessions/index.ts';
import { metricStories } from './sessions/stories.ts';
import { type Account, accountOf, type Size } from './size.ts';
import { type SpeedEvent, seededEvents } from './speed/events.ts';
import { type PagePlan, planPage } from './speed/page-plan.ts';
import { type SpeedModel, speedStories } from './speed/runs.ts';

/** Makes the exports that go with these sessions; nothing is computed before it is asked for. */
function createExports(origin: Origin, sessions: SessionWorld, account: Account) {
  let known: ExportJob[] | undefined;
  const all = () => (known ??= [...seededJobs(origin), ...account.jobs]);
  return {
    /** Jobs of the project that exist at `nowMs`, oldest first. */
    jobs: (project: Project, nowMs: number) => all().filter(({ projectId, createdMs }) => projectId === project.id && createdMs <= nowMs),
    /** Keeps a new job and gives it the next id. */
    add(draft: JobDraft): ExportJob {
      const job = { ...draft, jobId: (all().at(-1)?.jobId ?? 0) + 1 };
      all().push(job);
      return job;
    },
    files: createFiles(origin, sessions),
    addresses: createAddresses(origin),
    enrichments: createEnrichments(sessions),
  };
}

/** Makes the speed data of a world; nothing is computed before it is asked for. */
function createSpeed(origin: Origin) {
  const stories = speedStories(origin);
  const plans = new Map<number, PagePlan>();
  const events = new Map<number, Map<string, SpeedEvent>>();
  const model: SpeedModel = {
    origin,
    stories,
    planOf(scenario, step) {
      const plan = plans.get(step.id) ?? planPage(origin.seed, scenario, step);
      plans.set(step.id, plan);
      return plan;
    },
  };
  return {
    ...model,
    /** Events of a project by key, the seeded ones at first. */
    eventsOf(projectId: number): Map<string, SpeedEvent> {
      const ofProject = events.get(projectId) ?? seededEvents(origin, stories, projectId);
      events.set(projectId, ofProject);
      return ofProject;
    },
  };
}

/** The whole emulated platform's data; what clients create lives in it too, so each emulator has its own. */
export type World = ReturnType<typeof createWorld>;

/** Makes the world at no cost: its data are computed when they are asked for; `size` makes its lists long. */
export function createWorld(origin: Origin, size?: Size) {
  const sessions = createSessions(origin);
  const account = accountOf(origin, size);
  return { origin, sessions, account, speed: createSpeed(origin), exports: createExports(origin, sessions, account) };
}

/** The stories planted in the data of one seed and start, for tests that look for them. */
export type Stories = ReturnType<typeof storiesOf>;

/** The stories planted in the data of an origin. */
export function storiesOf(origin: Origin) {
  const day = dayText(missingDay(origin));
  return {
    ...metricStories(origin),
    ...speedStories(origin),
    /** The one day of a daily export whose run failed, a UTC date. */
    missingExport: { projectId: shop.id, jobName: DAILY_JOB_NAME, day },
    /** All that went wrong with single runs of the shop's recurring exports, the failed day included, by the name of the job. */
    exportIncidents: incidentsOf(origin),
  };
}
