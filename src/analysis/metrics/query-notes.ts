import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import { chunksOf } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import { definitionOf } from '../metric-units.ts';
import type { MetricAnswers, Missing } from './answers.ts';
import { type MetricQuery, timeUnitOf } from './query.ts';

/** Ranges that a note names before it counts the rest. */
const NAMED_PARTS = 4;
/** Metrics of e-commerce projects alone (section 4.4). */
const COMMERCE: ReadonlySet<string> = new Set(['revenueSum', 'cartAverage']);

/** Metrics by goal without a goal and without a single value: the project has no e-commerce goal. */
export function needsGoal({ metrics, goalIds }: MetricQuery, { rows, missing }: MetricAnswers): boolean {
  if (goalIds.length > 0 || missing.length > 0 || rows.length === 0) return false;
  const perGoal = metrics.filter((metric) => definitionOf(metric)?.perGoal && definitionOf(metric)?.combination.by !== 'refusal');
  const hasVisits = !metrics.includes('visits') || rows.some(({ values }) => values['visits'] !== 0);
  return perGoal.length > 0 && hasVisits && perGoal.every((metric) => rows.every(({ values }) => values[metric] === null));
}

function missingNote({ reason, parts }: Missing, timeZone: string): string {
  const devicesOf = new Map<string, Set<string>>();
  for (const { selection, stretch } of parts) {
    const [first, last] = [todayIn(timeZone, stretch.startMs), todayIn(timeZone, stretch.endMs)];
    const range = first === last ? first : `${first} … ${last}`;
    devicesOf.set(range, (devicesOf.get(range) ?? new Set()).add(selection.device));
  }
  const named = [...devicesOf].slice(0, NAMED_PARTS).map(([range, devices]) => `${range} (${[...devices].join(', ')})`);
  const more = devicesOf.size > NAMED_PARTS ? ` and ${devicesOf.size - NAMED_PARTS} more ranges` : '';
  return `Missing (null): ${named.join('; ')}${more}: ${reason}`;
}

/** Why metrics have no value in any row, as far as it can be told. */
function emptyNotes(query: MetricQuery, answers: MetricAnswers): string[] {
  const { rows, missing, refused } = answers;
  if (missing.length > 0) return [];
  const empty = query.metrics.filter((metric) => refused[metric] === undefined && rows.every(({ values }) => values[metric] === null));
  const perGoal = needsGoal(query, answers) ? empty.filter((metric) => definitionOf(metric)?.perGoal) : [];
  const commerce = empty.filter((metric) => COMMERCE.has(metric));
  const others = empty.filter((metric) => !perGoal.includes(metric) && !commerce.includes(metric));
  return [
    ...(commerce.length > 0 ? [`No value for ${commerce.join(', ')}: they exist for e-commerce projects only.`] : []),
    ...(others.length > 0 ? [`The platform gave no value for ${others.join(', ')}: nothing was counted that they could be made of.`] : []),
  ];
}

/** What a reader of the table has to know: how ranges were joined, what is missing and why, which rows are cut. */
export function queryNotes(query: MetricQuery, answers: MetricAnswers, timeZone: string): string[] {
  const { metrics, stretch, breakdown } = query;
  const unit = timeUnitOf(breakdown);
  const chunks = unit === undefined ? chunksOf(stretch, timeZone, MAX_METRICS_RANGE_MS).length : 1;
  const recomputed = metrics.filter((metric) => definitionOf(metric)?.combination.by === 'ratio');
  const refused = Object.entries(answers.refused).map(([metric, lacks]) => `${metric} (${lacks})`);
  const visitless = metrics.includes('visits') && answers.rows.some(({ values }) => values['visits'] === 0);
  return [
    ...(chunks > 1 ? [`Read in ${chunks} ranges of at most 92 days; counts added${recomputed.length > 0 ? ', conversionRate = conversionCount / visits of the whole range' : ''}.`] : []), // biome-ignore format: one thought
    ...(refused.length > 0 ? [`No value beyond 92 days for ${refused.join(', ')}: the counts in brackets are in no answer of the interface, and averages cannot be averaged. Break down by month, or ask for at most 92 days.`] : []), // biome-ignore format: one thought
    ...(unit === 'week' ? ['Weeks begin on Monday; a row is named by its first day.'] : []),
    ...(answers.rows.some(({ stretch: { isPart } }) => unit !== undefined && isPart) ? ['(part): the range holds only a part of it.'] : []),
    ...(visitless ? ['Where visits are 0 there are no rates and averages.'] : []),
    ...emptyNotes(query, answers),
    ...answers.missing.map((missing) => missingNote(missing, timeZone)),
    ...(answers.otherBounds === undefined ? [] : [`The platform states other bounds than those asked for: ${answers.otherBounds}.`]),
  ];
}
