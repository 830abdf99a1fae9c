import { ofAnswer } from '../../lib/note-mark.ts';
import { counted } from '../../lib/number-text.ts';
import { ascending, quantile, varianceInflation } from '../../statistics/order.ts';
import { Z_95 } from '../../statistics/tails.ts';
import { type PagePlace, pageOf } from '../page-of.ts';
import { isCustomTiming, type NamedBudgets, nameBudgets, timingWords } from './custom-timings.ts';
import { type Share, shareOf } from './engine/failed-share.ts';
import { intervalWords, shareWords, WORTH_A_SENTENCE } from './failures.ts';
import { hasValue, isFailed, metricOf, type Report, stepsOf, webPageOf } from './runs.ts';
import { placeWords, type ScenarioPart } from './scenario-cursor.ts';
import { type Device, deviceOf, formatValue, metricFact, percentOf, roundValue, thresholdOf, thresholds } from './speed-metrics.ts';
import { unmeasuredIn } from './unmeasured.ts';

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
  readonly isClose: boolean;
  /** Of the runs; null where none of them has a value. */
  readonly median: number | null;
  readonly limit: number | null;
  /** The basis of the limit: given, or a threshold. */
  readonly basis: string | null;
  /** The distance to the limit as a share of it; negative where it is broken, null also for a limit of 0. */
  readonly margin: number | null;
  readonly runs: number;
}

/** The checks of a scenario, and how many of its runs failed meanwhile. */
export interface Checked {
  readonly scenarioId: number;
  readonly scenario: string;
  readonly checks: readonly Check[];
  readonly failed: Share;
  /** Its newest report, as a page for a person. */
  readonly viewOnTheWeb: string | undefined;
  /** Its custom timings, and the budgets whose metric is not among them; undefined where no run could be judged. */
  readonly timings: Pick<NamedBudgets<Budget>, 'timings' | 'unknown'> | undefined;
}

interface Limit extends Budget {
  readonly basis: string;
}

function limitsFor(budgets: readonly Budget[] | undefined, device: Device): Limit[] {
  if (budgets) return budgets.map((budget) => ({ ...budget, basis: 'given' }));
  // One ruler for the whole table: limits of Lighthouse for lab runs, the wider ones of a phone where the device is not known.
  const of = device === 'unknown' ? 'mobile' : device;
  return Object.keys(thresholds).flatMap((metric) => {
    const threshold = thresholdOf(metric, of);
    return threshold?.basis === `lab ${of}` ? [{ metric, limit: threshold.good, basis: `good, ${threshold.basis}` }] : [];
  });
}

