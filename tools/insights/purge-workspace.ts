import * as z from 'zod';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, PURGE } from '../../src/tooling/tool.ts';
import { purgePlan, removeRuns } from '../../src/workspace/store/purge.ts';

export default defineAnsweringTool({
  name: 'purge_workspace',
  title: 'Purge the workspace',
  description: 'Removes downloaded runs from the disk, all or some; the platform keeps what it has. A run in use stays.',
  annotations: PURGE,
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({
    jobIds: p.refs('export job', 'Export job ids or names; default all').optional(),
    before: p.momentOf('Only runs whose data end before, e.g. -30d; default all').optional(),
  }),
  output: z.object({
    removedRuns: z.number(),
    freedBytes: z.number(),
    kept: z.array(z.object({ jobId: z.number(), runId: z.number(), message: z.string() })).optional(),
  }),
  async handler({ jobIds, before }, { workspace: open, projectId, confirm, note, nowMs }) {
    const workspace = await open();
    const here = { runs: await workspace.runs(), unfinished: await workspace.unfinished() };
    const { ids, body, unrecoverable } = purgePlan(here, {
      jobIds,
      beforeMs: before === undefined ? undefined : Date.parse(before),
      nowMs,
    });
    if (ids.length === 0) {
      note('Nothing to remove: no run fits. list_workspace shows what is on disk.');
      return { removedRuns: 0, freedBytes: 0 };
    }
    if (unrecoverable > 0) note(`${unrecoverable} of these runs cannot be fetched again: the platform keeps files for 7 days.`);
    confirm({ method: 'REMOVE', path: workspace.dir, project: await projectId(), body });
    const { freedBytes, kept } = await removeRuns(workspace, ids);
    return { removedRuns: ids.length - kept.length, freedBytes, ...(kept.length > 0 && { kept }) };
  },
});
