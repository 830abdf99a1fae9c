import { refuse } from '../api/errors.ts';
import type { Finding } from '../findings/finding.ts';
import { pageOf } from '../findings/page-of.ts';
import { paragraphOf, ranked } from '../findings/paragraph.ts';
import { type Device, thresholdOf, thresholds } from '../har/page-limits.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted } from '../lib/number-text.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { capital, present } from '../lib/sentences.ts';
import { medianWithin } from '../statistics/order.ts';
import { failuresIn, type Unmeasured, unmeasuredIn, WORTH_A_SENTENCE } from './failures.ts';
import {
  hasValue,
  isCustomTiming,
  isFailed,
  type NamedTimings,
  nameTimings,
  type Report,
  runsOf,
  seriesOf,
  soundOf,
  stepsOf,
  timingWords,
  webPageOf,
} from './runs.ts';
import { placeWords, type ScenarioPart } from './scenario-cursor.ts';
import { failureFinding, limitFinding, unmeasuredFinding } from './speed-findings.ts';
import { canBe, deviceOf, formatValue, metricFact, percentOf, roundValue } from './speed-metrics.ts';

/** A scenario with the reports to judge it by. */
export interface Measured {
  readonly scenarioId: number;
  readonly name: string | undefined;
  readonly reports: readonly Report[];
}

/** Which runs count. */
export interface RunChoice {
  readonly sinceMs: number;
  /** Runs without failure to reach back for where there are fewer since then. */
  readonly least: number;
  /** The number of latest ones to take; all when left out. */
  readonly most?: number | undefined;
}

/** A limit that the caller gave, in the unit of the metric. */
export interface Budget {
  readonly metric: string;
  readonly limit: number;
}

type Status = 'broken' | 'passed' | 'not measured';

/** The check of one metric of one step against its limit; without step and metric: a scenario that could not be measured. */
export interface Check {
  readonly scenarioId: number;
  readonly scenario: string;
  readonly step: string | null;
  readonly metric: string | null;
  readonly status: Status;
  /** The limit lies within the 95 % interval of the median: other runs might say otherwise. */
  readonly close: 'close' | null;
  /** Of the runs; null where none of them has a value. */
  readonly median: number | null;
  readonly limit: number | null;
  /** The distance to the limit in percent of it; negative where it is broken, null also for a limit of 0. */
  readonly marginPercent: number | null;
  /** The basis of the limit: given, or a threshold; and whose it is, where it is not the caller's. */
  readonly basis: string | null;
  readonly ruler?: string | undefined;
  readonly runs: number;
  /** Runs that lack the metric, where it is not measured. */
  readonly lack?: Unmeasured | undefined;
}

/** The checks of a scenario, and how many of its runs failed meanwhile, told where that is worth a sentence. */
export interface Checked {
  readonly scenarioId: number;
  readonly scenario: string;
  readonly checks: readonly Check[];
  readonly reports: readonly Report[];
  /** Its custom timings, and the budgets whose metric is not among them; undefined where no run could be judged. */
  readonly timings: Pick<NamedTimings, 'timings' | 'unknown'> | undefined;
}

function limitsFor(budgets: readonly Budget[] | undefined, device: Device): (Budget & Pick<Check, 'basis' | 'ruler'>)[] {
  if (budgets) return budgets.map((budget) => ({ ...budget, basis: 'given' }));
  // One ruler for the whole table: limits of Lighthouse for lab runs, the wider ones of a phone where the device is not known.
  const of = device === 'unknown' ? 'mobile' : device;
  return Object.keys(thresholds).flatMap((metric) => {
    const threshold = thresholdOf(metric, of);
    return threshold?.basis === `lab ${of}`
      ? [{ metric, limit: threshold.good, basis: `good, ${threshold.basis}`, ruler: `Lighthouse's good limit on ${of}` }]
      : [];
  });
}

/** The reports that count: all since the instant, or further back until enough of them are without failure. */
export function reportsToJudge(reports: readonly Report[], { sinceMs, least, most }: RunChoice): Report[] {
  const newest = reports.toSorted(byMost(({ date }) => date));
  const wanted = most ?? Number.POSITIVE_INFINITY;
  const chosen: Report[] = [];
  let sound = 0;
  for (const report of newest) {
    if (sound >= wanted || (sound >= least && report.date < sinceMs)) break;
    chosen.push(report);
    if (!isFailed(report)) sound += 1;
  }
  return chosen;
}

