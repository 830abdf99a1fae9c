import { sep } from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { createLog, type Log } from '../lib/log.ts';
import type { Settings } from '../settings/settings.ts';

/** Said once, in package.json. */
export const { name, version, homepage, optionalDependencies } = about;
/** The name for people. */
export const title = 'Web Analytics';

/** A command with its arguments, as hosts take them. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * How a host starts this product with these arguments: by name where it runs as an installed package, whose place in a cache of npm does
 * not last, else by the file that runs now.
 */
export function startCommand(executable: string, args: readonly string[]): StartCommand {
  if (executable.split(sep).includes('node_modules')) return { command: 'npx', args: ['-y', name, ...args] };
  return { command: 'node', args: [executable, ...args] };
}

/** The same for a shell. */
export function shellWords({ command, args }: StartCommand): string {
  return [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`)).join(' ');
}

/** The log of a process: over HTTP a line of JSON for each call, over stdio plain text when something is wrong. */
export function logOf({ http, logLevel = http ? 'info' : 'warn', logFormat: format = http ? 'json' : 'words' }: Settings): Log {
  return createLog(logLevel, { format });
}
