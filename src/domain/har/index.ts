/** The parts that are loaded together when a HAR file is first read. */
export { analyseHar } from './analyse/analyse-har.ts';
export { loadEntities } from './analyse/third-parties.ts';
export { compareHars } from './compare/compare-hars.ts';
export { readHar } from './read/read-har.ts';
export { sanitiseHar } from './sanitise/sanitise-har.ts';
export { summarizeHar } from './summary/summarize-har.ts';
