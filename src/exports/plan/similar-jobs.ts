import { checkInput } from '../../api/check-input.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { createExportJob, type listExportJobs } from '../../api/operations/data-export.ts';
import { device } from '../../api/params.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { type Interval, lengthOf } from '../../lib/intervals.ts';
import { counted } from '../../lib/number-text.ts';
import { capital, firstOf, present } from '../../lib/sentences.ts';
import { type Coverage, coverageOf } from '../coverage.ts';
import { bodiesOf, type ExportOrder, type JobBody, type Naming } from './job-bodies.ts';
import { isVariableField } from './resolve-fields.ts';

/** A job as the list shows it. */
export type JobRecord = PayloadOf<typeof listExportJobs>[number];

/** The ids of jobs that can be asked for: one beyond 2^53 is a text. */
export function numericIds(jobs: readonly JobRecord[]): number[] {
  return jobs.flatMap(({ jobId }) => (typeof jobId === 'number' ? jobId : []));
}

/** The content of an export, as far as job records show it: they hold no segment, and no position or key of a variable. */
interface ExportContent extends Omit<ExportOrder, 'name' | 'columns' | 'segmentId'> {
  readonly columns: readonly { readonly fieldName?: string | null | undefined; readonly aliasName?: string | null | undefined }[];
  /** Left out: all visitors. */
  readonly segmentId?: number | string | undefined;
}

/** The segments of jobs by the requests that made them, as far as plans keep these; undefined for all visitors. */
export type KnownSegments = ReadonlyMap<number | string, number | string | undefined>;

/** A job that delivers the wanted columns of the same visitors. */
export interface SimilarJob {
  readonly job: JobRecord;
  /**
   * `equal`: the same columns, format, frequency and range; `perhaps equal`: likewise, but the record does not show the device; `holds`:
   * all the columns and perhaps more, at least in a part of the range.
   */
  readonly likeness: 'equal' | 'perhaps equal' | 'holds';
  /** Of a once export: what the job has exported of it or will export, and the rest. */
  readonly coverage?: Coverage;
}

/** The meaning of `deviceId` in jobs of known deployments; its first word is the label that a job is made with, where there is one. */
export const DEVICES: Readonly<Record<string, string>> = {
  '-1': 'all devices',
  '0': 'unknown device',
  '1': 'desktop',
  '2': 'mobile web',
  '3': 'tablet web',
  '4': 'mobile app',
  '5': 'tablet app',
};

/** The device label that a job was made with; undefined where its record does not show it. */
export function deviceOf({ filters }: JobRecord): JobBody['deviceLabel'] | undefined {
  return device.safeParse(DEVICES[String(filters?.deviceId)]?.split(' ')[0]).data;
}

/** Lower case, because records write states and frequencies as they like. */
export function lower(text: string | null | undefined): string {
  return (text ?? '').toLowerCase();
}

const isOf =
  (member: 'state' | 'frequency', ...words: readonly string[]) =>
  (job: Pick<JobRecord, 'state' | 'frequency'>) =>
    words.includes(lower(job[member]));

/** Whether a job runs a single time, and whether again and again. */
export const [isOnce, isRecurring] = [isOf('frequency', 'once'), isOf('frequency', 'daily', 'hourly')];
/** Whether a job waits for a run, whether its only one has ended, and whether it delivers nothing until it is resumed. */
export const [isActive, isCompleted, isSuspended] = [isOf('state', 'active'), isOf('state', 'completed'), isOf('state', 'suspended')];
/** Whether runs of a job are due or under way. */
export const isRunning = isOf('state', 'active', 'computing');

/** The key of a column's content; a variable is known by its name in the file alone. */
function columnKey({ fieldName, aliasName }: ExportContent['columns'][number]): string {
  return isVariableField(fieldName) ? `${fieldName} ${aliasName ?? '?'}` : (fieldName ?? '');
}

/** Whether a job there is has all columns (`holds`) or just these (`same`) of the same scope and, where its record shows it, device. */
function contentLikeness(job: JobRecord, wanted: Pick<ExportContent, 'scope' | 'device' | 'columns'>): 'same' | 'holds' | undefined {
  const isOther = lower(job.state) === 'deleted' || lower(job.scope) !== lower(wanted.scope);
  if (isOther || (deviceOf(job) ?? wanted.device) !== wanted.device) return undefined;
  const own = new Set((job.fields ?? []).map(columnKey));
  const asked = new Set(wanted.columns.map(columnKey));
  if (![...asked].every((key) => own.has(key))) return undefined;
  return own.size === asked.size ? 'same' : 'holds';
}

/** The jobs that deliver all the columns, whatever their range and schedule. */
export function jobsWithContent(jobs: readonly JobRecord[], wanted: Pick<ExportContent, 'scope' | 'device' | 'columns'>): JobRecord[] {
  return jobs.filter((job) => contentLikeness(job, wanted) !== undefined);
}

function likenessOf(
  job: JobRecord,
  wanted: ExportContent,
  covered: readonly Interval[],
  segments: KnownSegments,
): Omit<SimilarJob, 'job'> | undefined {
  const content = contentLikeness(job, wanted);
  // Undefined where neither its record nor a plan shows its own.
  const isOfSegment = segments.has(job.jobId) ? String(segments.get(job.jobId)) === String(wanted.segmentId) : undefined;
  if (!content || isOfSegment === false) return undefined;
  const equal = deviceOf(job) === undefined ? ('perhaps equal' as const) : ('equal' as const);
  // Jobs do not show a segment, and most have none: one that is wanted makes another export.
  const isSame = content === 'same' && (isOfSegment ?? wanted.segmentId === undefined) && lower(job.format) === lower(wanted.format);
  if (wanted.frequency !== 'once') {
    if (lower(job.frequency) !== wanted.frequency) return undefined;
    return { likeness: isSame ? equal : 'holds' };
  }
  const coverage = coverageOf(wanted.ranges, [], () => covered);
  if (coverage.have.length === 0) return undefined;
  const isRange = wanted.ranges.some((range) => covered.some((other) => other.startMs === range.startMs && other.endMs === range.endMs));
  const isEqual = isSame && isRange && isOnce(job);
  return { likeness: isEqual ? equal : 'holds', coverage };
}

