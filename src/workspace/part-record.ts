import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeDurably } from './disk.ts';
import { runFile } from './manifest.ts';

/** What is known of a part that is not yet in a manifest, kept beside it so that another process can go on. */
const partRecord = z.object({
  /** Strong tag of the file that the bytes on disk are of. */
  etag: z.string().optional(),
  totalBytes: z.number().optional(),
  /** Set once all bytes are on the disk and were checked. */
  done: runFile.optional(),
});
export type PartRecord = z.output<typeof partRecord>;

/** Reads the record of a part; an empty one where there is none that can be read. */
export async function readPartRecord(path: string): Promise<PartRecord> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return partRecord.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

export function writePartRecord(path: string, record: PartRecord): Promise<void> {
  return writeDurably(path, JSON.stringify(record));
}
