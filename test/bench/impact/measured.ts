import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImpactAnswer } from '../../../src/domain/journeys/impact/impact-answer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openProjectWorkspace } from '../../../src/workspace/project-workspace.ts';
import { greet, type Peer, startPeer } from '../peer.ts';
import type { World } from './world.ts';
import { writeWorld } from './world-files.ts';

/** Asks the built product about a world. */
export type Ask = (args: object) => Promise<ImpactAnswer>;

async function askOf(peer: Peer, args: object): Promise<ImpactAnswer> {
  const call = { name: 'measure_impact', arguments: args };
  const { result } = (await peer.ask('tools/call', call)) as {
    result?: { isError?: boolean; content?: unknown; structuredContent?: ImpactAnswer };
  };
  if (!result?.structuredContent || result.isError) throw new Error(JSON.stringify(result?.content));
  return result.structuredContent;
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
  writeWorld(workspace, world);
  await workspace.close();
  const peer = startPeer([product], { ...environment, WEB_ANALYTICS_DATA_DIR: dir });
  try {
    await greet(peer);
    return await use((args) => askOf(peer, args));
  } finally {
    await peer.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
