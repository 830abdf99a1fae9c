import { HOUR_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import {
  chanceOfDifference,
  dispersionOf,
  isFeltToTheEnd,
  LEAST_DIFFERENCE,
  likeliestSplit,
  NEEDED,
  type RunResults,
  type ShareChange,
  type Split,
  shareOf,
  splitAt,
} from './failed-share.ts';
import type { Span } from './run-series.ts';

/** Ends of the period that are held against all runs before them, in equal parts: a rise of yesterday is not seen in the whole week. */
const ENDS = 7;
/** The chance of one end alone; chosen so that at most about 2 % of scenarios without a change are told: docs/speed-statistics.md. */
const ALPHA = 0.008;
/** The chance that is asked of the rest of an end, without its worst hours: an outage alone leaves nothing beyond the usual. */
const REST_ALPHA = 0.1;
/** An outage ends within a working day. */
const OUTAGE_MS = 8 * HOUR_MS;
/** Days that scatter by so much more than single runs show that outages are usual here, so that two are taken out. */
const WITH_OUTAGES = 1.3;

/** The end of the period whose failures chance alone explains least. */
function worstEnd(results: RunResults, { startMs, endMs }: Span): Split | undefined {
  const { dates } = results;
  return Array.from({ length: ENDS }, (_, index) => startMs + (index * (endMs - startMs)) / ENDS)
    .map((ms) => dates.findIndex((date) => date >= ms))
    .filter((at) => at >= NEEDED && dates.length - at >= NEEDED)
    .map((at) => splitAt(results, at))
    .map((split) => ({ split, chance: chanceOfDifference(split.before, split.since, 1) }))
    .toSorted((a, b) => a.chance - b.chance)[0]?.split;
}

/** The places of the runs from one on, without those of the hours in which most failed: of so many outages. */
function withoutWorstHours({ dates, failed }: RunResults, from: number, outages: number): readonly number[] {
  let rest = dates.flatMap((_, index) => (index >= from ? [index] : []));
  for (let round = 0; round < outages; round += 1) {
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

/** Whether the later side fails more often beyond what days scatter by, to its end, and not in its worst hours alone. */
function isRise(results: RunResults, split: Split): boolean {
  const { at, before, since } = split;
  const riseTo = ({ share }: Split['since']) => (share ?? 0) - (before.share ?? 0);
  if (riseTo(since) < LEAST_DIFFERENCE || !isFeltToTheEnd(results, split)) return false;
  const dispersion = dispersionOf(results, (index) => (index < at ? before.share : since.share) ?? 0);
  if (chanceOfDifference(before, since, dispersion) > ALPHA) return false;
  const left = withoutWorstHours(results, at, dispersion > WITH_OUTAGES ? 2 : 1);
  const rest = shareOf(left.filter((index) => results.failed[index]).length, left.length);
  return riseTo(rest) > 0 && chanceOfDifference(before, rest, 1) <= REST_ALPHA;
}

/** Whether runs fail more often at the end of the period than before, and the likeliest first run of it. */
export function failureRise(results: RunResults, period: Span): ShareChange | undefined {
  const { dates } = results;
  const end = worstEnd(results, period);
  if (!end || !isRise(results, end)) return undefined;
  const first = dates.findIndex((date) => date >= period.startMs);
  const likeliest = likeliestSplit(results, first)?.split;
  const split = likeliest && isRise(results, likeliest) ? likeliest : end;
  return { ...split, atMs: nth(dates, split.at) };
}
