import { type Interval, isWithin } from '../../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { byLeast, byMost } from '../../lib/order.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { fisherTest, wilson } from '../../statistics/proportions.ts';
import { tailOf } from '../../statistics/tails.ts';
import { chanceOf } from './score-limits.ts';

/** A smaller difference of two shares is none that matters. */
const LEAST_DIFFERENCE = 0.02;
/** Runs that a side of a comparison needs. */
const NEEDED = 5;

/** A share with its 95 % interval (Wilson 1927), which is never empty and never leaves 0 to 1; null where nothing ran. */
export type Share = ReturnType<typeof shareOf>;

/** Runs and whether each failed, oldest first. */
interface RunResults {
  readonly dates: readonly number[];
  readonly failed: readonly boolean[];
}

/** The share of `failed` among `runs`. */
export function shareOf(failed: number, runs: number) {
  const [low, high] = wilson(failed / runs, runs);
  return { failed, runs, share: runs > 0 ? failed / runs : null, low, high };
}

/** The share of the runs `from` … `to` − 1. */
function shareIn(failed: readonly boolean[], from = 0, to = failed.length) {
  let hits = 0;
  for (let run = from; run < to; run += 1) if (failed[run]) hits += 1;
  return shareOf(hits, to - from);
}

/** The runs before a place among them, and those from it on, with its instant: neither side is empty. */
type Split = ReturnType<typeof splitAt>;

/** Both sides of a place among the runs. */
function splitAt({ dates, failed }: RunResults, at: number) {
  const sideOf = (from: number, to?: number) => {
    const side = shareIn(failed, from, to);
    return { ...side, share: side.failed / side.runs };
  };
  return { at, atMs: nth(dates, at), before: sideOf(0, at), since: sideOf(at) };
}

/** The share that a run is one of. */
const sharesOf =
  ({ at, before, since }: Split) =>
  (run: number) =>
    (run < at ? before : since).share;

const sampleOf = ({ failed, runs }: Share) => ({ hits: failed, of: runs });

/** The chance of as large a difference without a change: by Fisher's exact test, and by a normal test where days scatter by more. */
export function chanceOfDifference(before: Share, since: Share, dispersion: number): number {
  const exact = fisherTest(sampleOf(before), sampleOf(since));
  const pooled = (before.failed + since.failed) / (before.runs + since.runs);
  const variance = dispersion * pooled * (1 - pooled) * (1 / before.runs + 1 / since.runs);
  const difference = (since.share ?? 0) - (before.share ?? 0);
  return Math.max(exact, variance > 0 ? tailOf(difference / Math.sqrt(variance)) : 1);
}

/**
 * Pearson's statistic of the days against the share of all runs, per degree of freedom (Rao and Scott 1992 for clustered counts): a day's
 * outage in a short period is no change of the share, so that the days are compared with the days without one.
 */
function dispersionOf({ dates, failed }: RunResults, shareAt: (index: number) => number): number {
  const days = grouped([...dates.keys()], (index) => Math.floor(nth(dates, index) / DAY_MS));
  const parts = [...days.values()].flatMap((runs) => {
    const variance = sumOfKnown(runs, (run) => shareAt(run) * (1 - shareAt(run)));
    const excess = sumOfKnown(runs, (run) => Number(failed[run]) - shareAt(run));
    return variance > 0 ? [excess ** 2 / variance] : [];
  });
  return parts.length < 3 ? 1 : Math.max(1, sumOfKnown(parts, (part) => part) / (parts.length - 1));
}

const logLikelihood = (failed: number, runs: number) =>
  (failed > 0 ? failed * Math.log(failed / runs) : 0) + (failed < runs ? (runs - failed) * Math.log(1 - failed / runs) : 0);

/** A change of the share of hits among runs that come one by one, with this chance of one where the share stays; undefined without one. */
export function shareChangeIn(results: RunResults, alpha: number): Split | undefined {
  const split = likeliestSplit(results);
  if (!split || Math.abs(split.since.share - split.before.share) < LEAST_DIFFERENCE) return undefined;
  // One of as many splits that is beyond chance.
  const isClear = (dispersion: number) => chanceOf('step', split.gain / dispersion, results.dates.length, 0) <= alpha;
  // Without the change, days scatter by what they do on each side of it.
  return isClear(1) && isClear(dispersionOf(results, sharesOf(split))) ? split : undefined;
}

