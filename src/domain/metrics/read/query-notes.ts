import { MAX_METRICS_RANGE_MS } from '../../../api/params.ts';
import { chunksOf } from '../../../lib/calendar.ts';
import { todayIn } from '../../../lib/dates.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { MetricAnswers, Missing } from './metric-answers.ts';
import { type MetricQuery, timeUnitOf } from './metric-query.ts';

/** Metrics of e-commerce projects alone (section 4.4). */
export const commerceMetrics: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Says why metrics of e-commerce have no value. */
export function commerceNote(metrics: readonly string[]): string {
  return `No value for ${metrics.join(', ')}: only e-commerce projects have one.`;
}

/** Says why metrics have no value over more than 92 days, a sentence for each; `refused` names what they lack. */
export function refusedNotes(refused: Readonly<Record<string, string>>): string[] {
  return Object.entries(refused).map(
    ([metric, lacks]) => `${metric} has no value over more than 92 days: ${lacks} are in no answer of the interface.`,
  );
}

/** Ranges that a note names before it counts the rest. */
const NAMED_PARTS = 4;

/** Whether metrics by goal have no value because the project has no e-commerce goal and none was named, and not for want of visits. */
export function needsGoal({ metrics, goalIds }: MetricQuery, { rows, missing }: MetricAnswers): boolean {
  if (goalIds.length > 0 || missing.length > 0) return false;
  const perGoal = metrics.filter((metric) => definitionOf(metric)?.perGoal && definitionOf(metric)?.combination.by !== 'refusal');
  const isEmpty = perGoal.length > 0 && rows.every(({ values }) => perGoal.every((metric) => values[metric] === null));
  // A count without visits would be 0 and not null; a rate alone may lack visits, unless something else was counted.
  return isEmpty && rows.some(({ values }) => values['conversionCount'] === null || Object.values(values).some(Boolean));
}

function missingNote({ reason, parts }: Missing, timeZone: string): string {
  const devicesOf = new Map<string, Set<string>>();
  for (const { selection, interval } of parts) {
    const [first, last] = [todayIn(timeZone, interval.startMs), todayIn(timeZone, interval.endMs)];
    const range = first === last ? first : `${first} … ${last}`;
    devicesOf.set(range, (devicesOf.get(range) ?? new Set()).add(selection.device));
  }
  const named = [...devicesOf].slice(0, NAMED_PARTS).map(([range, devices]) => `${range} (${[...devices].join(', ')})`);
  const more = devicesOf.size > NAMED_PARTS ? ` and ${devicesOf.size - NAMED_PARTS} more ranges` : '';
  return `Missing (null): ${named.join('; ')}${more}: ${reason}`;
}

/** Why metrics have no value in some rows or in all, as far as it can be told. */
function emptyNotes(query: MetricQuery, answers: MetricAnswers): string[] {
  const { rows, missing, refused } = answers;
  if (missing.length > 0) return [];
  const isEmpty = (metric: string) => rows.every(({ values }) => values[metric] === null);
  const isHoley = (metric: string) => rows.some(({ values }) => values[metric] === null);
  const told = query.metrics.filter(
    (metric) => refused[metric] === undefined && !(definitionOf(metric)?.perGoal && needsGoal(query, answers)),
  );
  const visitless = query.metrics.includes('visits') ? rows.filter(({ values }) => values['visits'] === 0).length : 0;
  const money = told.filter((metric) => commerceMetrics.has(metric));
  const commerce = money.every(isEmpty) && visitless < rows.length ? money : [];
  const others = told.filter((metric) => !commerce.includes(metric) && isHoley(metric));
  const nothing = query.zoneIds.length > 0 ? 'no visits or no taps' : 'no visits';
  return [
    ...(commerce.length > 0 ? [commerceNote(commerce)] : []),
    ...(visitless > 0
      ? [`No visits in ${visitless === rows.length ? 'this range with these filters' : `${visitless} of ${rows.length} rows`}.`]
      : []),
    ...(others.length > 0
      ? [`null for ${others.join(', ')}: the platform gave no value${visitless > 0 ? '' : ` (${nothing} to make it of)`}.`]
      : []),
  ];
}

/** What a reader of the table has to know: how ranges were joined, what is missing and why, which rows are cut. */
export function queryNotes(query: MetricQuery, answers: MetricAnswers, timeZone: string): string[] {
  const { metrics, interval, breakdown } = query;
  const unit = timeUnitOf(breakdown);
  const chunks = unit === undefined ? chunksOf(interval, timeZone, MAX_METRICS_RANGE_MS).length : 1;
  const means = metrics.filter((metric) => definitionOf(metric)?.combination.by === 'mean');
  const made = [
    ...metrics.flatMap((metric) => {
      const combination = definitionOf(metric)?.combination;
      return combination?.by === 'ratio' ? [`${metric} = ${combination.numerator} / ${combination.denominator} of the whole range`] : [];
    }),
    ...(means.length > 0 ? [`${means.join(', ')} weighted by visits`] : []),
    ...(metrics.includes('cartAverage')
      ? ['cartAverage = revenueSum / transactions, these being revenueSum / cartAverage of each range']
      : []),
  ];
  const refused = Object.entries(answers.refused).map(([metric, lacks]) => `${metric} (${lacks})`);
  return [
    ...(chunks > 1 ? [`Read in ${chunks} ranges of at most 92 days; ${['counts added', ...made].join('; ')}.`] : []),
    ...(refused.length > 0
      ? [
          `No value beyond 92 days for ${refused.join(', ')}: the counts in brackets are in no answer of the interface, and averages cannot be averaged. Break down by month, or ask for at most 92 days.`,
        ]
      : []),
    ...(unit === 'week' ? ['Weeks begin on Monday; a row is named by its first day.'] : []),
    ...(answers.rows.some(({ interval: { isPart } }) => unit !== undefined && isPart)
      ? ['(part): the range holds only a part of it.']
      : []),
    ...emptyNotes(query, answers),
    ...answers.missing.map((missing) => missingNote(missing, timeZone)),
    ...(answers.otherBounds === undefined ? [] : [`The platform states other bounds than those asked for: ${answers.otherBounds}.`]),
  ];
}
