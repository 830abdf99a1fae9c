import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import { chunksOf, slotsOf } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { MetricAnswers, Missing } from './metric-answers.ts';
import { OTHER_DEVICE } from './metric-grid.ts';
import { isByDevice, isBySegment, isOfDays, type MetricQuery, timeUnitOf } from './metric-query.ts';
import type { QueryLine, QueryLines } from './query-table.ts';

/** Metrics of e-commerce projects alone (section 4.4). */
export const commerceMetrics: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Says why metrics of e-commerce have no value, by name where there may be others. */
export function commerceNote(metrics: readonly string[] = []): string {
  return `No value${metrics.length > 0 ? ` for ${metrics.join(', ')}` : ''}: only e-commerce projects have one.`;
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

/** Why metrics have no value in some rows or in all, as far as it is known. */
function emptyNotes(query: MetricQuery, answers: MetricAnswers, { lines, refused: byWeekday }: QueryLines): string[] {
  const { missing } = answers;
  if (missing.length > 0) return [];
  const refused = { ...answers.refused, ...byWeekday };
  const rows = lines.filter(({ isOther }) => !isOther);
  const isEmpty = (metric: string) => rows.every(({ values }) => values[metric] === null);
  const isHoley = (metric: string) => rows.some(({ values }) => values[metric] === null);
  const asked = query.metrics.filter(
    (metric) => refused[metric] === undefined && !(definitionOf(metric)?.perGoal && needsGoal(query, answers)),
  );
  const visitless = query.metrics.includes('visits') ? rows.filter(({ values }) => values['visits'] === 0).length : 0;
  const money = asked.filter((metric) => commerceMetrics.has(metric));
  const commerce = money.every(isEmpty) && visitless < rows.length ? money : [];
  const others = asked.filter((metric) => !commerce.includes(metric) && isHoley(metric));
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

/** How weekdays were made, and which days of the range are in none. */
function notesOfDays({ interval, breakdown }: MetricQuery, refused: QueryLines['refused'], timeZone: string): string[] {
  const cut = slotsOf('day', interval, timeZone).filter(({ isPart }) => isPart);
  const lacking = Object.entries(refused).map(([metric, lacks]) => `${metric} (${lacks})`);
  return [
    'Rows are made of whole days (days: how many): counts are sums, rates and averages are made from those.',
    ...(cut.length > 0 ? [`Not in these rows, because not whole: ${cut.map(({ label }) => label).join(', ')}.`] : []),
    ...(lacking.length > 0
      ? [`No value by ${timeUnitOf(breakdown)} for ${lacking.join(', ')}: the counts in brackets are in no answer of the interface.`]
      : []),
  ];
}

/** How many visits are on no device that can be asked for. */
function otherNotes({ zoneIds }: MetricQuery, lines: readonly QueryLine[]): string[] {
  const others = lines.filter(({ isOther }) => isOther);
  if (others.length === 0) return [];
  const made = 'all less the three devices; null where that cannot be made';
  if (zoneIds.length > 0) return [`${OTHER_DEVICE}: ${made}.`];
  const whole = others.filter(({ order }) => order === Number.POSITIVE_INFINITY);
  const visits = (whole.length > 0 ? whole : others).map(({ values }) => values['visits']);
  const counts = visits.length > 3 ? 'visits' : `${visits.map((count) => count ?? 'unknown').join(', ')} visits`;
  return [`${OTHER_DEVICE}: ${counts}, ${made}.`];
}

function shareNote({ breakdown, devices, compareSegments }: MetricQuery): string {
  const split = { breakdown, devices, compareSegments };
  const of = [...(isByDevice(split) ? ['all devices'] : []), ...(isBySegment(split) ? [ALL_VISITORS] : [])];
  const whole = of.length > 0 ? `${of.join(' and ')}${timeUnitOf(breakdown) ? ' of the same time' : ''}` : 'the sum of these rows';
  return `Shares are percent of ${whole}.${isBySegment(split) ? ' Segments may overlap.' : ''}`;
}

/** By what rows are ordered, and how many a limit leaves out. */
function orderNotes({ order, limit }: MetricQuery, { of }: QueryLines): string[] {
  if (!order || of < 2) return [];
  const shown = limit !== undefined && limit < of ? `The first ${limit} of ${of} rows, by` : 'Rows by';
  return [`${shown} ${order.metric}, ${order.smallestFirst ? 'smallest' : 'largest'} first.`];
}

/** The notes of a table: how ranges were joined, what is missing and why, which rows are cut. */
export function queryNotes(query: MetricQuery, answers: MetricAnswers, table: QueryLines, timeZone: string): string[] {
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
          `No value beyond 92 days for ${refused.join(', ')}: the counts in brackets are in no answer of the interface, and averages ` +
            `cannot be averaged. Break down by month, or ask for at most 92 days.`,
        ]
      : []),
    ...orderNotes(query, table),
    ...(isOfDays(unit) ? notesOfDays(query, table.refused, timeZone) : []),
    ...(unit === 'week' ? ['Weeks begin on Monday; a row is named by its first day.'] : []),
    ...(table.lines.some(({ interval: { isPart } }) => unit !== undefined && isPart) ? ['(part): the range holds only a part of it.'] : []),
    ...otherNotes(query, table.lines),
    ...(query.shares ? [shareNote(query)] : []),
    ...emptyNotes(query, answers, table),
    ...answers.missing.map((missing) => missingNote(missing, timeZone)),
    ...(answers.otherBounds === undefined ? [] : [`The platform states other bounds than those asked for: ${answers.otherBounds}.`]),
  ];
}
