import { createLog, type Log } from '../lib/log.ts';
import type { Settings } from '../settings/settings.ts';

/** The log of a process: over HTTP a line of JSON for each call, over stdio plain text when something is wrong. */
export function logOf({ http, logLevel = http ? 'info' : 'warn', logFormat: format = http ? 'json' : 'words' }: Settings): Log {
  return createLog(logLevel, { format });
}
