import * as z from 'zod';
import { namedUnfinished } from '../../src/exports/export-lists.ts';
import { isSameRun, type RunId } from '../../src/exports/store/manifest.ts';
import { isChosen, purgePlan, purgeQuestion, removeRuns } from '../../src/exports/store/purge.ts';
import { inseparableWords, loadedBody } from '../../src/exports/warehouse/loaded-table.ts';
import { inseparable } from '../../src/exports/warehouse/project-warehouse.ts';
import { hint } from '../../src/lib/hint.ts';
import { ofAnswer } from '../../src/lib/note-mark.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, PURGE } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'purge_workspace',
  title: 'Purge the workspace',
  description:
    'Delete, remove or throw out downloaded local files: get rid of all or old ones, clean up, free space (disk, ' +
    'warehouse). Platform copies and busy runs stay.',
  annotations: PURGE,
  searchHint: 'tidy up, drop, wipe, throw out, get rid of, make room',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({
    jobIds: p.jobIds,
    before: p.momentOf('Older data, e.g. -30d; default all').optional(),
  }),
  output: z.object({
    removedRuns: z.number(),
    removedUnfinished: z.number().optional(),
    freedBytes: z.number(),
    removedFromWarehouse: z.number().optional(),
    kept: z.array(z.object({ jobId: z.number(), runId: z.number(), message: z.string() })).optional(),
  }),
  async handler({ jobIds, before }, context) {
    const { workspace: open, projectId, confirm, note, nowMs, signal } = context;
    const workspace = await open();
    const here = { runs: await workspace.runs(), unfinished: await namedUnfinished(context) };
    const asked = { jobIds, beforeMs: before === undefined ? undefined : Date.parse(before) };
    const { warehouse } = workspace;
    const loaded = (await warehouse?.records(signal)) ?? [];
    const wanted = loaded.filter(({ run }) => isChosen(run, asked));
    const stuck = inseparable(wanted, loaded);
    const records = wanted.filter((record) => !stuck.has(record));
    // On the disk they stay too: what is there alone would be loaded again.
    const isKept = (run: RunId) => [...stuck.keys()].some((record) => isSameRun(record.run, run));
    const { complete, unfinished, body, unrecoverable } = purgePlan(here, { ...asked, nowMs, isKept });
    const isNone = complete.length + unfinished.length + records.length === 0;
    for (const [record, other] of stuck)
      note(`Run ${record.run.runId} of job ${record.run.jobId} stays. ${inseparableWords(record, other)}`);
    if (isNone) {
      if (stuck.size === 0)
        note(ofAnswer(`Nothing to remove: no run fits.${hint('list_workspace', ' list_workspace shows what is on disk.')}`));
      return { removedRuns: 0, freedBytes: 0 };
    }
    if (unrecoverable > 0)
      note(
        `${unrecoverable} of these runs can probably not be fetched again: they completed more than 7 days ago, and files are ` +
          'usually kept for 7 days.',
      );
    const going = { ...body, ...(warehouse && loadedBody(records, warehouse)) };
    confirm({ question: purgeQuestion(going), method: 'REMOVE', path: workspace.dir, project: await projectId(), body: going });
    // First the warehouse: what is on the disk alone would be loaded again.
    await warehouse?.remove(records, nowMs);
    const removed = await removeRuns(workspace, { complete, unfinished });
    return { ...removed, ...(warehouse && { removedFromWarehouse: records.length }) };
  },
});
