import * as z from 'zod';
import { hint } from '../../src/lib/hint.ts';
import { exportsResource } from '../../src/resources/exports.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, FETCH } from '../../src/tooling/tool.ts';
import { USUAL_WAIT_SECONDS } from '../../src/usecases/exports/sync-exports.ts';
import { lifeWords } from '../../src/workspace/download/file-life.ts';
import { SYNC_COLUMNS, syncTable } from '../../src/workspace/download/sync-plan.ts';
import { loadsWords } from '../../src/workspace/warehouse/loaded-table.ts';

/** Failures that are written out; the table counts all. */
const FAILURES_TOLD = 5;
/** Rows of jobs that nothing can be fetched of, unless they were asked for by name. */
const LOST_JOBS_SHOWN = 5;

export default defineAnsweringTool({
  name: 'sync_exports',
  title: 'Sync exports',
  description:
    "Download everything new: every successful run that we don't have yet, of all export jobs or some; names expired ones. Goes on " +
    'after the call: call again to look.',
  annotations: FETCH,
  fetches: true,
  searchHint: 'download all new files, fetch exports, keep up to date',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({
    jobIds: p.refs('export job', 'Export job ids or names; default all').optional(),
    since: p.momentOf('Only runs completed since, e.g. yesterday').optional(),
    waitSeconds: p.waitSeconds,
  }),
  output: z.object({
    answer: z.string(),
    state: z.enum(['complete', 'under way']),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
    failures: z.array(z.object({ jobId: z.number(), runId: z.number(), message: z.string() })).optional(),
    directory: z.string(),
    uri: z.string(),
    next: z.string(),
  }),
  async handler({ jobIds, since, waitSeconds = USUAL_WAIT_SECONDS }, context) {
    const { workspace: open, projectId, note, link } = context;
    const [workspace, { syncExports }] = await Promise.all([open(), import('../../src/usecases/exports/sync-exports.ts')]);
    const wish = { jobIds, waitSeconds, sinceMs: since === undefined ? undefined : Date.parse(since) };
    const { plan, life, outcomes, failures, count, arriving } = await syncExports(workspace, wish, context);
    const underWay = count('under way');
    const idle = jobIds?.filter((jobId) => ![plan.present, plan.wanted, plan.expired].flat().some((run) => run.jobId === jobId));
    if (idle && idle.length > 0)
      note(
        `No successful run${since === undefined ? '' : ` since ${since}`} of job ${idle.join(', ')}` +
          hint('list_export_runs', '; list_export_runs lists all its runs') +
          '.',
      );
    const [lost] = plan.expired;
    if (lost) note(`Expired: the platform deletes files ${lifeWords(life)}.`);
    if (underWay > 0 && arriving !== undefined) note(`${arriving}.`);
    const loads = workspace.warehouse?.underWay() ?? [];
    if (loads.length > 0) note(`${loadsWords(loads)}${hint('query_export', '; query_export waits for them')}.`);
    const { rows, more } = syncTable(plan, outcomes, jobIds ? jobIds.length : LOST_JOBS_SHOWN);
    if (more > 0) note(`${more} more jobs have nothing but expired runs; jobIds shows them.`);
    const uri = exportsResource.uri({ projectId: await projectId() });
    link({ uri, name: exportsResource.name, title: exportsResource.title, mimeType: exportsResource.mimeType });
    const backfill = lost
      ? hint('find_export_gaps', ` find_export_gaps with jobId ${lost.jobId} plans the backfill of what had expired.`)
      : '';
    return {
      answer: [
        `${count('fetched')} of ${plan.wanted.length} new runs fetched`,
        ...(underWay > 0 ? [`${underWay} under way`] : []),
        ...(failures.length > 0 ? [`${failures.length} failed`] : []),
        `${plan.present.length} were here before`,
        `${plan.expired.length} had expired`,
      ].join(', '),
      state: underWay > 0 ? ('under way' as const) : ('complete' as const),
      columns: SYNC_COLUMNS,
      rows,
      ...(failures.length > 0 && { failures: failures.slice(0, FAILURES_TOLD) }),
      directory: workspace.dir,
      uri,
      next: underWay > 0 ? UNDER_WAY : `${failures.length > 0 ? FAILED : DONE}${backfill}`,
    };
  },
});

const UNDER_WAY = 'Call sync_exports again with the same arguments; the work goes on meanwhile.';
const FAILED = 'Call sync_exports again: what has arrived is kept, the rest is tried once more.';
const DONE = hint('query_export', 'query_export with a jobId describes and queries the data.', 'The files are in the workspace.');