const NOTHING = {
  step: null,
  metric: null,
  status: 'not measured',
  close: null,
  median: null,
  limit: null,
  basis: null,
  marginPercent: null,
  runs: 0,
} as const;

const EVER = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

/**
 * Holds each step of a scenario against the limits; one that the step never had is left out where nobody asked for it.
 * A metric that half of the runs or all of the latest lack is not measured.
 */
export function checkScenario({ scenarioId, name, reports }: Measured, budgets: readonly Budget[] | undefined): Checked {
  const sound = soundOf(reports);
  const about = { scenarioId, scenario: name ?? String(scenarioId) };
  if (sound.length === 0) return { ...about, checks: [{ ...NOTHING, ...about }], reports, timings: undefined };
  const timings = nameTimings(
    budgets?.map(({ metric }) => metric),
    sound,
  );
  const own = budgets?.flatMap((budget) => (nameTimings([budget.metric], sound).metrics ?? []).map((metric) => ({ ...budget, metric })));
  const limits = limitsFor(own, deviceOf(name));
  // A step within a page paints nothing of its own; a metric that no step has any longer is one that cannot be judged.
  const isNowhere = (metric: string) => !sound.some((report) => report.steps?.some((result) => hasValue(result, metric)));
  const checks = stepsOf(sound).flatMap((step) =>
    limits.flatMap((budget): Check[] => {
      const { metric, limit } = budget;
      const { values } = seriesOf(step, metric);
      const isExpected = !isCustomTiming(metric) && (budgets !== undefined || isNowhere(metric));
      if (!isExpected && !step.runs.some(({ result }) => hasValue(result, metric))) return [];
      const check = { ...NOTHING, ...about, ...budget, step: step.name, runs: values.length };
      const lack = unmeasuredIn(step, metric, EVER);
      if (values.length < step.runs.length / 2 || lack?.isLost) return [{ ...check, lack }];
      const { middle: value, low, high } = medianWithin(values);
      const status = value > limit ? 'broken' : 'passed';
      const marginPercent = limit > 0 ? (100 * (limit - value)) / limit : null;
      return [
        { ...check, status, close: low <= limit && limit <= high ? 'close' : null, median: roundValue(metric, value), marginPercent },
      ];
    }),
  );
  return { ...about, checks, reports, timings: budgets && timings };
}

const PLACES: readonly Status[] = ['broken', 'not measured', 'passed'];

/** Checks in the order in which they matter: broken ones, the worst first, then those without a value, then the closest. */
function inOrder(checks: readonly Check[]): Check[] {
  const margin = ({ marginPercent, status }: Check) => marginPercent ?? (status === 'broken' ? Number.NEGATIVE_INFINITY : 0);
  return checks.toSorted(byLeast(({ status }) => PLACES.indexOf(status), margin));
}

/** Rows of a page for a model; a program gets all of them. */
const PAGE_ROWS = 20;

const COLUMNS = [
  'scenarioId',
  'scenario',
  'step',
  'metric',
  'status',
  'close',
  'median',
  'limit',
  'marginPercent',
  'basis',
  'runs',
] as const;

const cellsOf = ({ marginPercent, ...check }: Check) => {
  const cells = { ...check, marginPercent: marginPercent === null ? null : percentOf(marginPercent / 100) };
  return COLUMNS.map((name) => cells[name]);
};

/** The record of a check; undefined of one that nothing is known of. */
function checkFinding({ scenario, step, metric, median, limit, ruler, close, lack }: Check, reader: Reader): Finding | undefined {
  const place = { ...reader, name: scenario };
  if (lack) return unmeasuredFinding(lack, place);
  if (step === null || metric === null || median === null || limit === null) return undefined;
  return limitFinding({ step, metric, median, limit, ruler, isClose: close !== null }, place);
}

