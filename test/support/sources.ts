import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The text of a file of the project, by its path below the root. */
export function textOf(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** Paths of all files below these folders, relative to the root, with slashes, sorted. */
export function filesBelow(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.\w+$/.test(path))
    .toSorted();
}
