import { HOUR_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { fisherTest } from '../../statistics/proportions.ts';
import { tailOf } from '../../statistics/tails.ts';
import {
  dispersionOf,
  isFeltToTheEnd,
  LEAST_DIFFERENCE,
  NEEDED,
  type RunResults,
  type ShareChange,
  sampleOf,
  shareOf,
} from './failed-share.ts';
import type { Span } from './run-series.ts';

/** Ends of the period that are held against all runs before them, in equal parts: a rise of yesterday is not seen in the whole week. */
const ENDS = 7;
/**
 * Chance of one end alone; over all ends 0.5 to 1.8 % of scenarios without a change are told to fail more often, 0.8 to 2.3 % where
 * every tenth day has an outage (`npm run bench -- nature failures`).
 */
const ALPHA = 0.008;
/** The chance that is asked of the rest of an end, without its worst hours: an outage alone leaves nothing beyond the usual. */
const REST_ALPHA = 0.1;
/** An outage ends within a working day. */
const OUTAGE_MS = 8 * HOUR_MS;
/** Days that scatter by so much more than single runs show that outages are usual here, so that two are taken out. */
const WITH_OUTAGES = 1.3;

/** Both sides of a split of the runs. */
function sidesAt({ failed }: RunResults, at: number): Pick<ShareChange, 'at' | 'before' | 'since'> {
  const count = (side: readonly boolean[]) => shareOf(side.filter(Boolean).length, side.length);
  return { at, before: count(failed.slice(0, at)), since: count(failed.slice(at)) };
}

type Sides = ReturnType<typeof sidesAt>;

const chanceOf = ({ before, since }: Sides) => fisherTest(sampleOf(before), sampleOf(since));

/** The end of the period that fails least as before, by chance alone. */
function worstEnd(results: RunResults, { startMs, endMs }: Span): Sides | undefined {
  const { dates } = results;
  const ends = Array.from({ length: ENDS }, (_, index) => startMs + (index * (endMs - startMs)) / ENDS)
    .map((ms) => dates.findIndex((date) => date >= ms))
    .filter((at) => at >= NEEDED && dates.length - at >= NEEDED)
    .map((at) => sidesAt(results, at));
  return ends.toSorted((a, b) => chanceOf(a) - chanceOf(b))[0];
}

/** The places of the runs of the later side without those of its worst hours, as often as told. */
function withoutWorstHours({ dates, failed }: RunResults, from: number, times: number): readonly number[] {
  let rest = dates.flatMap((_, index) => (index >= from ? [index] : []));
  for (let round = 0; round < times; round += 1) {
    const failures = rest.filter((index) => failed[index]);
    const inHoursFrom = (index: number) => (other: number) => {
      const passed = nth(dates, other) - nth(dates, index);
      return passed >= 0 && passed < OUTAGE_MS;
    };
    const counts = failures.map((index) => failures.filter(inHoursFrom(index)).length);
    const worst = failures[counts.indexOf(Math.max(...counts))];
    if (worst === undefined) return rest;
    const isInside = inHoursFrom(worst);
    rest = rest.filter((index) => !isInside(index));
  }
  return rest;
}

/** Whether the later side fails more often beyond what days scatter by, and not in its worst hours alone. */
function isRise(results: RunResults, sides: Sides): boolean {
  const { at, before, since } = sides;
  const rise = (since.share ?? 0) - (before.share ?? 0);
  // An outage that is over is no rise.
  if (rise < LEAST_DIFFERENCE || chanceOf(sides) > ALPHA || !isFeltToTheEnd(results, sides)) return false;
  const dispersion = dispersionOf(results, (index) => (index < at ? before.share : since.share) ?? 0);
  const isClustered = dispersion > WITH_OUTAGES;
  if (isClustered) {
    const pooled = (before.failed + since.failed) / (before.runs + since.runs);
    const variance = dispersion * pooled * (1 - pooled) * (1 / before.runs + 1 / since.runs);
    if (tailOf(rise / Math.sqrt(variance)) > ALPHA) return false;
  }
  const left = withoutWorstHours(results, at, isClustered ? 2 : 1);
  const rest = shareOf(left.filter((index) => results.failed[index]).length, left.length);
  return (rest.share ?? 0) > (before.share ?? 0) && chanceOf({ at, before, since: rest }) <= REST_ALPHA;
}

/**
 * Whether runs fail more often at the end of the period than before, and the likeliest first run of it. One who knows the share before and
 * the day finds little more: 3 → 12 % since three days, 48 runs a day, 98 against 90 %.
 */
export function failureRise(results: RunResults, period: Span): ShareChange | undefined {
  const end = worstEnd(results, period);
  return end && isRise(results, end) ? { ...end, atMs: nth(results.dates, end.at) } : undefined;
}
