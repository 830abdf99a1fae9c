/** The parts that are loaded together when a HAR file is first read. */
export { analyseHar, chosenRequests, problemTold } from './answer/analyse-har.ts';
export { harReport } from './answer/har-report.ts';
export { digestHar } from './answer/summary-view.ts';
export { compareHars } from './compare/compare-hars.ts';
export { readHar } from './read/read-har.ts';
export { studyHar } from './requests/study-har.ts';
export { loadEntities } from './requests/third-parties.ts';
export { sanitiseHar } from './sanitise/sanitise-har.ts';
