import type { Span } from './engine/run-series.ts';
import { median } from './order.ts';
import { metricOf, type Step, type StepRun, type Window } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { leadingRow, levelNow, worstOf } from './study-table.ts';

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

/** Where a series took the level that it was called for. */
export interface Since {
  /** Of the first report from which the change holds, ms since 1970. */
  readonly date: number;
  /** Of the last report before it. */
  readonly previousDate: number;
  /** Between which instants the change lies, with about 95 % confidence. */
  readonly range: Span;
  /** Typical values of the level before and of the level after. */
  readonly before: number;
  readonly after: number;
  /** First report from which the change is undone again; undefined where it holds to the end. */
  readonly untilDate: number | undefined;
}

function sinceOf({ move }: Row): Since | undefined {
  if (!move?.since) return undefined;
  return { ...move.since, before: move.before.typical, after: move.after.typical, untilDate: move.untilDate };
}

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The run whose value lies closest to a level. */
function closest(runs: readonly StepRun[], metric: string, level: number): StepRun | undefined {
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.reduce<StepRun | undefined>((best, run) => (best && distance(best) <= distance(run) ? best : run), undefined);
}

interface Levels {
  /** Medians to be typical of. */
  readonly before: number;
  readonly after: number;
  /** First instant of the time after. */
  readonly splitMs: number;
  /** Last instant of the time before. */
  readonly beforeEndMs: number;
}

/** A typical run on each side, to be looked at side by side: next to the change where there is one, else the latest. */
function typicalRuns({ runs }: Step, metric: string, levels: Levels, since: Since | undefined) {
  const { splitMs, beforeEndMs } = since ? { splitMs: since.date, beforeEndMs: since.previousDate } : levels;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= beforeEndMs).slice(-NEIGHBOURS);
  const later = measured.filter(({ date }) => date >= splitMs && date < (since?.untilDate ?? Number.POSITIVE_INFINITY));
  return {
    before: closest(earlier, metric, since?.before ?? levels.before),
    after: closest(since ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, since?.after ?? levels.after),
  };
}

/** What reports alone say beyond the verdicts, and what to read next. */
export interface Clues {
  readonly leading: Row | undefined;
  readonly since: Since | undefined;
  readonly share: ServerShare | undefined;
  /** Runs of the leading step to be looked at side by side. */
  readonly examples: { readonly before: StepRun | undefined; readonly after: StepRun | undefined };
}

/** The runs before and since a change; the baseline and the period where there is none. */
function sidesOf({ baseline, period }: Study, since: Since | undefined) {
  if (!since) return { baseline: baseline.window, period: period.window };
  const endMs = since.untilDate === undefined ? period.window.endMs : since.untilDate - 1;
  return { baseline: { startMs: baseline.window.startMs, endMs: since.previousDate }, period: { startMs: since.date, endMs } };
}

/** Looks for the first report of the change, where the time goes, and which runs to look at. */
export function cluesIn(study: Study): Clues {
  const { baseline, period, rows, headline } = study;
  const leading = leadingRow(study);
  const row = leading?.step ? leading : worstOf(rows, leading?.metric ?? '');
  const since = headline && sinceOf(headline);
  const isOfLcp = ({ step, metric, move }: Row) => step === row?.step && metric === 'largestContentfulPaint' && move !== undefined;
  const level = row && levelNow(row)?.typical;
  const levels = {
    before: row?.move?.before.typical ?? level ?? 0,
    after: row?.move?.after.typical ?? level ?? 0,
    splitMs: period.window.startMs,
    beforeEndMs: baseline.window.endMs,
  };
  return {
    leading,
    since,
    share: row?.step && serverShareOf(row.step, sidesOf(study, since), rows.some(isOfLcp)),
    // Levels of the sum say nothing about those of a step.
    examples: row?.step
      ? typicalRuns(row.step, row.metric, levels, row === headline ? since : undefined)
      : { before: undefined, after: undefined },
  };
}
