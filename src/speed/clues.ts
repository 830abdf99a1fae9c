import { type Interval, isWithin } from '../lib/calendar.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { median } from '../statistics/order.ts';
import { datedOf } from './engine/run-series.ts';
import { metricOf, type Step, type StepRun } from './runs.ts';
import type { Row, SpeedMove, Study } from './scenario-study.ts';

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The step in which a metric is highest now. */
export function worstOf(rows: readonly Row[], metric: string): Row | undefined {
  const highest = ({ level }: Row) => level?.typical ?? Number.NEGATIVE_INFINITY;
  return rows.filter((row) => row.metric === metric && row.step).toSorted(byMost(highest))[0];
}

/** The row that speaks for a scenario in which nothing changed: the slowest LCP, or the highest of the first metric there is. */
export function leadingRow({ rows, headline }: Study): Row | undefined {
  return headline ?? worstOf(rows, 'largestContentfulPaint') ?? worstOf(rows, rows[0]?.metric ?? '') ?? rows[0];
}

/** The move of the headline, where it has a first run. */
export const datedMove = ({ headline }: Study) => datedOf(headline?.move);

/** Typical runs of a step, to be looked at side by side. */
export type Examples = ReturnType<typeof examplesOf>;

/** The run whose value lies closest to a level; the latest where no level is known. */
function closest(runs: readonly StepRun[], metric: string, level: number | undefined): StepRun | undefined {
  if (level === undefined) return runs.at(-1);
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.toSorted(byLeast(distance))[0];
}

/** The step that an answer looks at more closely: that of the leading row, of a sum the step in which it is highest. */
function closerRow(study: Study): Row | undefined {
  const leading = leadingRow(study);
  return leading?.step ? leading : worstOf(study.rows, leading?.metric ?? '');
}

/** The runs before and since the change of a study; without a change the baseline and the period. */
function sidesOf({ baseline, period }: Study, since: SpeedMove | undefined) {
  if (!since) return { earlier: baseline.window, later: period.window };
  const endMs = since.untilMs === undefined ? period.window.endMs : since.untilMs - 1;
  return { earlier: { startMs: baseline.window.startMs, endMs: since.previousMs }, later: { startMs: since.fromMs, endMs } };
}

/** The change of a step with its first run in an interval; of any step, or at any time, where none is named. */
export function changeNear({ headline, rows }: Study, asked: Step | undefined, near: Interval | undefined) {
  for (const { step, move } of [headline ?? [], rows].flat()) {
    if (!step || !move || move.shape === 'drift' || (asked && step.name !== asked.name)) continue;
    if (!near || isWithin(move.fromMs, near)) return { step, move };
  }
  return undefined;
}

/** A typical run of the leading step on each side: next to the move where it has an instant, else the latest. */
export function examplesOf(study: Study) {
  const row = closerRow(study);
  if (!row?.step) return { before: undefined, after: undefined };
  const { metric, move, level } = row;
  const dated = datedOf(move);
  const sides = sidesOf(study, dated);
  const measured = row.step.runs.filter(({ result }) => metricOf(result, metric) !== null);
  const later = measured.filter(({ date }) => isWithin(date, sides.later));
  return {
    before: closest(
      measured.filter(({ date }) => date <= sides.earlier.endMs).slice(-NEIGHBOURS),
      metric,
      (move?.before ?? level)?.typical,
    ),
    after: closest(dated ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, (move?.after ?? level)?.typical),
  };
}

/** Above this share of the LCP the server is where to look first (web.dev, "Optimize LCP": about 40 % is the usual part of TTFB). */
const SERVER_SHARE = 0.4;

/** How much of a step's LCP passes before the first byte, and where its time is lost. */
export type ServerShare = NonNullable<ReturnType<typeof serverShareOf>>;

/** The step that an answer looks at more closely, where the question is about a part of its LCP. */
const stepOfLcp = (study: Study) =>
  study.rows.some(({ metric }) => ['largestContentfulPaint', 'firstByte'].includes(metric)) ? closerRow(study)?.step : undefined;

/** Says whether a step waits for the server or for the page; a change is laid to where it came from, a level to its larger part. */
export function serverShareOf(study: Study) {
  const step = stepOfLcp(study);
  if (!step) return undefined;
  const { earlier, later } = sidesOf(study, datedMove(study));
  const middles = [earlier, later].map((side) => {
    const runs = step.runs.flatMap(({ date, result }) => {
      const [ttfb, lcp] = [metricOf(result, 'firstByte'), metricOf(result, 'largestContentfulPaint')];
      return isWithin(date, side) && ttfb !== null && lcp !== null ? [{ ttfb, lcp, share: ttfb / lcp }] : [];
    });
    const middle = (name: 'ttfb' | 'lcp' | 'share') => median(runs.map((run) => run[name]));
    return runs.length > 0 ? { ttfb: middle('ttfb'), lcp: middle('lcp'), share: middle('share') } : undefined;
  });
  const [was, is] = middles;
  const level = is ?? was;
  if (!level) return undefined;
  const hasMoved = study.rows.some((row) => row.step === step && row.metric === 'largestContentfulPaint' && row.move !== undefined);
  const ofChange = hasMoved && was && is && is.lcp !== was.lcp ? (is.ttfb - was.ttfb) / (is.lcp - was.lcp) : null;
  const isServer = ofChange === null ? level.share > SERVER_SHARE : ofChange >= 0.5;
  return {
    step: step.name,
    /** Median over the runs of TTFB divided by LCP; null where a side has no run with both. */
    before: was?.share ?? null,
    after: is?.share ?? null,
    /** Which part of the change of LCP came before the first byte; null where LCP hardly moved. */
    ofChange,
    side: isServer ? ('server' as const) : ('front end' as const),
  };
}
