import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ApiError } from '../api/errors.ts';
import type { InputOf } from '../api/operation.ts';
import { createExportJob } from '../api/operations/data-export.ts';
import { recordId } from '../api/operations/records.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { makeDirectory, messageOf, namesIn, readJson, statOf, writeDurably } from './store/disk.ts';
import { waitForLock } from './store/lock.ts';

/** How long a plan can be applied; the data that it was checked against change. */
const PLAN_LIFE_MS = 7 * DAY_MS;
/** How long a plan is kept for what it says about its jobs: the interface shows neither range nor segment of a job. */
const KEPT_MS = 92 * DAY_MS;
/** How long a call waits for another one that applies the same plan. */
const HOLD_WAIT_MS = 5_000;
const HELD = 'Another call is applying this plan. Wait until it is done, then call again: what exists by then is not created twice.';

const instant = z.iso.datetime();

/** One job of a plan and how far its creation is. */
const planPart = z.object({
  body: createExportJob.input,
  /** The latest instant at which the request may have been sent. */
  sentAt: instant.optional(),
  /** Ids of the equal jobs that existed before it was sent. */
  before: z.array(recordId).optional(),
  jobId: recordId.optional(),
});
/** One job of a plan, with its state. */
export type PlanPart = z.output<typeof planPart>;

const exportPlan = z.object({
  version: z.literal(1),
  planId: z.string(),
  projectId: z.number(),
  createdAt: instant,
  /** The job whose gaps it fills. */
  fills: recordId.optional(),
  /** Made for a question that waits for its files: they are fetched as soon as they are there. */
  fetches: z.literal(true).optional(),
  parts: z.array(planPart).min(1),
  /** Equal jobs that existed before the plan. */
  known: z.array(recordId),
});
/** A plan of export jobs as the disk keeps it. */
export type ExportPlan = z.output<typeof exportPlan>;

/** The content of a new plan. */
interface PlanDraft extends Pick<ExportPlan, 'fills' | 'fetches'> {
  readonly bodies: readonly InputOf<typeof createExportJob>[];
  readonly known: readonly (number | string)[];
  readonly nowMs: number;
}

const PLAN_ID = /^plan-[a-z0-9]{10}$/;
const newPlanId = () => `plan-${randomBytes(5).toString('hex')}`;

/** The end of a plan's life, ms since 1970. */
export function expiresMs({ createdAt }: ExportPlan): number {
  return Date.parse(createdAt) + PLAN_LIFE_MS;
}

/**
 * Opens the export plans of a project below a directory, which is made when the first one is kept: one file each, found again by every
 * process on the same directory. `waitMs` is another wait for `hold`, for tests.
 */
export function openPlans(directory: string, projectId: number, waitMs = HOLD_WAIT_MS) {
  const fileOf = (planId: string) => join(directory, `${planId}.json`);

  /** Undefined where there is none of that id. */
  async function read(planId: string): Promise<ExportPlan | undefined> {
    if (!PLAN_ID.test(planId)) return undefined;
    const plan = await readJson(fileOf(planId), exportPlan);
    return plan?.planId === planId && plan.projectId === projectId ? plan : undefined;
  }

  /** Writes the plan whole or not at all. */
  async function save(plan: ExportPlan): Promise<void> {
    try {
      await makeDirectory(directory);
      await writeDurably(fileOf(plan.planId), JSON.stringify(plan));
    } catch (error) {
      throw new ApiError('settings', `The plan cannot be kept. ${messageOf(error)}`, { cause: error });
    }
  }

  /** Removes plans that are too old to be of use, and files that a killed process left. */
  async function sweep(): Promise<void> {
    for (const name of await namesIn(directory)) {
      const path = join(directory, name);
      const file = await statOf(path);
      if (file && Date.now() - file.mtimeMs > (name.endsWith('.tmp') ? DAY_MS : KEPT_MS))
        await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }

  async function all(): Promise<ExportPlan[]> {
    const plans = await Promise.all((await namesIn(directory)).map((name) => read(name.replace(/\.json$/, ''))));
    return plans.filter((plan) => plan !== undefined);
  }

  return {
    /** Keeps a new plan and gives it its id. */
    async add({ bodies, known, nowMs, ...purpose }: PlanDraft): Promise<ExportPlan> {
      await sweep();
      // A question that is asked again gets the plan that it was answered with.
      const again = purpose.fetches && (await all()).find((plan) => isUntouched(plan, { bodies, known, nowMs }));
      if (again) return again;
      const createdAt = isoTime(nowMs);
      const parts = bodies.map((body) => ({ body }));
      const plan: ExportPlan = { version: 1, planId: newPlanId(), projectId, createdAt, ...purpose, parts, known: [...known] };
      await save(plan);
      return plan;
    },
    read,
    save,
    all,
    /** Runs a task under the lock of a plan; throws a `busy` error where another process holds it too long. */
    async hold<T>(planId: string, run: () => Promise<T>): Promise<T> {
      const path = join(directory, `${planId}.lock`);
      await makeDirectory(path);
      const lock = await waitForLock(path, 'write', waitMs);
      if (!('release' in lock)) throw new ApiError('busy', HELD);
      try {
        return await run();
      } finally {
        await lock.release();
      }
    },
  };
}

/** The export plans of one project. */
export type PlanStore = ReturnType<typeof openPlans>;

/** Whether a plan for a question is just this one, of which nothing was sent and which can still be applied. */
function isUntouched(plan: ExportPlan, { bodies, known, nowMs }: Pick<PlanDraft, 'bodies' | 'known' | 'nowMs'>): boolean {
  const { fetches, parts } = plan;
  const isOpen = fetches === true && expiresMs(plan) > nowMs && parts.every(({ jobId, sentAt }) => jobId === undefined && !sentAt);
  const own = parts.map(({ body }) => body);
  // Read as a file is, so that members stand in the same order.
  const asked = bodies.map((body) => createExportJob.input.parse(body));
  return isOpen && JSON.stringify([own, plan.known]) === JSON.stringify([asked, known]);
}

/** The request that made a job, as far as these plans did. */
export function requestOf(jobId: number | string, plans: readonly ExportPlan[]): PlanPart['body'] | undefined {
  return plans.flatMap(({ parts }) => parts).find((part) => String(part.jobId) === String(jobId))?.body;
}
