import * as p from '../../api/params.ts';
import { MAX_HAR_BYTES } from '../../domain/har/read/decode-har.ts';
import { markdownTable } from '../../lib/text-table.ts';
import { unanswerable } from '../../tooling/unanswerable.ts';
import { MAX_RESOURCE_BYTES } from '../step-har.ts';

const HOUR_MS = 3_600_000;

function daysAndHours(ms: number): string {
  return `${ms / (24 * HOUR_MS)} days (${(ms / HOUR_MS).toLocaleString('en')} hours)`;
}

/** Limits as rows: what, how much, where it is stated. */
function limitRows(): string[][] {
  return [
    ['range of one metrics query', `at most ${daysAndHours(p.MAX_METRICS_RANGE_MS)}, within the data retention`, 'stated publicly'],
    ['period daily', `only on a range longer than ${p.ONE_DAY_MS / HOUR_MS} hours; not for get_site_cart_average`, 'section 4.4, 8'],
    ['several segmentIds', 'visitors in all of them; a union cannot be asked (visits: A + B − both; rates: not at all)', 'section 4.4'],
    ['goalId', 'required for conversions of projects without e-commerce; revenue and cart only for e-commerce', 'section 4.4'],
    ['range of a once export', `at most ${daysAndHours(p.MAX_EXPORT_RANGE_MS)}; split longer ones`, 'section 4.2, 8'],
    ['export job', 'cannot be changed, suspended or deleted through the interface: look for an equal one first', 'stated publicly'],
    ['custom variables in an export', 'position 1 to 20', 'section 8'],
    ['files of an export run', 'until expirationDate, about 7 days; fetched without the bearer token', 'section 8'],
    ['page of a list', `${p.DEFAULT_PAGE_SIZE} by default, at most ${p.MAX_PAGE_SIZE}`, 'section 8'],
    ['reports of a scenario', `${p.DEFAULT_REPORTS} by default, limit 0 for all`, 'section 4.1, 8'],
    ['ids of monitorings', 'not listed by the interface: the console shows them', 'section 4.1'],
    ['enrichments', 'at most 3 per session; one bad record rejects the batch; no transactions', 'stated publicly'],
    ['HAR file', `read up to ${MAX_HAR_BYTES / 2 ** 20} MB; delivered as a resource up to ${MAX_RESOURCE_BYTES / 1e6} MB`, 'this server'],
    ['calls at a time', '10 per project, shared by all its credentials; speed analysis one by one', 'stated publicly'],
    ['access token', '1 hour, renewed by this server; a credential lasts 1 year', 'section 8'],
  ];
}

/** Limits of the interface, and what it cannot answer at all. */
export default function writeLimits(): string {
  return `${markdownTable(['what', 'limit', 'where stated'], limitRows())}

Rate limits and the status codes of refusals are not documented.

## Not in this interface

Say so, and offer the nearest.

${markdownTable(
  ['asked for', 'nearest'],
  unanswerable.map(({ asked, nearest }) => [asked, nearest]),
)}`;
}
