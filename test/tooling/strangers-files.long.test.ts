import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { ProjectWorkspace } from '../../src/workspace/project-workspace.ts';
import type { RunManifest } from '../../src/workspace/store/manifest.ts';
import { sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { someOf } from '../support/sample-size.ts';
import { expectHarmlessAnswer, holdsOrders, PLANTED } from './planted-orders.ts';

const assistant = sharedAssistant(sharedPlatform());

const SESSIONS = 400;
const DAY = '2026-11-18';
const at = (index: number, minute: number) =>
  `${DAY}T${String(6 + (index % 12)).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000Z`;
const isBuyer = (index: number) => index % 5 === 0;
/** Two of three visits bring what an attacker wrote: address, browser, referrer, country, variable, error. */
const isAttacked = (index: number) => index % 3 > 0;
const planted = (index: number, plain: string) => (isAttacked(index) ? plain + PLANTED : plain);

function sessionOf(index: number): object {
  return {
    user_id: String(7_000 + index),
    session_id: String(index + 1),
    session_number: 1 + (index % 2),
    session_time: at(index, 1),
    session_number_of_views: 3,
    session_number_of_transactions: isBuyer(index) ? 1 : 0,
    session_transactions_revenue_cents: isBuyer(index) ? 5_000 : 0,
    device_id: 1 + (index % 2),
    country_code: 'DE',
    browser_name: planted(index, 'Chrome'),
    referer_url: planted(index, 'https://news.example/'),
    custom_var_3: planted(index, index % 2 === 0 ? 'A' : 'B'),
  };
}

function viewsOf(index: number): object[] {
  const paths = [planted(index, '/landing'), planted(index, '/cart'), isBuyer(index) ? '/checkout/confirmation' : '/help'];
  return paths.map((path, order) => ({
    user_id: String(7_000 + index),
    session_id: String(index + 1),
    view_number: order + 1,
    view_time: at(index, order + 1),
    path,
    fully_loaded: 900,
    any_js_error_ind: index % 4 === 1,
    'errors.message': index % 4 === 1 ? [`TypeError${PLANTED}`] : [],
  }));
}

function writeRun(workspace: ProjectWorkspace, scope: 'sessions' | 'views', rows: readonly object[]): void {
  const [jobId, runId] = scope === 'sessions' ? [31, 101] : [32, 201];
  const directory = workspace.directoryOf({ jobId, runId });
  mkdirSync(directory, { recursive: true });
  const content = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const name = 'part-00001.jsonl';
  writeFileSync(join(directory, name), content);
  const exportedAt = '2026-11-19T02:00:00.000Z';
  const manifest: RunManifest = {
    version: 1,
    jobId,
    // Names of jobs are written by people too.
    jobName: `Job ${jobId}${PLANTED}`,
    runId,
    scope,
    format: 'JSONL',
    from: `${DAY}T00:00:00.000Z`,
    to: '2026-11-19T00:00:00.000Z',
    exportedAt,
    downloadedAt: exportedAt,
    fields: Object.keys(rows[0] ?? {}).map((fieldName) =>
      fieldName === 'custom_var_3' ? { fieldName: 'custom_var', customVarPosition: 3 } : { fieldName },
    ),
    files: [{ name, bytes: Buffer.byteLength(content), sha256: '', gzip: false }],
  };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}

beforeAll(async () => {
  const workspace = await assistant().workspace(1201);
  const indices = Array.from({ length: SESSIONS }, (_, index) => index);
  writeRun(workspace, 'sessions', indices.map(sessionOf));
  writeRun(workspace, 'views', indices.flatMap(viewsOf));
});

const RANGE = { startDate: DAY, endDate: DAY };
const CALLS: readonly [tool: string, args: Record<string, unknown>][] = [
  ['analyze_paths', { from: 'entry', chart: true, ...RANGE }],
  ['analyze_funnel', { steps: ['*', '/cart*', 'purchase'], breakdown: 'browser', ...RANGE }],
  ['measure_impact', { conditions: [{ what: 'js_error' }], ...RANGE }],
  ['query_export', {}],
  ['analyze_funnel', { steps: ['/landing*', 'purchase'], breakdown: 'entry_page', chart: true, ...RANGE }],
  ['analyze_funnel', { steps: ['*', 'purchase'], breakdown: 'referrer', ...RANGE }],
  ['analyze_paths', { from: '/help', direction: 'before', ...RANGE }],
  ['analyze_retention', { breakdown: 'entry_page', ...RANGE }],
  ['measure_impact', { conditions: [{ what: 'variable', name: 'custom_var_3' }], ...RANGE }],
  ['query_export', { sql: 'SELECT path, count(*) AS views FROM views GROUP BY ALL ORDER BY views DESC' }],
  ['query_export', { sql: 'SELECT browser_name, count(*) AS sessions FROM sessions GROUP BY ALL', chart: true }],
  ['list_workspace', {}],
];

describe('orders in downloaded files', () => {
  test.each(someOf(CALLS, 4))('cannot pass for words of %s with %j', { tags: 'nightly' }, async (tool, args) => {
    const answer = await assistant().call(tool, args);
    expect(answer.isError, answer.text).toBe(false);
    expectHarmlessAnswer(answer);
    expect(holdsOrders(answer.text), answer.text).toBe(true);
  });

  it('cannot pass for words of an error that names the closest pages', async () => {
    const answer = await assistant().call('analyze_paths', { from: '/landin', ...RANGE });
    expect(answer.isError).toBe(true);
    expectHarmlessAnswer(answer);
    expect(holdsOrders(answer.text)).toBe(true);
  });
});
