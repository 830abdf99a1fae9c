import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesIn, tryDirectory, WorkspaceError } from '../exports/store/disk.ts';
import { isRunning } from '../exports/store/lock.ts';
import type { Settings } from '../settings/settings.ts';
import { name as product } from './about.ts';

// Containers may share the directory of temporary files and not the numbers of processes.
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const NAME = new RegExp(`^web-analytics-demo-${host}-(\\d+)-[0-9a-f-]{36}$`);

/** Where the exports of one demo go; nothing is there yet. */
export function demoDirectory(within: string = tmpdir(), pid: number = process.pid): string {
  return join(within, `web-analytics-demo-${host}-${pid}-${randomUUID()}`);
}

/** Removes the directories of demos that were killed; one that cannot be removed belongs to another user. */
export async function sweepDemoDirectories(within: string = tmpdir()): Promise<void> {
  for (const name of await namesIn(within)) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    await rm(join(within, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Where a user's data lie by the custom of the system, in a directory of this product. */
export function defaultDataDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = environment;
  if (platform === 'win32') return join(LOCALAPPDATA || join(home, 'AppData', 'Local'), product);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', product);
  return join(XDG_DATA_HOME || join(home, '.local', 'share'), product);
}

/** Where the downloaded exports of these settings go; for a demo, where its own directory will be made. */
export function dataDirectory({ demo, dataDir }: Pick<Settings, 'demo' | 'dataDir'>): string {
  return demo ? tmpdir() : (dataDir ?? defaultDataDirectory());
}

/** Why nothing can be written in the data directory, in a sentence that says what to do; undefined where it can. */
export async function dataDirectoryFault(settings: Pick<Settings, 'demo' | 'dataDir'>): Promise<string | undefined> {
  try {
    await tryDirectory(dataDirectory(settings));
    return undefined;
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message;
    throw error;
  }
}