/** The jobs that deliver what is wanted, equal ones first. `coveredBy` gives the ranges that a job has exported or will export. */
export function similarJobs(
  jobs: readonly JobRecord[],
  wanted: ExportContent,
  coveredBy: (job: JobRecord) => readonly Interval[],
  segments: KnownSegments,
): SimilarJob[] {
  const similar = jobs.flatMap((job): SimilarJob[] => {
    const likeness = likenessOf(job, wanted, coveredBy(job), segments);
    return likeness ? [{ job, ...likeness }] : [];
  });
  const order: readonly SimilarJob['likeness'][] = ['equal', 'perhaps equal', 'holds'];
  return similar.toSorted((a, b) => order.indexOf(a.likeness) - order.indexOf(b.likeness));
}

/** The jobs that deliver, or perhaps deliver, on the same schedule just what a recurring job with this body would; none for a once job. */
export function equalRecurring(
  { format, scope = 'sessions', frequency, fields, deviceLabel, segmentId }: JobBody,
  jobs: readonly JobRecord[],
  segments: KnownSegments,
) {
  if (frequency.value === 'once') return [];
  const wanted = { scope, format, frequency: frequency.value, device: deviceLabel, columns: fields, segmentId, ranges: [] };
  return similarJobs(jobs, wanted, () => [], segments).flatMap(({ job, likeness }) => (likeness === 'holds' ? [] : job));
}

/** That jobs which are suspended deliver nothing, as the end of a sentence about them. */
function restingWords(jobs: readonly JobRecord[]): string {
  const [pronoun, verb, last] = jobs.length === 1 ? ['it', 'delivers', 'is'] : ['they', 'deliver', 'are'];
  return `${pronoun} ${verb} nothing until ${pronoun} ${last} resumed in the console`;
}

/** That such jobs exist, as the beginning of a warning: for certain, or perhaps where no record of them shows its device. */
export function equalWords(jobs: readonly JobRecord[]): string {
  const sure = jobs.filter((job) => deviceOf(job) !== undefined);
  const some = sure.length > 0 ? sure : jobs;
  const isResting = some.every(isSuspended);
  const then = isResting ? `${restingWords(some)}; then a second one` : 'a second one';
  if (sure.length > 0) return `An equal job exists: ${jobWords(sure)}. ${capital(then)} would deliver the same rows again`;
  return (
    `A job that is perhaps equal exists: ${jobWords(jobs)}. Its record does not show the device; for the same device ${then} would ` +
    'deliver the same rows again'
  );
}

/** Jobs as warnings name them. */
function jobWords(jobs: readonly JobRecord[]): string {
  const words = jobs.map((job) => {
    const last = job.lastRunTime ? `, last run ${job.lastRunTime.slice(0, 10)}` : '';
    return `${job.jobId} "${job.name ?? ''}"${isSuspended(job) ? ` (suspended${last})` : ''}`;
  });
  return firstOf(words, 3);
}

/** Whether a job is what this body creates, as far as its record shows it: by name, columns, and all that does not change. */
export function isJobOf(job: JobRecord, { name, format, scope = 'sessions', frequency, fields, deviceLabel }: JobBody): boolean {
  return (
    job.name === name &&
    lower(job.format) === lower(format) &&
    lower(job.frequency) === frequency.value &&
    contentLikeness(job, { scope, device: deviceLabel, columns: fields }) === 'same'
  );
}

/** Ids of the jobs that a plan must not take for its own: those that were there before it, whatever their range. */
export function idsOfEqual(jobs: readonly JobRecord[], bodies: readonly JobBody[]): (number | string)[] {
  return jobs.filter((job) => bodies.some((body) => isJobOf(job, body))).map(({ jobId }) => jobId);
}

/** The requests of an order, checked and each with a name of its own, and the jobs that a plan of them must not take for its own. */
export async function draftJobs(order: ExportOrder, jobs: readonly JobRecord[], naming: Omit<Naming, 'taken'>) {
  const bodies = bodiesOf(order, { ...naming, taken: new Set(jobs.map(({ name }) => name ?? '')) });
  for (const body of bodies) checkInput(createExportJob, body);
  return { bodies, known: idsOfEqual(jobs, bodies) };
}

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
    bodies.length > 1 &&
      `${bodies.length} once jobs, because one takes at most 7 days (168 h); each begins where the one before ends. jobIds takes all.`,
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
  const running = similar.map(({ job }) => job).filter((job) => order.frequency === 'once' || !isSuspended(job));
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

/** Warnings for the person, before the jobs are created. */
export function planWarnings(planned: Planned): string[] {
  const { scope, columns } = planned.order;
  const missing = (KEYS[scope] ?? []).filter((key) => !columns.some(({ fieldName }) => fieldName === key));
  const [names, more] = columns.some(({ fieldName }) => isVariableField(fieldName))
    ? [' and by the names of variables', 'more']
    : ['', 'theirs'];
  return present(
    planned.similar.length > 0 && `Compared without segment${names}, as jobs do not show ${more}.`,
    ...scheduleWords(planned),
    missing.length > 0 && `Duplicate rows cannot be recognised without ${missing.join(', ')}; add these fields unless totals are enough.`,
  );
}
