import { definitionOf } from '../analysis/metric-units.ts';
import { gridOf, type MetricQuery } from '../analysis/metrics/query.ts';
import { needsGoal, queryNotes } from '../analysis/metrics/query-notes.ts';
import { type QueryTable, queryTable } from '../analysis/metrics/table.ts';
import type { Named } from '../analysis/names.ts';
import { ApiError } from '../api/errors.ts';
import { fetchMetrics } from './fetch-metrics.ts';
import type { NameKind } from './params.ts';
import type { Lists, ToolContext } from './tool.ts';

/** More objects than this are not put side by side without being named. */
const MAX_SIDE_BY_SIDE = 20;

type Context = Pick<ToolContext, 'ask' | 'lists' | 'note' | 'progress' | 'signal' | 'timeZone'>;

/** The ids that a breakdown is over, all of the project where none is named. */
async function sideBySide(kind: NameKind, named: readonly number[], asked: boolean, lists: Lists): Promise<readonly number[]> {
  if (named.length > 0 || !asked) return named;
  const all = await lists.of(kind);
  if (all.length <= MAX_SIDE_BY_SIDE) return all.map(({ id }) => id);
  const parameter = kind === 'goal' ? 'goalIds' : 'compareSegments';
  throw new ApiError('invalid', `${parameter}: the project has ${all.length} ${kind}s; name up to ${MAX_SIDE_BY_SIDE} of them.`);
}

function listed(goals: readonly Named[]): string {
  return goals.map(({ id, path }) => `${id} "${path.join(' / ')}"`).join(', ');
}

/** What to do where a project has no e-commerce goal; its goals where they can be had. */
async function goalWords(lists: Lists): Promise<string> {
  const goals = await lists.of('goal').catch(() => []);
  const names = goals.length > 0 ? ` Goals: ${listed(goals)}.` : ' list_goals lists them.';
  return `conversionCount and conversionRate need a goal in this project: pass goalIds.${names}`;
}

/** Answers one query as one table; what a reader must know besides goes into the notes. */
export async function queryMetrics(query: MetricQuery, context: Context): Promise<QueryTable> {
  const { note, timeZone } = context;
  const lists = await context.lists();
  const { breakdown } = query;
  const [goalIds, compareSegments] = await Promise.all([
    sideBySide('goal', query.goalIds, breakdown.includes('goal'), lists),
    sideBySide('segment', query.compareSegments, breakdown.includes('segment'), lists),
  ]);
  const complete = { ...query, goalIds, compareSegments };
  const grid = gridOf(complete, timeZone);
  const perGoal = goalIds.length === 0 && query.metrics.every((metric) => definitionOf(metric)?.perGoal);
  // Names are for reading alone: without them the ids stand in the table.
  const naming = [
    goalIds.length > 0 && lists.of('goal'),
    (compareSegments.length > 0 || query.segmentIds.length > 0) && lists.of('segment'),
  ];
  const [answers] = await Promise.all([
    fetchMetrics(grid, context).catch(async (error: unknown) => {
      const isAboutGoal = perGoal && error instanceof ApiError && error.kind === 'invalid' && /goal/i.test(error.message);
      throw isAboutGoal ? new ApiError('invalid', await goalWords(lists)) : error;
    }),
    ...naming.map((list) => list && list.catch(() => undefined)),
  ]);
  if (needsGoal(complete, answers)) {
    if (perGoal) throw new ApiError('invalid', await goalWords(lists));
    note(await goalWords(lists));
  }
  for (const sentence of queryNotes(complete, answers, timeZone)) note(sentence);
  const nameIn = (kind: NameKind) => (id: number) => lists.nameOf(kind, id);
  return queryTable(complete, grid, answers, { segment: nameIn('segment'), goal: nameIn('goal'), zone: nameIn('zone') });
}
