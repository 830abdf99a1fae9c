import type { SuccessfulRun } from '../../../src/exports/download/run-rows.ts';
import { clockStartingAt } from '../../../src/lib/clock.ts';
import { openProcessWorkspace, type ProcessAccess } from '../../support/process-workspace.ts';

/** What a process of its own is told to download. */
export interface DownloadOrder extends ProcessAccess {
  readonly startIso: string;
  readonly runs: readonly SuccessfulRun[];
}

// Downloads as the server does, through the same workspace; says when it begins, and ends by itself when all is there. A download that
// was cut too often is given up: then it says so in one line, because an uncaught error would print a line of the whole bundle.
const { startIso, runs, ...access } = JSON.parse(process.argv[2] ?? '{}') as DownloadOrder;
const { client, workspace } = openProcessWorkspace(access, clockStartingAt(Date.parse(startIso)));
try {
  await client.projectId();
  process.stdout.write('begins\n');
  await workspace.runs();
  await Promise.all(runs.map(({ jobId, runId }, index) => workspace.download({ jobId, runId }, runs[index]).result));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
await workspace.close();
await client.close();
