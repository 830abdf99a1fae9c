import { existsSync, readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../../shared/har/', import.meta.url);

/** Names of the recorded files, which stay outside the project; empty where their folder is missing, so that their tests are skipped. */
export const REAL_FILES: string[] = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.har')) : [];

/** Text of a recorded file. */
export function readReal(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}
