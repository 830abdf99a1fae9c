import { hint } from '../../lib/hint.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';

/** The files of a run that is in the workspace, with a note where they hold nothing. */
export function wordDownload({ jobId, jobName: job, from, to, scope, format, files: all }: RunManifest) {
  const files = all.map(({ name, bytes, rows }) => ({ name, bytes, ...(rows !== undefined && { rows }) }));
  const isCounted = files.every(({ rows }) => rows !== undefined);
  const rowCount = files.reduce((sum, { rows = 0 }) => sum + rows, 0);
  const isEmpty = isCounted && rowCount === 0;
  const holds = files.length === 0 ? 'it has no files' : 'its files hold no rows';
  return {
    data: { job, from, to, scope, format, ...(isCounted && { rowCount }), bytes: files.reduce((sum, file) => sum + file.bytes, 0) },
    files,
    notes: isEmpty ? [ofAnswer(`The run found nothing in its range: ${holds}.`)] : [],
    next: hint(
      'query_export',
      `query_export with jobId ${jobId} describes and queries the data.`,
      `The files of job ${jobId} are in the workspace.`,
    ),
  };
}
