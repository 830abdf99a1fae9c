import explainSlowPage from './explain-slow-page.ts';
import reviewRelease from './review-release.ts';
import speedReview from './speed-review.ts';

/** All prompts, in the order in which they are listed. */
export const prompts = [speedReview, explainSlowPage, reviewRelease];
