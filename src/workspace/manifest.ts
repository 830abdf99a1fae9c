import * as z from 'zod';

const instant = z.iso.datetime();
/** A name inside the directory of its run: no separator, no dot in front. */
const fileName = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/i);

const field = z.object({
  fieldName: z.string(),
  aliasName: z.string().optional(),
  customVarPosition: z.number().optional(),
  dynamicVarKey: z.string().optional(),
});

/** One file of a run as it lies on disk. */
export const runFile = z.object({
  name: fileName,
  /** As it lies on disk, packed or not. */
  bytes: z.number(),
  /** Of the same bytes, hexadecimal. */
  sha256: z.string(),
  gzip: z.boolean(),
  /** Records in it, the header of CSV not counted. */
  rows: z.number().optional(),
});

/** What one downloaded run is: written last, so that a run with a manifest is complete. */
export const runManifest = z.object({
  version: z.literal(1),
  jobId: z.number(),
  jobName: z.string(),
  runId: z.number(),
  /** `sessions`, `views`, or what else the job says. */
  scope: z.string(),
  /** `JSONL`, `CSV`, or what else the job says. */
  format: z.string(),
  /** Range of the data; the end is excluded. */
  from: instant,
  to: instant,
  /** Columns as the job lists them; empty where it lists none. */
  fields: z.array(field),
  /** When the platform finished the run: of two runs with the same session the later one wins. */
  exportedAt: instant,
  downloadedAt: instant,
  files: z.array(runFile),
});

export type RunManifest = z.output<typeof runManifest>;
export type RunFile = z.output<typeof runFile>;
