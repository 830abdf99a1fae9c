import { describe, expect, it } from 'vitest';
import { allPages } from '../../src/api/all-pages.ts';
import { type Assistant, openAssistant, SHOP_NOTE } from '../support/assistant.ts';
import { type PlatformOptions, withPlatform } from '../support/emulator.ts';

const LIMIT = 7;

/** Runs one test with an assistant on a platform of its own. */
async function withAssistant(run: (assistant: Assistant) => Promise<void>, options?: PlatformOptions): Promise<void> {
  await withPlatform(async (platform) => {
    const assistant = await openAssistant(platform);
    try {
      await run(assistant);
    } finally {
      await assistant.close();
    }
  }, options);
}

function idsOf(rows: unknown): number[] {
  return (rows as { jobId: number }[]).map(({ jobId }) => jobId);
}

/** Ids of all jobs, read page by page as the notes of the answers say; nothing else is known of the platform. */
async function followed({ call }: Assistant): Promise<number[]> {
  const ids: number[] = [];
  for (let page: number | undefined; ; ) {
    const { structured } = await call('list_export_jobs', { limit: LIMIT, ...(page !== undefined && { page }) });
    ids.push(...idsOf(structured['jobs']).filter((id) => !ids.includes(id)));
    const note = (structured['notes'] as string[] | undefined)?.find((text) => /^(A full page|\d+ of \d+;)/.test(text));
    if (note === undefined) return ids;
    // The first note names the page to go on with; the pages after it follow in order.
    page = page === undefined ? Number(/page \(?(\d+)/.exec(note)?.[1]) : page + 1;
  }
}

describe.each([0, 1] as const)('where pages begin at %i', (pagesFrom) => {
  it('the notes of full pages lead to every row', { tags: 'nightly' }, async () => {
    await withAssistant(
      async (assistant) => {
        const all = idsOf((await assistant.call('list_export_jobs', { limit: 100 })).structured['jobs']);
        expect(all.length).toBeGreaterThan(3 * LIMIT);
        expect(await followed(assistant)).toEqual(all);
      },
      { deployment: { pagesFrom } },
    );
  });

  it('all pages of a list hold each row once', async () => {
    await withPlatform(
      async ({ ask, token }) => {
        const bearer = await token();
        const runs = await allPages(
          (paging) => ask('listSuccessfulExportRuns', paging, bearer),
          ({ jobRunId }) => jobRunId,
        );
        const onePage = await ask('listSuccessfulExportRuns', { limit: 100, order: 'ASC' }, bearer);
        expect(runs.length).toBeGreaterThan(100);
        expect(runs.slice(-100).map(({ jobRunId }) => jobRunId)).toEqual(onePage.map(({ jobRunId }) => jobRunId).toReversed());
      },
      { deployment: { pagesFrom } },
    );
  });
});

it('a full page of the greatest size does not offer a larger limit, and one with a number names the next', async () => {
  await withAssistant(async ({ call }) => {
    const notesOf = async (args: Record<string, unknown>) => (await call('list_successful_export_runs', args)).structured['notes'];
    expect(await notesOf({ limit: 100 })).toEqual([
      'Left out, to show more runs: projectIds, completionTime, format, scope, frequency (get_export_run shows when one ended).',
      'A full page of 100: there may be more; pass page 1. If page 1 repeats these rows, pages begin at 1: go on with page 2.',
      SHOP_NOTE,
    ]);
    expect(await notesOf({ limit: 5, page: 2 })).toEqual([
      'A full page of 5: there may be more; pass page 3 or a larger limit.',
      SHOP_NOTE,
    ]);
  });
});
