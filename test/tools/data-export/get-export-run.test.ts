import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { call, platform } = useTools();

it('gives the addresses of the files, which open without a token', async () => {
  const { runs } = (await call('list_successful_export_runs', { limit: 1 })).structured as { runs: { jobId: number; jobRunId: number }[] };
  const answer = await call('get_export_run', { jobId: runs[0]?.jobId, runId: runs[0]?.jobRunId });
  const { files } = answer.structured['run'] as { files: { url: string; fileSize: number }[] };
  expect(files.length).toBeGreaterThan(0);
  const bytes = Buffer.from(await (await fetch(files[0]?.url ?? '')).arrayBuffer());
  expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  expect(files[0]?.url).toContain(platform().storeUrl);
  expect(answer.text).toContain(files[0]?.url);
  expect(whole(answer)).toMatchSnapshot();
});
