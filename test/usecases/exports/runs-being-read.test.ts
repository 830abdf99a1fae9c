import { expect, it } from 'vitest';
import { withData } from '../../../src/usecases/exports/export-data.ts';
import type { ExportContext } from '../../../src/usecases/exports/export-lists.ts';

const run = (jobId: number, runId: number, table?: object) => ({
  jobId,
  runId,
  scope: 'sessions',
  format: 'JSONL',
  files: [{ bytes: 9 }],
  table,
});

it('runs that are still being read are counted, not named one by one', async () => {
  const runs = [run(31, 1, {}), ...[2, 3, 4].map((runId) => run(31, runId)), run(32, 5)];
  const workspace = {
    runs: async () => runs,
    converted: async () => undefined,
    conversionFailure: () => undefined,
    reading: async (ready: { runId: number }[]) => ready.map(({ runId }) => runId),
  };
  const notes: string[] = [];
  const context = { workspace: async () => workspace, note: (words: string) => void notes.push(words), nowMs: 0, clock: { now: () => 0 } };
  const uses = { ...context, signal: AbortSignal.timeout(5_000) } as unknown as ExportContext; // all that is used
  expect(await withData({}, uses, async () => undefined)).toEqual([1]);
  expect(notes).toEqual(['Still being read, and not counted yet: 4 runs. Ask again.']);
});
