import * as z from 'zod';
import { listSuccessfulExportRuns } from '../../src/api/operations/data-export.ts';
import { recordId, successfulRun } from '../../src/api/operations/records.ts';
import { DEFAULT_PAGE_SIZE, instantOf } from '../../src/api/params.ts';
import { selectRuns, withoutFilesWords } from '../../src/exports/deliveries.ts';
import { asSuccessful, learnFileLife, lifeWords } from '../../src/exports/download/run-rows.ts';
import { runsHere } from '../../src/exports/export-lists.ts';
import { expiredWords, expiringWords, filesUntil } from '../../src/exports/files-until.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';
import { minuteAt } from '../../src/lib/dates.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_successful_export_runs',
  title: 'List successful export runs',
  description:
    'Export files available or ready: ranges, expiry, those about to expire, be deleted or gone.' +
    hint('get_export_run', ' Addresses: get_export_run.'),
  annotations: READ,
  searchHint: 'files about to expire, available downloads, disappear',
  operation: listSuccessfulExportRuns,
  paged: 'runs',
  heavy: {
    members: ['projectIds', 'completionTime', 'format', 'scope', 'frequency'],
    seeAlso: hint('get_export_run', ' (get_export_run shows when one ended)'),
  },
  input: z.strictObject({
    jobIds: p.refs('export job', 'Default all').optional(),
    startDate: p.startOf('First day of ranges').optional(),
    endDate: p.endOf('Last day of ranges').optional(),
    expiresBefore: p.momentOf('Deleted sooner').optional(),
    ...p.paging,
  }),
  output: z.object({
    answer: z.string().optional(),
    runs: z.array(successfulRun),
    total: z.number().optional(),
    nextPage: z.number().optional(),
    filesUntil: z.array(z.object({ jobRunId: recordId, filesUntil: z.string().optional(), isFetched: z.boolean() })).optional(),
  }),
  async handler({ jobIds, startDate, endDate, expiresBefore, ...paging }, { call, ask, note, nowMs, timeZone, workspace }) {
    const kept = new Set((await runsHere({ workspace })).map(({ runId }) => runId));
    const isFetched = ({ jobRunId }: z.output<typeof successfulRun>) => typeof jobRunId === 'number' && kept.has(jobRunId);
    const now = { nowMs, timeZone, isHere: isFetched };
    if (jobIds === undefined && startDate === undefined && endDate === undefined && expiresBefore === undefined) {
      const runs = await call(paging);
      const { ms } = await learnFileLife(ask, asSuccessful(runs));
      return { answer: expiredWords(runs, { ...now, fileLifeMs: ms }), runs };
    }
    const optionalMs = (instant: string | undefined) => (instant === undefined ? undefined : instantOf(instant));
    const bounds = { fromMs: optionalMs(startDate), toMs: optionalMs(endDate), expiresBeforeMs: optionalMs(expiresBefore) };
    const { runs, found, listed, life } = await selectRuns({ ...paging, jobIds, ...bounds }, { ask, nowMs });
    // A run that ends within a day after a range is taken to be of it.
    const untilMs = bounds.toMs === undefined ? undefined : bounds.toMs + DAY_MS;
    const meant = { jobIds, sinceMs: bounds.fromMs, untilMs };
    const page = Math.max(1, paging.page ?? 1);
    if (expiresBefore === undefined && page === 1)
      for (const sentence of await withoutFilesWords(asSuccessful(listed), meant, { ask, nowMs })) note(sentence);
    const isMore = page * (paging.limit ?? DEFAULT_PAGE_SIZE) < found.length;
    const counts = { total: found.length, nextPage: isMore ? page + 1 : undefined };
    if (expiresBefore === undefined) return { answer: expiredWords(found, { ...now, fileLifeMs: life.ms }), runs, ...counts };
    note(`filesUntil: ${lifeWords(life)}${hint('get_export_run', '; expirationDate of get_export_run is exact')}.`);
    const untils = runs.map((run) => ({
      jobRunId: run.jobRunId,
      filesUntil: isoTime(filesUntil(run, life.ms)),
      isFetched: isFetched(run),
    }));
    const here = untils.filter((run) => run.isFetched).length;
    const toFetch = hint('sync_exports', '; sync_exports fetches the others');
    note(`${here} of these ${runs.length} runs are in the workspace already${here < runs.length ? toFetch : ''}.`);
    const answer = expiringWords(found, minuteAt(instantOf(expiresBefore), timeZone), { ...now, fileLifeMs: life.ms });
    return { answer, runs, ...counts, filesUntil: untils };
  },
});
