import { expect, it, onTestFinished } from 'vitest';
import type { Ask } from '../../../src/api/client.ts';
import type { Operation } from '../../../src/api/operation.ts';
import { getExportJob, getExportRun } from '../../../src/api/operations/data-export.ts';
import { openProjectWorkspace } from '../../../src/exports/project-workspace.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { listen } from '../../support/stub-platform.ts';
import { queried } from '../convert/converted-runs.ts';
import { scratchDirectory } from './store-stub.ts';

const FIELDS = ['session_id', 'city', 'visits'];
const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => `${from + index},Ulm,1\n`).join('');

/** A workspace whose platform has one run of CSV with these files. */
async function workspaceWith(files: readonly string[]) {
  const { url } = await listen((request, response) => void response.end(files[Number(request.url?.slice(1))]));
  const ended = { state: 'SUCCESS', endDate: '2026-11-20T02:00:00.000Z' };
  const run = { jobRunId: 501, ...ended, files: files.map((_, index) => ({ partId: index + 1, url: `${url}/${index}` })) };
  const job = { id: 31, name: 'Sessions', scope: 'sessions', format: 'CSV', fields: FIELDS.map((fieldName) => ({ fieldName })) };
  const answers = new Map<Operation, unknown>([
    [getExportRun, run],
    [getExportJob, job],
  ]);
  // The list of successful runs is empty: only the run itself says what it is.
  const ask = (async (operation: Operation) => answers.get(operation) ?? []) as Ask;
  const owner = { dir: scratchDirectory(), principal: 'local', authUrl: url, projectId: 1201 };
  const parts = { ...owner, quotaMb: 100, ask, askKept: ask, clock: systemClock };
  const workspace = openProjectWorkspace(parts);
  onTestFinished(() => workspace.close());
  return workspace;
}

it('a part whose first line is a row loses none: in the count of its files, in the table and in queries', async () => {
  const header = `${FIELDS.join(',')}\n`;
  const workspace = await workspaceWith([header + rows(0, 2_500), rows(2_500, 2_500)]);
  const manifest = await workspace.download({ jobId: 31, runId: 501 }).result;
  expect(manifest.files.map(({ rows: count }) => count)).toEqual([2_500, 2_500]);
  const counted = 'SELECT count(*), count(DISTINCT session_id), sum(visits::INT)::INT FROM data';
  expect((await queried(workspace, counted)).rows).toEqual([[5_000, 5_000, 5_000]]);
  expect((await workspace.find({ jobId: 31, runId: 501 }))?.table?.rows).toBe(5_000);
});

it('a part of other columns without a header is an error that says so, and no complete run', async () => {
  const workspace = await workspaceWith([`${FIELDS.join(',')}\n${rows(0, 3)}`, '1,2\n3,4\n']);
  await expect(workspace.download({ jobId: 31, runId: 501 }).result).rejects.toThrow(
    /^File part-00002\.csv: its first line \("1,2"\) is no header/,
  );
  expect(await workspace.find({ jobId: 31, runId: 501 })).toBeUndefined();
});
