import { shiftDays } from '../../../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts';
import { isoAt } from '../../../lib/dates.ts';
import type { ExportRange } from '../plan/job-bodies.ts';
import type { ExportHistory, JobRun } from './run-coverage.ts';

/** The rhythm of a job, inferred from the runs whose range is known. */
export interface Cadence {
  readonly unit: 'day' | 'hour';
  readonly periodMs: number;
  /** From the end of a range to the start of its run; undefined where it is not known. */
  readonly lagMs: number | undefined;
  /** The zone whose midnights the ranges begin at. */
  readonly timeZone: string;
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** How long after the end of their range runs begin. */
function lagOf({ runs, covering, next }: ExportHistory): number | undefined {
  const started = new Map(runs.map(({ runId, startedMs }) => [runId, startedMs]));
  const lags = covering.flatMap(({ runId, toMs }) => {
    const startedMs = started.get(runId);
    return startedMs === undefined ? [] : [startedMs - toMs];
  });
  return median(lags) ?? (next?.startMs === undefined ? undefined : next.startMs - next.toMs);
}

/** The given zone where a range begins at its midnight, else UTC. */
function zoneOf({ covering, next }: ExportHistory, timeZone: string): string {
  const first = covering.at(-1) ?? next;
  return first && isoAt(first.fromMs, timeZone).slice(11, 16) === '00:00' ? timeZone : 'UTC';
}

/** The interval of a job's runs, their usual delay, and the zone of their days. */
export function cadenceOf(history: ExportHistory, timeZone: string): Cadence {
  const isHourly = history.frequency === 'hourly';
  return {
    unit: isHourly ? 'hour' : 'day',
    periodMs: isHourly ? HOUR_MS : DAY_MS,
    lagMs: lagOf(history),
    timeZone: zoneOf(history, timeZone),
  };
}

/** The middle of the range that a run was for, by when it began; undefined where that is not known. */
export function middleOf({ startedMs }: JobRun, { periodMs, lagMs }: Cadence): number | undefined {
  return startedMs === undefined || lagMs === undefined ? undefined : startedMs - lagMs - periodMs / 2;
}

/** The end of what is due at `nowMs`: the beginning of the next range, or as far as a run would have started. */
export function dueEnd({ next, covering, state }: ExportHistory, { periodMs, lagMs = 0 }: Cadence, nowMs: number): number {
  if (next) return Math.min(next.fromMs, nowMs);
  const anchorMs = covering.at(-1)?.toMs ?? 0;
  const doneMs = state === 'suspended' ? nowMs : nowMs - lagMs;
  return anchorMs + Math.max(0, Math.floor((doneMs - anchorMs) / periodMs)) * periodMs;
}

/** The beginning of the day or hour of the job that an instant lies in; a run that failed is known by its middle alone. */
export function slotStart(instantMs: number, { covering, next }: ExportHistory, { unit, periodMs, timeZone }: Cadence): number {
  const anchorMs = covering[0]?.fromMs ?? next?.fromMs ?? 0;
  const slots = Math.floor((instantMs - anchorMs) / periodMs);
  return unit === 'day' ? shiftDays(anchorMs, slots, timeZone) : anchorMs + slots * periodMs;
}

/** Cuts a range into days of a zone or into hours; the first and the last may be shorter. */
export function slotsIn({ fromMs, toMs }: ExportRange, { unit, timeZone }: Pick<Cadence, 'unit' | 'timeZone'>): ExportRange[] {
  const slots: ExportRange[] = [];
  for (let start = fromMs; start < toMs; ) {
    const end = Math.min(toMs, unit === 'day' ? shiftDays(start, 1, timeZone) : start + HOUR_MS);
    slots.push({ fromMs: start, toMs: end });
    start = end;
  }
  return slots;
}
