import { hint } from '../../lib/hint.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { type RunManifest, rowsOf } from '../../workspace/store/manifest.ts';

/** The files of a run that is in the workspace, with a note where they hold nothing. */
export function wordDownload(run: RunManifest) {
  const { jobId, jobName: job, from, to, scope, format } = run;
  const files = run.files.map(({ name, bytes, rows }) => ({ name, bytes, rows }));
  const rowCount = rowsOf(run);
  const holds = files.length === 0 ? 'it has no files' : 'its files hold no rows';
  return {
    data: {
      job,
      from,
      to,
      scope,
      format,
      rowCount,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    },
    files,
    notes: rowCount === 0 ? [ofAnswer(`The run found nothing in its range: ${holds}.`)] : [],
    next: hint(
      'query_export',
      `query_export with jobId ${jobId} describes and queries the data.`,
      `The files of job ${jobId} are in the workspace.`,
    ),
  };
}
