export { MAX_HAR_BYTES } from './decode.ts';
export { HarError } from './har-error.ts';
export { type ReadHarOptions, readHar } from './intake.ts';
export type { Har, HarEntry, HarPage, HarSource, HarTimings, Party, ResourceType } from './model.ts';
export { hostOf } from './parties.ts';
export { sanitiseHar } from './sanitise.ts';
export { sanitiseHost, sanitiseUrl, shortUrl } from './sanitise-url.ts';
export { type SummaryOptions, summarizeHar } from './summary.ts';
export type { DocumentSummary, DuplicateRow, Finding, HarSummary, PageRow, RequestRow, RequestTotals } from './summary-types.ts';