/** The failures of the scenario that fails most, where they are worth a sentence. */
function failureFindings(all: readonly Checked[], reader: Reader): Finding[] {
  const shareIn = ({ reports }: Checked) => reports.filter(isFailed).length / reports.length;
  return all
    .filter((checked) => shareIn(checked) >= WORTH_A_SENTENCE)
    .toSorted(byMost(shareIn))
    .slice(0, 1)
    .map(({ scenario, reports }) => {
      const sides = { baseline: runsOf([], EVER), period: runsOf(reports, { ...EVER, startMs: reports.at(-1)?.date ?? 0 }) };
      return failureFinding(failuresIn(sides), sides.period, { ...reader, name: scenario });
    });
}

/** `12 of 105 budgets are broken and 3 not measured, by Lighthouse's good limits for lab runs.` */
function verdictSentence(checks: readonly Check[]): string {
  const of = (status: Status) => checks.filter((check) => check.status === status);
  const [broken, missing] = [of('broken'), of('not measured').length];
  const held = checks.length - missing;
  const close = broken.filter((check) => check.close).length;
  const are = broken.length === 1 ? 'is' : 'are';
  const said = present(
    held > 0 && `${broken.length} of ${counted(held, 'budget')} ${are} broken${close > 0 ? `, ${close} not significantly` : ''}`,
    missing > 0 && (held > 0 ? `${missing} not measured` : `${counted(missing, 'budget')} could not be judged`),
  );
  const ruler = checks.some((check) => check.ruler !== undefined) ? ", by Lighthouse's good limits for lab runs" : '';
  return `${said.join(' and ')}${ruler}.`;
}

/** Scenarios that a sentence names. */
const MOST_NAMED = 6;

/** `Broken by scenario: Checkout – mobile 10, Home – desktop 2.`; empty where none is in that state, or only one scenario is meant. */
function scenarioSentence(all: readonly Checked[], status: Status): string {
  const counts = all
    .map(({ scenario, checks }) => ({ scenario, count: checks.filter((check) => check.status === status).length }))
    .filter(({ count }) => count > 0)
    .toSorted(byMost(({ count }) => count));
  if (counts.length === 0 || (all.length === 1 && status === 'broken')) return '';
  const named = counts.slice(0, MOST_NAMED).map(({ scenario, count }) => `${scenario} ${count}`);
  const more = counts.length > MOST_NAMED ? ` and in ${counts.length - MOST_NAMED} more scenarios` : '';
  return `${capital(status)} by scenario: ${named.join(', ')}${more}.`;
}

/** The zone and the year of the reader. */
interface Reader {
  readonly timeZone: string;
  readonly year: string;
}

interface Paging extends Reader {
  readonly cursor: string | undefined;
  /** Rows of a page; 20 when left out. */
  readonly limit?: number | undefined;
  /** All that the rows depend on. */
  readonly list: unknown;
  /** Every row, for a program. */
  readonly whole: boolean;
  /** Set where these are not all scenarios that were asked for. */
  readonly part?: ScenarioPart | undefined;
}

/** The answer of a check of budgets, the verdict first; rows in pages, every broken budget before any other. */
export function budgetAnswer(all: readonly Checked[], { cursor, limit = PAGE_ROWS, list, whole, part, ...reader }: Paging) {
  const ordered = inOrder(all.flatMap(({ checks }) => checks));
  const count = (status: Status) => ordered.filter((check) => check.status === status).length;
  const { items, page } = pageOf(ordered, { list, cursor, limit: whole ? ordered.length : limit });
  const faults = ['broken', 'not measured'] as const;
  const told = faults.flatMap((fault) => ordered.find(({ status }) => status === fault) ?? []);
  const checked = (told.length > 0 ? told : ordered.slice(0, 1)).flatMap((check) => checkFinding(check, reader) ?? []);
  const findings = [...ranked(checked), ...failureFindings(all, reader)];
  const sentences = findings.map(({ sentence }) => [sentence]);
  const byScenario = faults.map((status) => scenarioSentence(all, status));
  const { answer, rest } = paragraphOf([verdictSentence(ordered), ...sentences, ...present(...byScenario)]);
  const shown = new Set(items.map(({ scenarioId }) => scenarioId));
  const pages = all.flatMap(({ scenarioId, reports }) => {
    const viewOnTheWeb = webPageOf(reports);
    return shown.has(scenarioId) && viewOnTheWeb !== undefined ? [{ scenarioId, viewOnTheWeb }] : [];
  });
  return {
    answer: `${part ? `Of ${placeWords(part)}: ` : ''}${answer}`,
    findings,
    broken: count('broken'),
    passed: count('passed'),
    unmeasured: count('not measured'),
    page,
    columns: [...COLUMNS],
    rows: items.map(cellsOf),
    pages,
    ...(rest.length > 0 && { details: rest }),
    notes: present(
      ...timingWords(
        'budgets',
        all.flatMap(({ timings }) => timings ?? []),
      ),
      page.cursor !== undefined && ofAnswer(`Rows ${page.from} to ${page.to} of ${page.matched}, broken ones first; pass cursor for more.`),
    ),
  };
}

