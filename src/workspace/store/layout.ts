import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The owner of the data: a directory for each, so that users, accounts and the demo never mix. */
export interface Owner {
  /** Data directory of the settings. */
  readonly dir: string;
  /** Who calls; `local` over stdio. */
  readonly principal: string;
  readonly authUrl: string;
  readonly projectId: number;
}

/** Name of the manifest beside the parts of a run. */
export const MANIFEST = 'manifest.json';

/** One path segment for any text: readable, the same on systems that ignore case, and different for different texts. */
export function safeName(text: string): string {
  // Callers of an HTTP server may choose what they are called: 96 bits leave no two names for one directory to be found,
  // and as UTF-16 no two halves of a character become the same.
  const readable = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 24);
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** `<dir>/<principal>`. */
export function principalDirectory({ dir, principal }: Pick<Owner, 'dir' | 'principal'>): string {
  return join(dir, safeName(principal));
}

/** `<dir>/<principal>/<authentication server>/<project>`. */
export function projectDirectory({ authUrl, projectId, ...owner }: Owner): string {
  return join(principalDirectory(owner), safeName(authUrl), idName(projectId));
}

/** `<project>/<job>/<run>`, which holds the manifest and the parts. */
export function runDirectory(projectDir: string, { jobId, runId }: { readonly jobId: number; readonly runId: number }): string {
  return join(projectDir, idName(jobId), idName(runId));
}

/** `<project>/plans`. */
export function plansDirectory(projectDir: string): string {
  return join(projectDir, 'plans');
}

/** `<project>/queries`. */
export function resultsDirectory(projectDir: string): string {
  return join(projectDir, 'queries');
}

function idName(id: number): string {
  if (!Number.isSafeInteger(id) || id < 0) throw new RangeError(`${id} is not a valid id.`);
  return String(id);
}

/** The id that a directory is named after; undefined where it is named otherwise. */
export function idOfName(name: string): number | undefined {
  return /^\d{1,16}$/.test(name) && Number.isSafeInteger(Number(name)) ? Number(name) : undefined;
}
