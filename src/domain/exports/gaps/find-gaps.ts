import { DAY_MS } from '../../../lib/clock.ts';
import type { ExportRange } from '../plan/job-bodies.ts';
import { type Cadence, cadenceOf, dueEnd, middleOf, slotStart, slotsIn } from './cadence.ts';
import { type ExportHistory, isAvailable, type JobRun, type Piece, piecesOf, type Status, type StatusInterval } from './run-coverage.ts';

/** The history of a job over a range, every part of it with its status. */
export interface GapStudy {
  readonly unit: Cadence['unit'];
  readonly timeZone: string;
  /** The range that was studied, up to the last run that is due. */
  readonly range: ExportRange;
  /** In order, without a gap; equal neighbours are one. */
  readonly intervals: readonly StatusInterval[];
  /** Ranges of runs without files follow from when they began. */
  readonly isInferred: boolean;
  /** How many days back were looked at, where the job has run longer. */
  readonly cutToDays?: number;
}

/** How far back a job is examined by default. */
const USUAL_DAYS = { day: 92, hour: 14 } as const;

interface GapQuestion {
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly timeZone: string;
  readonly nowMs: number;
}

type SlotStatus = Pick<StatusInterval, 'status' | 'by'>;

/** The range that a job was to deliver: what was asked for, else from its first run on, as far as it is due. */
function rangeOf(history: ExportHistory, cadence: Cadence, { startMs, endMs, nowMs }: GapQuestion): ExportRange & { isCut: boolean } {
  const { covering, runs, createdMs } = history;
  const begins = [
    ...covering.map(({ fromMs }) => fromMs),
    ...runs.map((run) => middleOf(run, cadence)).filter((middle) => middle !== undefined),
  ];
  const firstMs = begins.length > 0 ? Math.min(...begins) : (createdMs ?? nowMs);
  const usualMs = nowMs - USUAL_DAYS[cadence.unit] * DAY_MS;
  const toMs = Math.min(endMs ?? nowMs, history.frequency === 'once' ? nowMs : dueEnd(history, cadence, nowMs));
  const isCut = startMs === undefined && firstMs < usualMs;
  return { fromMs: startMs ?? slotStart(Math.max(firstMs, usualMs), history, cadence), toMs, isCut };
}

/** Runs without files by the slot that they were for. */
function runsFor(slot: ExportRange, runs: readonly JobRun[], cadence: Cadence, isOnce: boolean): JobRun[] {
  if (isOnce) return [...runs];
  return runs.filter((run) => {
    const middle = middleOf(run, cadence);
    return middle !== undefined && middle >= slot.fromMs && middle < slot.toMs;
  });
}

const UNDER_WAY = new Set(['created', 'runnable', 'running']);

/** Why a slot has no data. */
function causeOf(slot: ExportRange, history: ExportHistory, runs: readonly JobRun[], lifetime: ExportRange): SlotStatus {
  const filling = history.filling.find(({ fromMs, toMs }) => fromMs <= slot.fromMs && toMs >= slot.toMs);
  if (filling) return { status: 'filling', by: [filling.jobId] };
  const of = (isIt: (state: string) => boolean) => runs.filter(({ state }) => isIt(state)).map(({ runId }) => runId);
  const evidence: readonly (readonly [Status, (number | string)[]])[] = [
    ['running', of((state) => UNDER_WAY.has(state))],
    ['empty', of((state) => state === 'success')],
    ['failed', of(() => true)],
  ];
  const [status, by] = evidence.find(([, ids]) => ids.length > 0) ?? [];
  if (status && by) return { status, by };
  const hasRun = history.runs.length > 0;
  if (hasRun && slot.toMs <= lifetime.fromMs) return { status: 'before', by: [] };
  const isAfter = !hasRun || slot.fromMs >= lifetime.toMs;
  return { status: history.state === 'suspended' && isAfter ? 'suspended' : 'missing', by: [] };
}

/** From the first to the last range that the job has a run for. */
function lifetimeOf({ covering, runs }: ExportHistory, cadence: Cadence): ExportRange {
  const middles = runs.flatMap((run) => middleOf(run, cadence) ?? []);
  const half = cadence.periodMs / 2;
  const from = [...covering.map(({ fromMs }) => fromMs), ...middles.map((middle) => middle - half)];
  const to = [...covering.map(({ toMs }) => toMs), ...middles.map((middle) => middle + half)];
  return { fromMs: Math.min(Number.POSITIVE_INFINITY, ...from), toMs: Math.max(Number.NEGATIVE_INFINITY, ...to) };
}

/** Days or hours that a covered piece stands for. */
function slotCount({ fromMs, toMs }: ExportRange, { periodMs }: Cadence): number {
  return (toMs - fromMs) / periodMs;
}

/** Joins neighbours of the same status. */
export function joined(intervals: readonly StatusInterval[]): StatusInterval[] {
  const all: StatusInterval[] = [];
  for (const interval of intervals) {
    const last = all.at(-1);
    if (last?.status !== interval.status || last.toMs !== interval.fromMs) all.push(interval);
    else
      all[all.length - 1] = {
        ...last,
        toMs: interval.toMs,
        slots: last.slots + interval.slots,
        by: [...new Set([...last.by, ...interval.by])],
        ...(interval.visits !== undefined && { visits: (last.visits ?? 0) + interval.visits }),
      };
  }
  return all.map((interval) => ({ ...interval, slots: Math.max(1, Math.round(interval.slots)) }));
}

/** The delivered and the missing parts of a range, each missing part with its reason. */
export function findGaps(history: ExportHistory, asked: GapQuestion): GapStudy {
  const cadence = cadenceOf(history, asked.timeZone);
  const { isCut, ...range } = rangeOf(history, cadence, asked);
  const withFiles = new Set(history.covering.map(({ runId }) => runId));
  const others = history.runs.filter(({ runId }) => !withFiles.has(runId));
  const lifetime = lifetimeOf(history, cadence);
  const isOnce = history.frequency === 'once';

  const ofPiece = (piece: Piece): StatusInterval[] => {
    if (piece.runs.length > 0) {
      const status = piece.runs.some((run) => isAvailable(run, asked.nowMs, history.fileLifeMs)) ? 'available' : 'expired';
      return [{ fromMs: piece.fromMs, toMs: piece.toMs, status, slots: slotCount(piece, cadence), by: [] }];
    }
    return slotsIn(piece, cadence).map((slot) => {
      const runs = runsFor(slot, others, cadence, isOnce);
      return { ...slot, slots: slotCount(slot, cadence), ...causeOf(slot, history, runs, lifetime) };
    });
  };
  const pieces = range.fromMs < range.toMs ? piecesOf(range, [...history.covering, ...history.backfilled]) : [];
  const intervals = joined(pieces.flatMap(ofPiece));
  const isInferred = !isOnce && intervals.some(({ status }) => status === 'failed' || status === 'empty' || status === 'running');
  return {
    unit: cadence.unit,
    timeZone: cadence.timeZone,
    range,
    intervals,
    isInferred,
    ...(isCut && { cutToDays: USUAL_DAYS[cadence.unit] }),
  };
}
