import { describe, expect, it } from 'vitest';
import { createReadCache } from '../../../src/api/read-cache.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { skippingClock } from '../../support/stub-platform.ts';
import { useTools, whole, withTools } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists the runs that produced files, with the range of each', async () => {
  const answer = await call('list_successful_export_runs', { limit: 3 });
  expect(answer.structured['runs']).toEqual(await ask('listSuccessfulExportRuns', { limit: 3 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('gives a page of 25, or as many as are named', async () => {
  const [usual, all] = [await call('list_successful_export_runs'), await call('list_successful_export_runs', { limit: 100 })];
  expect(usual.structured['runs']).toHaveLength(25);
  expect(usual.structured['notes']).toEqual([expect.stringContaining('A full page of 25: there may be more'), SHOP_NOTE]);
  expect(all.structured['runs']).toHaveLength(100);
});

describe('a selection', () => {
  const runsOf = async (args: Record<string, unknown>) =>
    (await call('list_successful_export_runs', { limit: 100, ...args })).structured['runs'] as Run[];
  const everyRun = async () => {
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => ask('listSuccessfulExportRuns', { limit: 100, page })));
    return [...new Map(pages.flat().map((run) => [run.jobRunId, run])).values()];
  };
  interface Run {
    readonly jobId: number;
    readonly jobRunId: number;
    readonly from: string;
    readonly to: string;
    readonly completionTime: string;
  }

  it('holds the files that are deleted before a date, those that go first first, in one call', async () => {
    const nowMs = platform().clock.now();
    const dayAfter = Date.parse('2026-11-22T00:00:00Z');
    const going = (await everyRun()).filter(({ completionTime }) => {
      const goneMs = Date.parse(completionTime ?? '') + 7 * DAY_MS;
      return goneMs > nowMs && goneMs < dayAfter;
    });
    expect(going.length).toBeGreaterThan(5);
    const runs = await runsOf({ expiresBefore: '2026-11-22' });
    expect(new Set(runs.map(({ jobRunId }) => jobRunId))).toEqual(new Set(going.map(({ jobRunId }) => jobRunId)));
    expect(runs.map(({ completionTime }) => completionTime)).toEqual(runs.map(({ completionTime }) => completionTime).toSorted());
    const saidOf = async (args: Record<string, unknown>) => String((await call('list_successful_export_runs', args)).structured['answer']);
    const of = `${going.length} runs lose their files before 2026-11-22T00:00Z: `;
    expect(await saidOf({ expiresBefore: '2026-11-22', limit: 5 })).toMatch(new RegExp(`^${of}.*, not yet: ${going.length}\\.$`));
    expect(await saidOf({ expiresBefore: '2026-11-22', jobIds: ['Daily sessions'] })).toMatch(/^1 run loses its files before /);
    expect(await saidOf({ expiresBefore: 'now' })).toMatch(/^No run loses its files before 2026-11-20T/);
  });

  it('is of the jobs and days that are named', async () => {
    const runs = await runsOf({ jobIds: ['Daily sessions'], startDate: '2026-11-10', endDate: '2026-11-12' });
    const [{ jobId } = { jobId: 0 }] = runs;
    const fits = ({ from, to }: { from?: string | null | undefined; to?: string | null | undefined }) =>
      Date.parse(to ?? '') > Date.parse('2026-11-10T00:00Z') && Date.parse(from ?? '') < Date.parse('2026-11-13T00:00Z');
    const expected = (await everyRun()).filter((run) => run.jobId === jobId && fits(run));
    expect(new Set(runs.map(({ jobRunId }) => jobRunId))).toEqual(new Set(expected.map(({ jobRunId }) => jobRunId)));
    expect(runs.length).toBeGreaterThan(0);
  });

  it('comes in pages, and says how many there are', async () => {
    const args = { jobIds: ['Daily sessions'], limit: 2 };
    const [first, second] = [
      await call('list_successful_export_runs', args),
      await call('list_successful_export_runs', { ...args, page: 2 }),
    ];
    const ids = [first, second].flatMap(({ structured }) => (structured['runs'] as Run[]).map(({ jobRunId }) => jobRunId));
    expect(new Set(ids).size).toBe(4);
    expect(first.structured).toMatchObject({ total: expect.any(Number), nextPage: 2 });
    const pages = first.text.match(/pass page.*/g);
    expect(pages).toEqual(['pass page 2 or a larger limit.']);
    const { structured, text } = await call('list_successful_export_runs', { ...args, limit: 100 });
    expect(structured).not.toHaveProperty('nextPage');
    expect(text).not.toContain('pass page');
  });
});

it('turns pages without asking again, though reading the first took longer than lists are kept', async () => {
  const clock = skippingClock();
  const paths = await withTools(
    async (assistant, { requests }) => {
      const page = async (more: object) => {
        const before = requests.length;
        await assistant.call('list_successful_export_runs', { startDate: '2026-11-17', limit: 2, ...more });
        clock.jump(30_000);
        return requests.slice(before).map(({ operation }) => operation);
      };
      return [await page({}), await page({ page: 2 }), await page({})];
    },
    { reads: createReadCache({ clock }) },
  );
  const [first = [], second, again] = paths;
  expect(first).toContain('listSuccessfulExportRuns');
  expect(second).toEqual([]);
  expect(again).toContain('listSuccessfulExportRuns');
});

it('says which of the runs that expire are in the workspace already', async () => {
  const fetched = await call('download_export_run', { jobId: 'Daily sessions' });
  expect(fetched.isError).toBe(false);
  const { structured, text } = await call('list_successful_export_runs', { jobIds: ['Daily sessions'], expiresBefore: '2026-12-20' });
  const untils = structured['filesUntil'] as { jobRunId: number; isFetched: boolean }[];
  const here = untils.filter(({ isFetched }) => isFetched).map(({ jobRunId }) => jobRunId);
  expect(here).toEqual([fetched.structured['runId']]);
  expect(text).toContain(`1 of these ${untils.length} runs are in the workspace already; sync_exports fetches the others.`);
});
