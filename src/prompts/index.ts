import backfillGaps from './backfill-gaps.ts';
import explainChange from './explain-change.ts';
import explainSlowPage from './explain-slow-page.ts';
import reviewRelease from './review-release.ts';
import segmentComparison from './segment-comparison.ts';
import setUpExport from './set-up-export.ts';
import speedReview from './speed-review.ts';
import weeklyKpiReport from './weekly-kpi-report.ts';

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
