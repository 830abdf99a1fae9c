import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeDirectory, readJson } from './store/disk.ts';

const FILE = 'enrichment-fields.json';
/** Names that are kept. */
const MOST = 500;
const names = z.array(z.string());

/** The field names of enrichments that were sent from here for a project; none where there is no record of them. */
export async function sentFields(directory: string): Promise<string[]> {
  return (await readJson(join(directory, FILE), names)) ?? [];
}

/** Keeps the field names of a batch that was sent; a disk that cannot be written only costs a later warning. */
export async function keepSentFields(directory: string, sent: readonly string[]): Promise<void> {
  const all = [...new Set([...(await sentFields(directory)), ...sent])].slice(-MOST);
  try {
    await makeDirectory(directory);
    await writeFile(join(directory, FILE), JSON.stringify(all));
  } catch {
    return;
  }
}
