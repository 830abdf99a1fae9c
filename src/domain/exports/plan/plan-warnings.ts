import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts';
import { hint } from '../../../lib/hint.ts';
import { lengthOf } from '../../../lib/intervals.ts';
import { counted } from '../../../lib/number-text.ts';
import { present } from '../../../lib/sentences.ts';
import type { ExportOrder, JobBody } from './job-bodies.ts';
import { isVariableField } from './resolve-fields.ts';
import { equalWords, isSuspended, jobWords, restingWords, type SimilarJob } from './similar-jobs.ts';

/** Columns that identify a row of each scope: of two exports of the same visit the later one wins. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['project_id', 'user_id', 'session_id'],
  views: ['project_id', 'user_id', 'session_id', 'view_number'],
};
/** Beyond this age the platform may have no data. */
const OLD_DAYS = 180;

interface Planned {
  readonly order: ExportOrder;
  readonly bodies: readonly JobBody[];
  readonly similar: readonly SimilarJob[];
  readonly nowMs: number;
}

function keyWords({ scope, columns }: ExportOrder): string[] {
  const missing = (KEYS[scope] ?? []).filter((key) => !columns.some(({ fieldName }) => fieldName === key));
  if (missing.length === 0) return [];
  return [`Duplicate rows cannot be recognised without ${missing.join(', ')}; add these fields unless totals are enough.`];
}

function scheduleWords({ order: { frequency, ranges }, bodies, nowMs }: Planned): string[] {
  if (frequency !== 'once')
    return [
      `${frequency === 'hourly' ? 'An' : 'A'} ${frequency} job runs until it is suspended in the console; the interface can neither ` +
        'change nor delete a job.',
      'It exports from its creation on; the past takes a once export.',
    ];
  const isRecent = ranges.some(({ endMs }) => endMs > nowMs - DAY_MS);
  const mayChange = ranges.some(({ endMs }) => endMs > nowMs - 7 * DAY_MS);
  const isOld = ranges.some(({ startMs }) => startMs < nowMs - OLD_DAYS * DAY_MS);
  return present(
    bodies.length > 1 && `${bodies.length} once jobs, because one takes at most 7 days (168 h); each begins where the one before ends.`,
    isRecent && 'The range reaches into the last 24 h: visits that are not over or not processed yet will be absent.',
    mayChange && 'Visits of apps may still change for 7 days: a later export of these days may differ.',
    isOld && 'How far back the data reach is not shown by the interface; the service refuses a range that begins earlier.',
  );
}

/** `2 of the 81 days`, where jobs have files of a part of a once export alone. */
function partWords({ ranges }: ExportOrder, similar: readonly SimilarJob[]): string | undefined {
  const [all, there] = [lengthOf(ranges), lengthOf(similar.flatMap(({ coverage }) => coverage?.have ?? []))];
  // The platform may end a range on its last second.
  if (all === 0 || there > all - ranges.length * MINUTE_MS) return undefined;
  const [unitMs, unit] = all < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day'];
  const round = (ms: number) => Math.round((10 * ms) / unitMs) / 10;
  return `${round(there)} of the ${counted(round(all), unit)}`;
}

/** How far jobs with all the columns replace a new one: files of all that is wanted, of a part, or none to come. */
function holdersSentence(order: ExportOrder, similar: readonly SimilarJob[]): string {
  const isRecurring = order.frequency !== 'once';
  const running = similar.map(({ job }) => job).filter((job) => !isRecurring || !isSuspended(job));
  const jobs = running.length > 0 ? running : similar.map(({ job }) => job);
  const [noun, verb] = jobs.length === 1 ? ['Job', 'has'] : ['Jobs', 'have'];
  const some = `${noun} ${jobWords(jobs)} ${verb} all these columns`;
  if (running.length === 0) return `${some}, but ${restingWords(jobs)}.`;
  const part = partWords(order, similar);
  const unknown = order.segmentId === undefined ? '' : '; whether of this segment, jobs do not show';
  if (part !== undefined) return `${some}, but files of only ${part} (see existing)${unknown}.`;
  if (unknown !== '') return `${some} (see existing)${unknown}.`;
  return `${some} (see existing): perhaps no export is needed.`;
}

/** Jobs that deliver just what is planned. */
export function equalAmong(similar: readonly SimilarJob[]): SimilarJob[] {
  return similar.filter(({ likeness }) => likeness !== 'holds');
}

/** Whether there is such an export already, which decides whether this one is wanted; undefined where there is none. */
export function existingSentence({ similar, order }: Pick<Planned, 'similar' | 'order'>): string | undefined {
  if (similar.length === 0) return undefined;
  const equal = equalAmong(similar);
  if (equal.length === 0 || partWords(order, similar) !== undefined) return holdersSentence(order, similar);
  const second =
    order.frequency === 'once' ? '' : hint('apply_export_plan', ' apply_export_plan creates it only with allowDuplicate: true.');
  return `${equalWords(equal.map(({ job }) => job))}.${second}`;
}

function similarWords({ similar, order }: Planned): string[] {
  if (similar.length === 0) return [];
  const hasVariables = order.columns.some(({ fieldName }) => isVariableField(fieldName));
  return [
    `Compared without segment${hasVariables ? ' and by the names of variables' : ''}, as jobs do not show ` +
      `${hasVariables ? 'more' : 'theirs'}.`,
  ];
}

/** Warnings for the person, before the jobs are created. */
export function planWarnings(planned: Planned): string[] {
  return [...similarWords(planned), ...scheduleWords(planned), ...keyWords(planned.order)];
}
