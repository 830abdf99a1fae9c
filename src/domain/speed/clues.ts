import { median } from '../../statistics/order.ts';
import type { Move } from './engine/run-series.ts';
import { metricOf, type Step, type StepRun, type Window } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { leadingRow, worstOf } from './study-table.ts';

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The run whose value lies closest to a level; the latest where no level is known. */
function closest(runs: readonly StepRun[], metric: string, level: number | undefined): StepRun | undefined {
  if (level === undefined) return runs.at(-1);
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.reduce<StepRun | undefined>((best, run) => (best && distance(best) <= distance(run) ? best : run), undefined);
}

/** A typical run of a step on each side, to be looked at side by side: next to the move where it has an instant, else the latest. */
function typicalRuns(row: Row, { runs }: Step, { baseline, period }: Study) {
  const { metric, move } = row;
  const dated = move?.shape === 'drift' ? undefined : move;
  const level = row.verdict.level?.typical;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= (dated?.previousMs ?? baseline.window.endMs)).slice(-NEIGHBOURS);
  const isLater = (date: number) => date >= (dated?.fromMs ?? period.window.startMs) && date < (dated?.untilMs ?? Number.POSITIVE_INFINITY);
  const later = measured.filter(({ date }) => isLater(date));
  return {
    before: closest(earlier, metric, move?.before.typical ?? level),
    after: closest(dated ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, move?.after.typical ?? level),
  };
}

/** Above this share of the LCP the server is where to look first (web.dev, "Optimize LCP": about 40 % is the usual part of TTFB). */
const SERVER_SHARE = 0.4;

/** How much of a step's LCP passes before the first byte, and where its time is lost. */
export interface ServerShare {
  readonly step: string;
  /** Median over the runs of TTFB divided by LCP; null where a side has no run with both. */
  readonly before: number | null;
  readonly after: number | null;
  /** Which part of the change of LCP came before the first byte; null where LCP hardly moved. */
  readonly ofChange: number | null;
  readonly side: 'server' | 'front end';
}

interface Pair {
  readonly ttfb: number;
  readonly lcp: number;
}

function pairsIn({ runs }: Step, { startMs, endMs }: Window): Pair[] {
  return runs.flatMap(({ date, result }) => {
    const [ttfb, lcp] = [metricOf(result, 'firstByte'), metricOf(result, 'largestContentfulPaint')];
    return date >= startMs && date <= endMs && ttfb !== null && lcp !== null && lcp > 0 ? [{ ttfb, lcp }] : [];
  });
}

function middle(pairs: readonly Pair[], value: (pair: Pair) => number): number | null {
  return pairs.length > 0 ? median(pairs.map(value)) : null;
}

/** Says whether a step waits for the server or for the page; a change is laid to where it came from, a level to its larger part. */
function serverShareOf(step: Step, windows: { baseline: Window; period: Window }, changed: boolean): ServerShare | undefined {
  const [earlier, later] = [pairsIn(step, windows.baseline), pairsIn(step, windows.period)];
  const share = ({ ttfb, lcp }: Pair) => ttfb / lcp;
  const [before, after] = [middle(earlier, share), middle(later, share)];
  const level = after ?? before;
  if (level === null) return undefined;
  const moved = (value: (pair: Pair) => number) => (middle(later, value) ?? 0) - (middle(earlier, value) ?? 0);
  const lcpMoved = moved(({ lcp }) => lcp);
  const ofChange = changed && before !== null && after !== null && lcpMoved !== 0 ? moved(({ ttfb }) => ttfb) / lcpMoved : null;
  const isServer = ofChange === null ? level > SERVER_SHARE : ofChange >= 0.5;
  return { step: step.name, before, after, ofChange, side: isServer ? 'server' : 'front end' };
}

/** Facts from the reports beyond the verdicts, and the next things to read. */
export interface Clues {
  readonly leading: Row | undefined;
  /** The move of the headline, where it has a first run. */
  readonly since: Move | undefined;
  readonly share: ServerShare | undefined;
  /** Runs of the leading step to be looked at side by side. */
  readonly examples: { readonly before: StepRun | undefined; readonly after: StepRun | undefined };
}

/** The runs before and since a change; without a change the baseline and the period. */
function sidesOf({ baseline, period }: Study, since: Move | undefined) {
  if (!since) return { baseline: baseline.window, period: period.window };
  const endMs = since.untilMs === undefined ? period.window.endMs : since.untilMs - 1;
  return { baseline: { startMs: baseline.window.startMs, endMs: since.previousMs }, period: { startMs: since.fromMs, endMs } };
}

/** Looks for the first report of the change, where the time goes, and which runs to look at. */
export function cluesIn(study: Study): Clues {
  const { rows, headline } = study;
  const leading = leadingRow(study);
  const row = leading?.step ? leading : worstOf(rows, leading?.metric ?? '');
  const since = headline?.move?.shape === 'drift' ? undefined : headline?.move;
  if (!row?.step) return { leading, since, share: undefined, examples: { before: undefined, after: undefined } };
  const isOfLcp = ({ step, metric, move }: Row) => step === row.step && metric === 'largestContentfulPaint' && move !== undefined;
  return {
    leading,
    since,
    share: serverShareOf(row.step, sidesOf(study, since), rows.some(isOfLcp)),
    // Levels of the sum say nothing about those of a step.
    examples: typicalRuns(row, row.step, study),
  };
}
