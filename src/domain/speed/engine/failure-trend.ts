import { HOUR_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import {
  chanceOfDifference,
  dispersionOf,
  LEAST_DIFFERENCE,
  likeliestSplit,
  NEEDED,
  type RunResults,
  type Share,
  type ShareChange,
  type Split,
  shareChangeIn,
  shareOf,
  splitAt,
} from './failed-share.ts';
import type { Span } from './run-series.ts';

/** Ends of the period that are held against all runs before them, in equal parts: a rise of yesterday is not seen in the whole week. */
const ENDS = 7;
/** The chance of one end alone; chosen so that at most about 2 % of scenarios without a change are told: docs/speed-statistics.md. */
const RISE_ALPHA = 0.008;
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

/** Whether the later half of the runs since a change still fails as its share says, and not as before. */
function isFeltToTheEnd({ failed }: RunResults, { at, before, since }: Split): boolean {
  const late = failed.slice(at + Math.floor((failed.length - at) / 2));
  const share = late.filter(Boolean).length / late.length;
  return Math.abs(share - (since.share ?? 0)) < Math.abs(share - (before.share ?? 0));
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
  if (chanceOfDifference(before, since, dispersion) > RISE_ALPHA) return false;
  const left = withoutWorstHours(results, at, dispersion > WITH_OUTAGES ? 2 : 1);
  const rest = shareOf(left.filter((index) => results.failed[index]).length, left.length);
  return riseTo(rest) > 0 && chanceOfDifference(before, rest, 1) <= REST_ALPHA;
}

/** Whether runs fail more often at the end of the period than before, and the likeliest first run of it. */
function failureRise(results: RunResults, period: Span): ShareChange | undefined {
  const { dates } = results;
  const end = worstEnd(results, period);
  if (!end || !isRise(results, end)) return undefined;
  const first = dates.findIndex((date) => date >= period.startMs);
  const likeliest = likeliestSplit(results, first)?.split;
  const split = likeliest && isRise(results, likeliest) ? likeliest : end;
  return { ...split, atMs: nth(dates, split.at) };
}

/** Failures come in series (an outage), so that more is asked of a difference than 0.05. */
const ALPHA = 0.01;

/** The trend of the share of failed runs. */
export interface FailureTrend {
  readonly before: Share;
  readonly period: Share;
  readonly state: 'fails more often' | 'fails less often' | 'no change' | 'not enough data';
  /** The change that lasts to the end of the period; else where the share changed once in the look-back, beyond chance. */
  readonly change: ShareChange | undefined;
}

/** The change that began in the period and lasts to its end; the days before it in the period would dilute it. */
function lastingChange(results: RunResults, change: ShareChange | undefined, period: Span): ShareChange | undefined {
  return change && change.atMs >= period.startMs && isFeltToTheEnd(results, change) ? change : failureRise(results, period);
}

const isMore = ({ before, since }: ShareChange) => (since.share ?? 0) > (before.share ?? 0);

/** The share of failed runs before and in a period, whether it changed, and when. */
export function judgeFailures(results: RunResults, period: Span): FailureTrend {
  const { dates, failed } = results;
  const within = (isIn: (date: number) => boolean) => {
    const places = dates.flatMap((date, index) => (isIn(date) ? [index] : []));
    return shareOf(places.filter((place) => failed[place]).length, places.length);
  };
  const before = within((date) => date < period.startMs);
  const inPeriod = within((date) => date >= period.startMs && date <= period.endMs);
  if (Math.min(before.runs, inPeriod.runs) < NEEDED) return { before, period: inPeriod, state: 'not enough data', change: undefined };
  const difference = (inPeriod.share ?? 0) - (before.share ?? 0);
  const pooled = (before.failed + inPeriod.failed) / (before.runs + inPeriod.runs);
  const p = chanceOfDifference(
    before,
    inPeriod,
    dispersionOf(results, () => pooled),
  );
  const change = shareChangeIn(results, ALPHA);
  const lasting = lastingChange(results, change, period);
  const found = { before, period: inPeriod, change: lasting ?? change };
  if (lasting) return { ...found, state: isMore(lasting) ? 'fails more often' : 'fails less often' };
  return { ...found, state: p <= ALPHA && difference <= -LEAST_DIFFERENCE ? 'fails less often' : 'no change' };
}
