import type { InputOf } from '../../api/operation.ts';
import type { createExportJob } from '../../api/operations/data-export.ts';
import { MAX_EXPORT_RANGE_MS } from '../../api/params.ts';
import { chunksOf } from '../../lib/calendar.ts';
import { isoAt, rangeName } from '../../lib/dates.ts';
import type { Interval } from '../../lib/intervals.ts';
import { counted } from '../../lib/number-text.ts';
import { capital, firstOf, present } from '../../lib/sentences.ts';
import { plainText } from '../../lib/strangers-text.ts';
import { columnWords, type ExportColumn } from './resolve-fields.ts';

/** Cuts a range into as few as possible that a once job takes, at midnights of the zone; each begins where the one before ends. */
export function splitRange({ startMs, endMs }: Interval, timeZone: string): Interval[] {
  if (endMs - startMs <= MAX_EXPORT_RANGE_MS) return [{ startMs, endMs }];
  // A chunk that ends with a day ends with its last millisecond.
  const chunks = chunksOf({ startMs, endMs }, timeZone, MAX_EXPORT_RANGE_MS - 1);
  return chunks.map((chunk) => ({ startMs: chunk.startMs, endMs: Math.min(chunk.endMs + 1, endMs) }));
}

/** The body of a request that creates a job. */
export type JobBody = InputOf<typeof createExportJob>;

/** An export before it is cut into jobs. */
export interface ExportOrder {
  /** Left out: named after what it is. */
  readonly name?: string | undefined;
  readonly format: JobBody['format'];
  readonly scope: string;
  readonly frequency: JobBody['frequency']['value'];
  readonly columns: readonly Omit<ExportColumn, 'asked' | 'meaning'>[];
  readonly device: JobBody['deviceLabel'];
  readonly segmentId?: number | undefined;
  /** Of once jobs, one job each; none of others. */
  readonly ranges: readonly Interval[];
}

/** How jobs are named. */
export interface Naming {
  readonly timeZone: string;
  /** Names of the jobs that exist. */
  readonly taken: ReadonlySet<string>;
  /** First part of the jobs' names, before the range; by default their content. */
  readonly base?: string;
}

function selectorOf({ fieldName, aliasName, customVarPosition, dynamicVarKey }: ExportOrder['columns'][number]): JobBody['fields'][number] {
  return {
    fieldName,
    ...(aliasName !== undefined && { aliasName }),
    ...(customVarPosition !== undefined && { customVarPosition: String(customVarPosition) }),
    ...(dynamicVarKey !== undefined && { dynamicVarKey }),
  };
}

/** `Daily mobile sessions JSONL`. */
function usualName({ frequency, device, scope, format }: ExportOrder): string {
  return capital(present(frequency !== 'once' && frequency, device !== 'all' && device, scope, format).join(' '));
}

/** The name, or with a number where a job has it already. */
function untaken(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

/** The requests that an order takes: one for a recurring job, one for each range of a once export. Positions and ids travel as text. */
export function bodiesOf(order: ExportOrder, { timeZone, taken, base = usualName(order) }: Naming): JobBody[] {
  const { name, format, scope, frequency, columns, device, segmentId, ranges } = order;
  const common = {
    format,
    scope,
    fields: columns.map(selectorOf),
    deviceLabel: device,
    ...(segmentId !== undefined && { segmentId: String(segmentId) }),
  };
  if (frequency !== 'once') return [{ name: name ?? untaken(base, taken), frequency: { value: frequency }, ...common }];
  return ranges.map((range) => {
    const named = name !== undefined && ranges.length === 1 ? name : `${name ?? base} ${rangeName(range, timeZone)}`;
    const dateRange = { from: isoAt(range.startMs, timeZone), to: isoAt(range.endMs, timeZone) };
    return { name: name === undefined ? untaken(named, taken) : named, frequency: { value: frequency, dateRange }, ...common };
  });
}

const WHEN = { once: 'a one-time', daily: 'a daily', hourly: 'an hourly' };

/** Longest list of names in a question. */
const MOST_NAMES = 40;

/** The question before jobs are created, which differ in name and range at most; `segment` is the name of theirs. */
export function creationQuestion(
  bodies: readonly [JobBody, ...JobBody[]],
  { segment, timeZone }: { readonly segment: string | undefined; readonly timeZone: string },
): string {
  const [{ frequency, scope = 'sessions', format, fields, deviceLabel, segmentId }] = bodies;
  const ofSegment = segmentId === undefined ? '' : `, segment ${plainText(segment ?? String(segmentId))}`;
  const visitors = `${deviceLabel === 'all' ? 'all devices' : deviceLabel}${ofSegment}`;
  const ofWhat = `with ${plainText(scope)} (${format}, ${counted(fields.length, 'column')}) for ${visitors}`;
  const named = bodies.map(({ name, frequency: { dateRange } }) => {
    const range = dateRange && rangeName({ startMs: Date.parse(dateRange.from), endMs: Date.parse(dateRange.to) }, timeZone);
    return `"${plainText(name)}"${range === undefined ? '' : ` of ${range}`}`;
  });
  const shown = fields.map(({ aliasName, ...field }) =>
    plainText(columnWords(field) + (aliasName === undefined ? '' : ` as "${aliasName}"`)),
  );
  const columns = `Columns: ${firstOf(shown, MOST_NAMES)}.`;
  if (bodies.length === 1)
    return `Create ${WHEN[frequency.value]} export ${named.join('')} ${ofWhat}? It cannot be deleted from here.\n${columns}`;
  const each = WHEN[frequency.value].replace(/^an? /, '');
  return `Create ${bodies.length} ${each} exports ${ofWhat}? They cannot be deleted from here.\n${firstOf(named, MOST_NAMES)}.\n${columns}`;
}
