import * as z from 'zod';
import { recordsOrReason } from '../../src/exports/export-data.ts';
import { namedUnfinished } from '../../src/exports/export-lists.ts';
import { WORKSPACE_COLUMNS, workspaceTable } from '../../src/exports/store/purge.ts';
import { LOADED_COLUMNS, loadedTable } from '../../src/exports/warehouse/loaded-table.ts';
import { sufficiencyWords } from '../../src/journeys/sufficient-files.ts';
import { hint } from '../../src/lib/hint.ts';
import { ofAnswer } from '../../src/lib/note-mark.ts';
import { counted, formatBytes } from '../../src/lib/number-text.ts';
import { exportsResource } from '../../src/resources/exports.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'list_workspace',
  title: 'List the workspace',
  description:
    'Local data downloaded already: exports and files here, how big (rows, bytes, disk usage), coverage from day till day, ' +
    'space left (computer, warehouse).',
  annotations: READ,
  searchHint: 'fetched so far, pulled, disk usage, gigabytes, coverage, local files',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({ jobIds: p.jobIds }),
  output: z.object({
    answer: z.string(),
    directory: z.string(),
    usedBytes: z.number(),
    quotaBytes: z.number(),
    ...p.table,
    warehouse: z.object({ database: z.string(), ...p.table }).optional(),
    uri: z.string(),
  }),
  async handler({ jobIds }, context) {
    const { workspace: open, projectId, note, link, signal } = context;
    const workspace = await open();
    const isMeant = ({ jobId }: { jobId: number }) => jobIds?.includes(jobId) ?? true;
    const runs = (await workspace.runs()).filter(isMeant);
    const unfinished = (await namedUnfinished(context)).filter(isMeant);
    const resting = unfinished.find((run) => !workspace.underWay(run));
    if (resting)
      note(
        'Unfinished runs go on where they were.' +
          hint('download_export_run', ` download_export_run with jobId ${resting.jobId} and runId ${resting.runId} goes on with one.`) +
          hint('sync_exports', ' sync_exports goes on with all.'),
      );
    if (runs.length === 0)
      note(
        ofAnswer(
          hint('sync_exports', 'sync_exports downloads all new runs.') +
            hint('download_export_run', ' download_export_run downloads a single run.'),
        ),
      );
    const uri = link(exportsResource, { projectId: await projectId() });
    const usedBytes = await workspace.usedBytes();
    const { warehouse } = workspace;
    const records = warehouse && (await recordsOrReason(warehouse, signal));
    if (typeof records === 'string') note(records);
    for (const sentence of sufficiencyWords(runs)) note(sentence);
    for (const { jobId, runId } of runs) {
      const failure = warehouse?.failure({ jobId, runId });
      if (failure !== undefined) note(`Run ${runId} of job ${jobId} could not be loaded into the warehouse: ${failure}`);
    }
    const begun = unfinished.length === 0 ? '' : `, ${counted(unfinished.length, 'more run')} unfinished`;
    const used = `${formatBytes(usedBytes)} of ${formatBytes(workspace.quotaBytes)} used`;
    const jobs = counted(new Set(runs.map(({ jobId }) => jobId)).size, 'export job');
    return {
      answer:
        runs.length === 0 ? `Nothing is downloaded yet${begun}.` : `${counted(runs.length, 'run')} of ${jobs} downloaded${begun}, ${used}.`,
      directory: workspace.dir,
      usedBytes,
      quotaBytes: workspace.quotaBytes,
      columns: WORKSPACE_COLUMNS,
      rows: workspaceTable(runs, unfinished),
      ...(warehouse &&
        typeof records === 'object' && {
          warehouse: {
            database: `${warehouse.address}/${warehouse.database}`,
            columns: LOADED_COLUMNS,
            rows: loadedTable(records.filter(({ run }) => isMeant(run))),
          },
        }),
      uri,
    };
  },
});
