import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectDirectory } from '../src/exports/store/manifest.ts';
import { openAssistant } from './support/assistant.ts';
import { sharedPlatform } from './support/emulator.ts';
import { temporaryFolder } from './support/folder.ts';
import { textOf } from './support/sources.ts';

const platform = sharedPlatform();

it('what a session leaves on the disk is what the page of privacy names', async () => {
  const dataDir = temporaryFolder();
  const assistant = await openAssistant(platform(), { dataDir });
  try {
    await assistant.call('sync_exports', { jobIds: ['Daily sessions'], since: '-1d' });
    await assistant.call('query_export', { jobId: 'Daily sessions', sql: 'SELECT session_id FROM data LIMIT 50' });
    await assistant.call('plan_export', { fields: ['session id', 'browser'], format: 'CSV', frequency: 'daily' });
    for (const tool of ['query_metrics', 'analyze_har', 'list_goals', 'find_objects'])
      await assistant.call(tool, { metrics: ['visits'], startDate: 'last_week', endDate: 'last_week', text: 'cart' });
  } finally {
    await assistant.close();
  }
  const project = projectDirectory({ dir: dataDir, principal: 'local', authUrl: platform().authUrl, projectId: 1201 });
  const kinds = readdirSync(project).map((name) => (/^\d+$/.test(name) ? 'job' : name));
  expect(new Set(kinds)).toEqual(new Set(['job', 'queries', 'plans']));
  expect(readdirSync(join(project, 'queries'))).toHaveLength(1);
  expect(textOf('docs/privacy.md')).toContain('the last ten results of queries for a day, plans of exports for 92 days');
});
