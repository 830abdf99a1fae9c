import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { formatMs, formatPercent } from '../../lib/number-text.ts';
import type { RecentShift, Since } from './clues.ts';
import { ALPHA } from './compare-windows.ts';
import { type Failure, failureRate, failureVerdict } from './failures.ts';
import type { Row, Runs, Study } from './scenario-study.ts';
import type { ServerShare } from './server-share.ts';
import type { NearEvent } from './speed-events.ts';
import { formatValue, metricFact } from './speed-metrics.ts';
import { leadingRow } from './study-table.ts';
import type { Device } from './thresholds.ts';

/** Share of failed runs that is worth reporting; single failures are normal. */
const WORTH_A_SENTENCE = 0.03;

/** An instant to the minute: 2026-11-10T08:07Z. */
export function minute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

function percent(share: number | null, sign = false): string {
  return formatPercent(share === null ? null : share * 100, { digits: 0, sign });
}

function place({ step, metric }: Row): string {
  return `${step ? `step "${step.name}"` : 'all steps together'} ${metricFact(metric).short}`;
}

function fromTo({ metric, comparison: { before, after, relative } }: Row): string {
  const size = relative === null ? '' : ` (${percent(relative, true)})`;
  return `${formatValue(metric, before?.median ?? null)} → ${formatValue(metric, after?.median ?? null)}${size}`;
}

function moment(since: Since | undefined, [event]: readonly NearEvent[]): string {
  if (!since) return '';
  const gap = since.date - since.previousDate > 2 * DAY_MS ? ` (or earlier, after ${minute(since.previousDate)})` : '';
  const distance = event && formatMs(Math.max(MINUTE_MS, Math.round(Math.abs(event.leadMs) / MINUTE_MS) * MINUTE_MS));
  const near = event ? `, ${distance} ${event.leadMs >= 0 ? 'after' : 'before'} event "${event.text || event.key}"` : '';
  return ` since ${minute(since.date)}${gap}${near}`;
}

/** The other rows that changed, by step. */
function others(rows: readonly Row[], headline: Row): string {
  const byStep = new Map<string, string[]>();
  for (const row of rows) {
    if (row === headline || (row.verdict !== 'slower' && row.verdict !== 'faster')) continue;
    const where = row.step === headline.step ? 'there' : row.step ? `step "${row.step.name}"` : 'all steps together';
    const words = `${metricFact(row.metric).short}${row.verdict === headline.verdict ? '' : ` (${row.verdict})`}`;
    byStep.set(where, [...(byStep.get(where) ?? []), words]);
  }
  const places = [...byStep].map(([where, words]) => `${where} ${words.join(', ')}`);
  if (places.length === 0) return '';
  return ` Also ${places.slice(0, 3).join('; ')}${places.length > 3 ? `; ${places.length - 3} more steps` : ''}.`;
}

function speedSentence(study: Study, since: Since | undefined, events: readonly NearEvent[]): string {
  const { verdict, rows, steps, headline, baseline, period } = study;
  if (headline) {
    const word = verdict === 'slower' ? 'Slower' : 'Faster';
    return `${word}: ${place(headline)} ${fromTo(headline)}${moment(since, events)}.${others(rows, headline)}`;
  }
  const sound = ({ all, failed }: Runs) => all.length - failed.length;
  if (verdict === 'not enough data')
    return `Not enough data: ${sound(period)} runs without failure in the period, ${sound(baseline)} in the baseline.`;
  const leading = leadingRow(study);
  const level = leading ? ` Highest: ${place(leading)} ${fromTo(leading)}.` : '';
  const tested = rows.filter((row) => row.verdict === 'within noise').length;
  return `Within noise: none of ${tested} comparisons over ${steps.length} ${steps.length === 1 ? 'step' : 'steps'} stands out.${level}`;
}

function shiftSentence(shift: RecentShift | undefined): string {
  if (!shift) return '';
  const { row, date, before, after } = shift;
  const levels = `${formatValue(row.metric, before)} → ${formatValue(row.metric, after)}`;
  return ` But ${place(row)} went ${levels} at ${minute(date)}, too late to move the period: judge it with startDate ${minute(date)}.`;
}

function shareSentence(share: ServerShare | undefined): string {
  if (!share) return '';
  const { side, before, after, ofChange } = share;
  const part = ofChange === null ? `Mostly ${side}` : side === 'server' ? 'The server' : 'The front end, not the server';
  const earlier = before === null || after === null ? '' : ` (${percent(before)} before)`;
  return ` ${part}: TTFB is ${percent(after ?? before)} of its LCP${earlier}.`;
}

function failureSentence(study: Study, failures: readonly Failure[]): string {
  const rate = failureRate(study.period);
  const verdict = failureVerdict(study);
  if (rate === null || (rate < WORTH_A_SENTENCE && (verdict === 'within noise' || rate === 0))) return '';
  const before = failureRate(study.baseline);
  const change = before === null ? '' : ` (${percent(before)} before: ${verdict})`;
  const [first] = failures;
  const most = first && 2 * first.runs > failures.reduce((sum, { runs }) => sum + runs, 0) ? 'mostly' : 'for example';
  const how = first ? `, ${most} step "${first.step}"${first.message ? `: ${first.message}` : ''}` : '';
  return ` ${percent(rate)} of runs fail${change}${how}.`;
}

interface Found {
  readonly since: Since | undefined;
  readonly shift: RecentShift | undefined;
  readonly events: readonly NearEvent[];
  readonly share: ServerShare | undefined;
  readonly failures: readonly Failure[];
}

/** The whole answer in a few sentences, the verdict first. */
export function answerWords(study: Study, { since, shift, events, share, failures }: Found): string {
  return speedSentence(study, since, events) + shiftSentence(shift) + shareSentence(share) + failureSentence(study, failures);
}

/** How the verdicts were found, what was left out, and what the ratings mean. */
export function methodNotes({ rows, headline, baseline, period, usualSteps, otherSteps }: Study, device: Device): string[] {
  const tested = rows.filter(({ p }) => p !== null);
  const unit = tested.some(({ comparison }) => comparison.unit === 'days') ? 'runs, clustered by day' : 'single runs';
  const hours = period.window.endMs - period.window.startMs < DAY_MS - 1 ? ' Of the baseline only the hours of the period count.' : '';
  const metric = headline?.metric ?? 'largestContentfulPaint';
  const { short, effect } = metricFact(metric);
  const sums = rows.some(({ step }) => step === undefined)
    ? `; sums only over reports with ${usualSteps} steps (${otherSteps} others)`
    : '';
  return [
    `Method: rank test of ${unit}, adjusted for ${tested.length} comparisons (Benjamini–Hochberg, p ≤ ${ALPHA}), and at least ` +
      `${percent(effect.relative)} and ${formatValue(metric, effect.absolute)} of change for ${short}. Slower means more, also for ` +
      `CLS, weight, requests. Trend: medians of 24 h, the last 28.${hours}`,
    `${period.failed.length + baseline.failed.length} failed runs are left out${sums}.`,
    'Ratings: field p75 limits are those of real visits, held against lab runs here; lab limits go by the median. Device ' +
      `${device === 'unknown' ? 'unknown: the name does not say' : `${device}, guessed from the name`}. TBT stands in for INP.`,
  ];
}
