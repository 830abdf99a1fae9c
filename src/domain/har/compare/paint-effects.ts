import { endOf } from '../analyse/blocking.ts';
import type { PaintTimes } from '../analyse/largest-paint.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import type { HarEntry } from '../read/har-model.ts';
import type { RequestChange } from './request-changes.ts';

/** The most that a request delayed or advanced each paint, ms; left out where the paint is unknown, 0 where it did not wait for it. */
export interface Effects {
  readonly fcpMs?: number;
  readonly lcpMs?: number;
  readonly loadMs?: number;
}

type Side = Pick<HarStudy, 'har' | 'main' | 'blocking' | 'largest' | 'summary'> & { readonly paints: PaintTimes };

/** The part of a change that a paint can have taken over: of its direction, and never more than the paint moved. */
function shareOf(changeMs: number, from: number | null, to: number | null): number | undefined {
  if (from === null || to === null) return undefined;
  const moved = to - from;
  return Math.sign(moved) === Math.sign(changeMs) ? Math.sign(moved) * Math.min(Math.abs(moved), Math.abs(changeMs)) : 0;
}

/** True where the first paint had to wait for a request, as far as the file shows. */
function holdsFirstPaint(entry: HarEntry, { main, blocking }: Side): boolean {
  return main.has(entry) || blocking.entries.includes(entry);
}

function holdsLargestPaint(entry: HarEntry, side: Side): boolean {
  return holdsFirstPaint(entry, side) || side.largest?.entry === entry;
}

function holdsLoad(entry: HarEntry, { summary }: Side): boolean {
  const { onLoadMs } = summary.totals;
  return onLoadMs !== null && (entry.startMs ?? 0) < onLoadMs && endOf(entry) <= onLoadMs + 50;
}

/** The most that a changed request did to the first paint, the largest paint and the load. */
export function effectsOf({ after, from, to }: RequestChange, was: Side, is: Side): Effects {
  const changeMs = to - from;
  const effect = (name: keyof Effects, holds: boolean, [before, now]: readonly [number | null, number | null]): Effects => {
    const ms = shareOf(changeMs, before, now);
    return ms === undefined ? {} : { [name]: holds ? Math.round(ms) : 0 };
  };
  return {
    ...effect('fcpMs', holdsFirstPaint(after, is), [was.paints.fcpMs, is.paints.fcpMs]),
    ...effect('lcpMs', holdsLargestPaint(after, is), [was.paints.lcpMs, is.paints.lcpMs]),
    ...effect('loadMs', holdsLoad(after, is), [was.summary.totals.onLoadMs, is.summary.totals.onLoadMs]),
  };
}

/** Largest effect on a paint first, then on the load, then by duration. */
export function byEffect(a: RequestChange & Effects, b: RequestChange & Effects): number {
  const paint = (row: Effects) => Math.abs(row.lcpMs ?? 0) + Math.abs(row.fcpMs ?? 0);
  const load = (row: Effects) => Math.abs(row.loadMs ?? 0);
  return paint(b) - paint(a) || load(b) - load(a) || Math.abs(b.to - b.from) - Math.abs(a.to - a.from);
}