/** The reports that count: all since the instant, or further back until enough of them are without failure. */
export function reportsToJudge(reports: readonly Report[], { sinceMs, least, most }: RunChoice): Report[] {
  const newest = reports.toSorted((a, b) => b.date - a.date);
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

/** The median of runs in the order of time, with the interval that its order statistics give. */
function medianOf(values: readonly number[]): { value: number; low: number; high: number } {
  const sorted = ascending(values);
  const half = (Z_95 / 2) * Math.sqrt(varianceInflation(values) / values.length);
  const at = (share: number) => quantile(sorted, Math.min(1, Math.max(0, share)));
  return { value: at(0.5), low: at(0.5 - half), high: at(0.5 + half) };
}

/** The entry of a scenario that could not be read. */
export function unmeasured(scenarioId: number, name: string | undefined): Checked {
  const scenario = name ?? String(scenarioId);
  const nothing = { step: null, metric: null, isClose: false, median: null, limit: null, basis: null, margin: null, runs: 0 };
  const checks = [{ scenarioId, scenario, status: 'not measured', ...nothing }] as const;
  return { scenarioId, scenario, checks, failed: shareOf(0, 0), viewOnTheWeb: undefined, timings: undefined };
}

const EVER = { startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY };

/**
 * Holds each step of a scenario against the limits; one that the step never had is left out where nobody asked for it.
 * A metric that half of the runs or all of the latest lack is not measured.
 */
export function checkScenario({ scenarioId, name, reports }: Measured, budgets: readonly Budget[] | undefined): Checked {
  const sound = reports.filter((report) => !isFailed(report));
  const failed = shareOf(reports.length - sound.length, reports.length);
  const viewOnTheWeb = webPageOf(reports);
  if (sound.length === 0) return { ...unmeasured(scenarioId, name), failed, viewOnTheWeb };
  const scenario = name ?? String(scenarioId);
  const named = budgets && nameBudgets(budgets, sound);
  const limits = limitsFor(named?.budgets, deviceOf(name));
  // A step within a page paints nothing of its own; a metric that no step has any longer is one that cannot be judged.
  const isNowhere = (metric: string) => !sound.some((report) => report.steps?.some((result) => hasValue(result, metric)));
  const checks = stepsOf(sound).flatMap((step) =>
    limits.flatMap(({ metric, limit, basis }): Check[] => {
      const values = step.runs.flatMap(({ result }) => metricOf(result, metric) ?? []);
      const about = { scenarioId, scenario, step: step.name, metric, limit, basis, runs: values.length };
      const isExpected = !isCustomTiming(metric) && (budgets !== undefined || isNowhere(metric));
      if (!isExpected && !step.runs.some(({ result }) => hasValue(result, metric))) return [];
      if (values.length < step.runs.length / 2 || unmeasuredIn(step, metric, EVER)?.isLost)
        return [{ ...about, status: 'not measured', isClose: false, median: null, margin: null }];
      const { value, low, high } = medianOf(values);
      const status: Status = value > limit ? 'broken' : 'passed';
      const margin = limit > 0 ? (limit - value) / limit : null;
      return [{ ...about, status, isClose: low <= limit && limit <= high, median: roundValue(metric, value), margin }];
    }),
  );
  return { scenarioId, scenario, checks, failed, viewOnTheWeb, timings: named };
}

const PLACES: readonly Status[] = ['broken', 'not measured', 'passed'];

/** Checks in the order in which they matter: broken ones, the worst first, then those without a value, then the closest. */
function inOrder(checks: readonly Check[]): Check[] {
  const margin = (check: Check) => check.margin ?? (check.status === 'broken' ? Number.NEGATIVE_INFINITY : 0);
  const order = (a: Check, b: Check) => (margin(a) < margin(b) ? -1 : Number(margin(a) > margin(b)));
  return checks.toSorted((a, b) => PLACES.indexOf(a.status) - PLACES.indexOf(b.status) || order(a, b));
}

/** Rows of a page for a model; a program gets all of them. */
const PAGE_ROWS = 20;

const columns = ['scenarioId', 'scenario', 'step', 'metric', 'status', 'close', 'median', 'limit', 'marginPercent', 'basis', 'runs'];

function cellsOf({ scenarioId, scenario, step, metric, status, isClose, median, limit, margin, basis, runs }: Check) {
  const marginPercent = margin === null ? null : percentOf(margin);
  return [scenarioId, scenario, step, metric, status, isClose ? 'close' : null, median, limit, marginPercent, basis, runs];
}

function say({ scenario, step, metric, median, limit, isClose }: Check): string {
  const of = metric ?? '';
  const against = `limit ${formatValue(of, limit)}${isClose ? ', close' : ''}`;
  return `${scenario}, step "${step}", ${metricFact(of).short} ${formatValue(of, median)} (${against})`;
}

/** A scenario that fails often enough for a sentence. */
interface FailingScenario extends Checked {
  readonly share: number;
}

function failingOf(all: readonly Checked[]): FailingScenario[] {
  const known = all.flatMap((each) => (each.failed.share === null ? [] : [{ ...each, share: each.failed.share }]));
  return known.filter(({ share }) => share >= WORTH_A_SENTENCE).toSorted((a, b) => b.share - a.share);
}

function failureWords(failing: readonly FailingScenario[]): string {
  const words = failing.map(({ scenario, failed, share }) => `${scenario} ${shareWords(share)} (${intervalWords(failed)})`);
  return words.length > 0 ? ` Runs fail: ${words.slice(0, 3).join('; ')}${words.length > 3 ? ` and ${words.length - 3} more` : ''}.` : '';
}

function verdict(checks: readonly Check[]): string {
  const of = (status: Status) => checks.filter((check) => check.status === status);
  const [broken, passed, missing] = [of('broken'), of('passed'), of('not measured')];
  const close = [broken, passed].map((some) => some.filter(({ isClose }) => isClose).length);
  const closeWords = [
    ...(close[0] ? [`${close[0]} of them close to the limit`] : []),
    ...(close[1] ? [`${close[1]} kept with the limit within noise`] : []),
  ];
  const [worst, closest] = [broken[0], passed[0]];
  const nearest = closest ? ` Closest: ${say(closest)}.` : '';
  const example = worst ? ` Worst: ${say(worst)}.` : nearest;
  const names = [...new Set(missing.map(({ scenario, step, metric }) => [scenario, step, metric].filter(Boolean).join(', ')))];
  const lacking =
    names.length > 0 ? ` Not measured: ${names.slice(0, 3).join('; ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}.` : '';
  const counts = [`${broken.length} of ${counted(broken.length + passed.length, 'budget')} broken`, ...closeWords].join(', ');
  return `${counts}.${example}${lacking}`;
}

/** Scenarios that a sentence names. */
const MOST_NAMED = 6;

/** ` Broken by scenario: Checkout – mobile 10, Home – desktop 2.`; empty where none is broken, or only one scenario is meant. */
function brokenWords(all: readonly Checked[]): string {
  const counts = all
    .map(({ scenario, checks }) => ({ scenario, count: checks.filter(({ status }) => status === 'broken').length }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  if (counts.length === 0 || all.length === 1) return '';
  const named = counts.slice(0, MOST_NAMED).map(({ scenario, count }) => `${scenario} ${count}`);
  const more = counts.length > MOST_NAMED ? ` and in ${counts.length - MOST_NAMED} more scenarios` : '';
  return ` Broken by scenario: ${named.join(', ')}${more}.`;
}

interface Paging {
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
export function budgetAnswer(all: readonly Checked[], { cursor, limit = PAGE_ROWS, list, whole, part }: Paging) {
  const ordered = inOrder(all.flatMap(({ checks }) => checks));
  const count = (status: Status) => ordered.filter((check) => check.status === status).length;
  const { items, page } = pageOf(ordered, { list, cursor, limit: whole ? ordered.length : limit });
  const failing = failingOf(all);
  const shown = new Set(items.map(({ scenarioId }) => scenarioId));
  const pages = all.flatMap(({ scenarioId, viewOnTheWeb }) =>
    shown.has(scenarioId) && viewOnTheWeb !== undefined ? [{ scenarioId, viewOnTheWeb }] : [],
  );
  return {
    answer: `${part ? `Of ${placeWords(part)}: ` : ''}${verdict(ordered)}${brokenWords(all)}${failureWords(failing)}`,
    broken: count('broken'),
    passed: count('passed'),
    unmeasured: count('not measured'),
    page: page satisfies PagePlace,
    columns,
    rows: items.map(cellsOf),
    pages,
    notes: [
      ...timingWords(
        'budgets',
        all.flatMap(({ timings }) => timings ?? []),
      ),
      ...(page.cursor === undefined
        ? []
        : [ofAnswer(`Rows ${page.from} to ${page.to} of ${page.matched}, broken ones first; pass cursor for more.`)]),
    ],
  };
}
