import type { InputOf } from '../../../api/operation.ts';
import type { createExportJob } from '../../../api/operations/data-export.ts';
import type { FieldSelector } from './table.ts';

export type JobInput = InputOf<typeof createExportJob>;

/** What goes wrong with the run whose range begins at `fromMs`: it fails, is never started, or finds nothing to export. */
export interface Mishap {
  readonly kind: 'failed' | 'missing' | 'empty';
  readonly fromMs: number;
}

/** An export job as it is kept; its state, its runs and their files all follow from it and the clock. */
export interface ExportJob {
  readonly jobId: number;
  readonly projectId: number;
  readonly name: string;
  readonly ownerId: number;
  readonly createdMs: number;
  /** `JSONL` or `CSV`; a job of earlier days may carry another that is no longer run. */
  readonly format: string;
  readonly scope: string;
  readonly frequency: JobInput['frequency']['value'];
  /** Only of once jobs. */
  readonly range?: { readonly fromMs: number; readonly toMs: number };
  readonly fields: readonly FieldSelector[];
  readonly device: JobInput['deviceLabel'];
  readonly segmentId?: number;
  /** How long a run computes. */
  readonly computeMs: number;
  readonly suspendedMs?: number;
  /** Every run fails. */
  readonly alwaysFails?: true;
  /** What went wrong with single runs of a recurring job. */
  readonly mishaps?: readonly Mishap[];
}

/** A job before it has an id. */
export type JobDraft = Omit<ExportJob, 'jobId'>;
