import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunManifest } from '../../../src/workspace/store/manifest.ts';
import { useInterview } from '../../support/interview.ts';
import { records, useTools } from '../support.ts';

const { assistant, ask } = useTools();
const answer = useInterview().ask(assistant);

it('Download everything new since yesterday', { tags: 'nightly' }, async () => {
  const synced = await answer('24. Download everything new since yesterday.', (call) => call('sync_exports', { since: 'yesterday' }));
  const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => ask('listSuccessfulExportRuns', { limit: 100, page })));
  const since = Date.parse('2026-11-19T00:00:00Z');
  const wanted = pages.flat().filter(({ completionTime }) => Date.parse(completionTime ?? '') >= since);
  expect(wanted.length).toBeGreaterThan(30);
  expect(synced.structured).toMatchObject({
    state: 'complete',
    answer: `${wanted.length} new runs downloaded.`,
  });
  expect(records(synced).reduce((sum, { fetched }) => sum + Number(fetched), 0)).toBe(wanted.length);

  // Every file is the one that the platform wrote, byte for byte.
  const { jobs } = JSON.parse(await assistant().read(String(synced.structured['uri']))) as { jobs: { runs: { uri: string }[] }[] };
  const uris = jobs.flatMap(({ runs }) => runs.map(({ uri }) => uri));
  expect(uris).toHaveLength(wanted.length);
  for (const uri of uris.slice(0, 5)) {
    const { manifest, directory } = JSON.parse(await assistant().read(uri)) as { manifest: RunManifest; directory: string };
    const { files = [] } = await ask('getExportRun', { jobId: manifest.jobId, runId: manifest.runId });
    for (const [index, file] of manifest.files.entries()) {
      const truth = Buffer.from(await (await fetch(files?.[index]?.url ?? '')).arrayBuffer());
      expect(readFileSync(join(directory, file.name)).equals(truth)).toBe(true);
      expect(file.sha256).toBe(createHash('sha256').update(truth).digest('hex'));
    }
  }
});
