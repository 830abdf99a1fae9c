import { backfillGaps, setUpExport } from './export-prompts.ts';
import { explainChange, segmentComparison, weeklyKpiReport } from './metric-prompts.ts';
import { explainSlowPage, reviewRelease, speedReview } from './speed-prompts.ts';

/** All prompts, in the order in which they are listed. */
export const prompts = [
  speedReview,
  explainSlowPage,
  reviewRelease,
  weeklyKpiReport,
  explainChange,
  segmentComparison,
  setUpExport,
  backfillGaps,
];
