import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ImpactAnswer } from '../../../src/domain/journeys/impact/impact-answer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openProjectWorkspace, type ProjectWorkspace } from '../../../src/workspace/project-workspace.ts';
import type { RunManifest } from '../../../src/workspace/store/manifest.ts';
import { openPeer } from '../peer.ts';
import { DAYS, FIRST_DAY_MS, type Session, type World } from './world.ts';

/** Asks the built product about a world. */
export type Ask = (args: object) => Promise<ImpactAnswer>;

const iso = (atMs: number) => new Date(atMs).toISOString();

function sessionLine({ visitor, user, startMs, views, revenueCents, variant }: Session, id: number): object {
  return {
    user_id: user,
    session_id: String(id),
    session_number: visitor.isReturning ? 3 : 1,
    session_time: iso(startMs),
    session_number_of_views: views.length,
    session_number_of_transactions: revenueCents > 0 ? 1 : 0,
    session_transactions_revenue_cents: revenueCents,
    device_id: visitor.device,
    country_code: visitor.country,
    browser_name: visitor.browser,
    browser_version: String(visitor.version),
    referer_url: visitor.referrer,
    custom_var_3: variant,
  };
}

function viewLines({ user, views }: Session, id: number): object[] {
  return views.map((view, at) => ({
    user_id: user,
    session_id: String(id),
    view_number: at + 1,
    view_time: iso(view.startMs),
    path: view.path,
    fully_loaded: view.loadMs,
    frustration_score: view.frustration,
    rage_click_all_targets_ind: view.rageClick,
    any_js_error_ind: view.messages.length > 0,
    any_api_error_ind: view.apiError,
    'errors.message': view.messages,
  }));
}

function writeScope(workspace: ProjectWorkspace, scope: 'sessions' | 'views', rows: readonly object[]): void {
  const [jobId, runId] = scope === 'sessions' ? [31, 101] : [32, 201];
  const directory = workspace.directoryOf({ jobId, runId });
  mkdirSync(directory, { recursive: true });
  const content = gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { level: 1 });
  const name = 'part-00001.jsonl.gz';
  writeFileSync(join(directory, name), content);
  const about = { version: 1 as const, jobId, jobName: `Job ${jobId}`, runId, scope, format: 'JSONL' };
  const exportedAt = iso(FIRST_DAY_MS + (DAYS + 1) * 86_400_000);
  const variable = { fieldName: 'custom_var', customVarPosition: 3 };
  const fields = Object.keys(rows[0] ?? {}).map((fieldName) => (fieldName === 'custom_var_3' ? variable : { fieldName }));
  const range = { from: iso(FIRST_DAY_MS), to: iso(FIRST_DAY_MS + DAYS * 86_400_000), exportedAt, downloadedAt: exportedAt };
  const files = [{ name, bytes: content.length, sha256: '', gzip: true }];
  const manifest: RunManifest = { ...about, ...range, fields, files };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
}

/** Writes a world as downloaded files and lets the product, a process as hosts start it, answer over them. */
export async function withProduct<T>(
  world: World,
  product: string,
  environment: Record<string, string>,
  use: (ask: Ask) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'impact-bench-'));
  const none = () => Promise.reject(new Error('Nothing is asked of the platform here.'));
  const [authUrl = '', projectId = ''] = [environment['WEB_ANALYTICS_AUTH_URL'], environment['WEB_ANALYTICS_PROJECT_ID']];
  const owner = { dir, principal: 'local', authUrl, projectId: Number(projectId) };
  const workspace = openProjectWorkspace({ ...owner, quotaMb: 1_000, ask: none, askKept: none, clock: systemClock });
  writeScope(workspace, 'sessions', world.sessions.map(sessionLine));
  writeScope(workspace, 'views', world.sessions.flatMap(viewLines));
  await workspace.close();
  const peer = await openPeer([product], { ...environment, WEB_ANALYTICS_DATA_DIR: dir });
  try {
    return await use((args) => peer.answer('measure_impact', args));
  } finally {
    await peer.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
