import { backfillGaps, setUpExport, whereExportsGo } from './export-prompts.ts';
import { whereBuyersAreLost } from './journey-prompts.ts';
import { explainChange, segmentComparison } from './metric-prompts.ts';
import { explainSlowPage, reviewRelease } from './speed-prompts.ts';
import { speedReview, weeklyKpiReport } from './weekly-prompts.ts';

/** All prompts, in the order in which they are listed. */
export const prompts = [
  speedReview,
  explainSlowPage,
  reviewRelease,
  weeklyKpiReport,
  explainChange,
  segmentComparison,
  whereBuyersAreLost,
  setUpExport,
  backfillGaps,
  whereExportsGo,
];