/** The split from this place on at which the likelihoods of two shares exceed that of one by most, and twice by how much. */
function likeliestSplit(results: RunResults, from = 0) {
  const { failed } = results;
  const runs = failed.length;
  const total = failed.filter(Boolean).length;
  const none = logLikelihood(total, runs);
  let best = { gain: 0, at: 0 };
  for (let at = 1, before = 0; at < runs; at += 1) {
    before += failed[at - 1] ? 1 : 0;
    if (at < Math.max(from, NEEDED) || runs - at < NEEDED) continue;
    const gain = 2 * (logLikelihood(before, at) + logLikelihood(total - before, runs - at) - none);
    if (gain > best.gain) best = { gain, at };
  }
  return best.at === 0 ? undefined : { ...splitAt(results, best.at), gain: best.gain };
}

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
function worstEnd(results: RunResults, { startMs, endMs }: Interval): Split | undefined {
  const { dates } = results;
  return Array.from({ length: ENDS }, (_, index) => startMs + (index * (endMs - startMs)) / ENDS)
    .map((ms) => dates.findIndex((date) => date >= ms))
    .filter((at) => at >= NEEDED && dates.length - at >= NEEDED)
    .map((at) => splitAt(results, at))
    .map((split) => ({ split, chance: chanceOfDifference(split.before, split.since, 1) }))
    .toSorted(byLeast(({ chance }) => chance))[0]?.split;
}

/** Whether the later half of the runs since a change still fails as its share says, and not as before. */
function isFeltToTheEnd(results: RunResults, { at, before, since }: Split): boolean {
  const { share } = splitAt(results, at + Math.floor((results.dates.length - at) / 2)).since;
  return Math.abs(share - since.share) < Math.abs(share - before.share);
}

/** The places of the runs from one on, without those of the hours in which most failed: of so many outages. */
function withoutWorstHours({ dates, failed }: RunResults, from: number, outages: number): readonly number[] {
  let rest = [...dates.keys()].slice(from);
  const failures = (runs: readonly number[]) => runs.filter((run) => failed[run]);
  for (let round = 0; round < outages; round += 1) {
    const [worst = []] = failures(rest)
      .map((first) => rest.filter((run) => run >= first && nth(dates, run) - nth(dates, first) < OUTAGE_MS))
      .toSorted(byMost((each) => failures(each).length));
    rest = rest.filter((run) => !worst.includes(run));
  }
  return rest;
}

/** Whether the later side fails more often beyond what days scatter by, to its end, and not in its worst hours alone. */
function isRise(results: RunResults, split: Split): boolean {
  const { at, before, since } = split;
  const riseTo = ({ share }: Share) => (share ?? 0) - before.share;
  if (riseTo(since) < LEAST_DIFFERENCE || !isFeltToTheEnd(results, split)) return false;
  const dispersion = dispersionOf(results, sharesOf(split));
  if (chanceOfDifference(before, since, dispersion) > RISE_ALPHA) return false;
  const left = withoutWorstHours(results, at, dispersion > WITH_OUTAGES ? 2 : 1);
  const rest = shareIn(left.map((index) => results.failed[index] ?? false));
  return riseTo(rest) > 0 && chanceOfDifference(before, rest, 1) <= REST_ALPHA;
}

/** Whether runs fail more often at the end of the period than before, and the likeliest first run of it. */
function failureRise(results: RunResults, period: Interval): Split | undefined {
  const end = worstEnd(results, period);
  if (!end || !isRise(results, end)) return undefined;
  const likeliest = likeliestSplit(
    results,
    results.dates.findIndex((date) => date >= period.startMs),
  );
  return likeliest && isRise(results, likeliest) ? likeliest : end;
}

/** Failures come in series (an outage), so that more is asked of a difference than 0.05. */
const ALPHA = 0.01;

/** The course of the share of failed runs. */
export const FAILURE_STATES = ['fails more often', 'fails less often', 'no change', 'not enough data'] as const;

/**
 * The share of failed runs before and in a period, whether it changed, and when: the change that lasts to the end of the period; else where
 * the share changed once in the look-back, beyond chance.
 */
export function judgeFailures(results: RunResults, period: Interval) {
  const { dates, failed } = results;
  const before = shareIn(failed.filter((_, run) => nth(dates, run) < period.startMs));
  const inPeriod = shareIn(failed.filter((_, run) => isWithin(nth(dates, run), period)));
  const trend = (state: (typeof FAILURE_STATES)[number], change?: Split) => ({ before, period: inPeriod, change, state });
  if (Math.min(before.runs, inPeriod.runs) < NEEDED) return trend('not enough data');
  const difference = (inPeriod.share ?? 0) - (before.share ?? 0);
  const pooled = (before.failed + inPeriod.failed) / (before.runs + inPeriod.runs);
  const dispersion = dispersionOf(results, () => pooled);
  const p = chanceOfDifference(before, inPeriod, dispersion);
  const change = shareChangeIn(results, ALPHA);
  // What began in the period and lasts to its end; the days before it in the period would dilute it.
  const isLasting = change && change.atMs >= period.startMs && isFeltToTheEnd(results, change);
  const lasting = isLasting ? change : failureRise(results, period);
  if (lasting) return trend(lasting.since.share > lasting.before.share ? 'fails more often' : 'fails less often', lasting);
  return trend(p <= ALPHA && difference <= -LEAST_DIFFERENCE ? 'fails less often' : 'no change', change);
}
