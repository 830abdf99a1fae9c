import { expect, it } from 'vitest';
import { allPages } from '../../src/api/all-pages.ts';
import { SHOP_NOTE, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform, withPlatform } from '../support/emulator.ts';

const assistant = sharedAssistant(sharedPlatform());

it.each([0, 1] as const)('where pages begin at %i all pages of a list hold each row once', async (pagesFrom) => {
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

it('a full page of the greatest size does not offer a larger limit, and one with a number names the next', async () => {
  const notesOf = async (args: Record<string, unknown>) =>
    (await assistant().call('list_successful_export_runs', args)).structured['notes'];
  expect(await notesOf({ limit: 100 })).toEqual([
    'Left out, to show more runs: projectIds, completionTime, format, scope, frequency (get_export_run shows when one ended).',
    'A full page of 100: there may be more; pass page 1. If page 1 repeats these rows, pages begin at 1: go on with page 2.',
    SHOP_NOTE,
  ]);
  expect(await notesOf({ limit: 5, page: 2 })).toEqual(['A full page of 5: there may be more; pass page 3 or a larger limit.', SHOP_NOTE]);
});