/** Metrics that take longer than this many ms on any page, so that a smaller limit is one in seconds. */
const LONG = new Set(
  (
    'firstByte largestContentfulPaint firstContentfulPaint firstPaint speedIndex loadTime loadEvent firstConsistentlyInteractive ' +
    'visuallyComplete'
  ).split(' '),
);
const LEAST_MS = 20;
/** Nobody means a paint within less, nor after as many seconds. */
const LEAST_MEANT_MS = 100;
/** No page weighs less than this many bytes: a smaller limit is one in kB, and below 100 in MB. */
const LEAST_BYTES = 10_000;
const LEAST_KILOBYTES = 100;

/** Nobody means a larger limit: ten minutes, a gigabyte; a layout shift of 1 is all of the screen. */
const LARGEST = { ms: 600_000, bytes: 1e9, count: 100_000, score: 1 } as const;

/** The unit that a limit can only have been meant in; undefined for that of the metric. */
function meantUnit({ metric, limit }: Budget) {
  if (limit === 0 || isCustomTiming(metric)) return undefined;
  const { kind } = metricFact(metric);
  if (kind === 'bytes' && limit < LEAST_KILOBYTES) return { name: 'MB', factor: 1e6 };
  if (kind === 'bytes' && limit < LEAST_BYTES) return { name: 'kB', factor: 1e3 };
  const isSeconds = kind === 'ms' && (limit < 1 || (LONG.has(metric) && limit < LEAST_MS));
  return isSeconds ? { name: 's', factor: 1e3 } : undefined;
}

/** Why a limit cannot be meant in any unit; undefined where it can. */
function unmeantWords({ metric, limit }: Budget): string | undefined {
  const { kind } = metricFact(metric);
  const good = thresholdOf(metric, 'mobile')?.good;
  const usual = good === undefined ? '' : `; good is up to ${formatValue(metric, good)}`;
  const isNone = LONG.has(metric) && metric !== 'firstByte' && limit >= LEAST_MS && limit < LEAST_MEANT_MS;
  if (isNone || !canBe(metric, limit)) return `no page keeps it${isNone ? ' in ms, and each does in s' : ''}${usual}`;
  if (limit <= LARGEST[kind]) return undefined;
  return `it ${kind === 'score' ? 'has no unit and ' : ''}hardly ever exceeds ${formatValue(metric, LARGEST[kind])}${usual}`;
}

/**
 * Limits in the units of their metrics, ms and bytes, with a note on each that was given in seconds, kB or MB; throws an `invalid` error
 * for one that cannot be meant.
 */
export function inOwnUnits(budgets: readonly Budget[] | undefined, note: (sentence: string) => void): Budget[] | undefined {
  return budgets?.map((budget) => {
    const { metric, limit } = budget;
    const unmeant = unmeantWords(budget);
    if (unmeant !== undefined) refuse(`budgets: a limit of ${limit} for ${metric} cannot be meant: ${unmeant}. Which limit is?`);
    const unit = meantUnit(budget);
    if (!unit) return budget;
    const own = { metric, limit: Math.round(limit * unit.factor * 1e6) / 1e6 };
    const listed = unit.name === 's' ? 'ms' : 'bytes';
    const kept = `${formatValue(metric, own.limit)}: taken in ${unit.name}`;
    note(`limit ${limit} of ${metric} = ${kept}, because no page keeps it in ${listed}`);
    return own;
  });
}
