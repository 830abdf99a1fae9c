import { homedir } from 'node:os';
import { join } from 'node:path';
import { name } from './about.ts';

/** Where a user's data lie by the custom of the system, in a directory of this product. */
export function defaultDataDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = environment;
  if (platform === 'win32') return join(LOCALAPPDATA || join(home, 'AppData', 'Local'), name);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name);
  return join(XDG_DATA_HOME || join(home, '.local', 'share'), name);
}
