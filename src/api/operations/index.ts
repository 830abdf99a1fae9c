import { readCredential, requestToken } from './account.ts';
import * as dataExport from './data-export.ts';
import * as enrichment from './enrichment.ts';
import * as metrics from './metrics.ts';
import * as objects from './objects.ts';
import * as speedAnalysis from './speed-analysis.ts';

/** All documented operations by name, family by family; within a family the order means nothing. */
export const operations = {
  requestToken,
  readCredential,
  ...speedAnalysis,
  ...dataExport,
  ...objects,
  ...metrics,
  ...enrichment,
};
/** Name of an operation, as the client and the emulator know it. */
export type OperationName = keyof typeof operations;
