import { ApiError } from '../../api/errors.ts';
import { definitionOf } from '../../domain/metrics/metric-definitions.ts';
import { gridOf, type MetricQuery } from '../../domain/metrics/read/metric-query.ts';
import { needsGoal, queryNotes } from '../../domain/metrics/read/query-notes.ts';
import { type QueryTable, queryTable } from '../../domain/metrics/read/query-table.ts';
import type { NameKind } from '../../domain/names/match-name.ts';
import type { Context, Lists } from '../context.ts';
import { fetchMetrics, goalWords } from './fetch-metrics.ts';

/** More objects than this are not put side by side without being named. */
const MAX_SIDE_BY_SIDE = 20;

type Uses = Pick<Context, 'ask' | 'lists' | 'note' | 'progress' | 'signal' | 'timeZone'>;

/** The ids that a breakdown is over, all of the project where none is named. */
async function sideBySide(kind: NameKind, named: readonly number[], asked: boolean, lists: Lists): Promise<readonly number[]> {
  if (named.length > 0 || !asked) return named;
  const all = await lists.of(kind);
  if (all.length <= MAX_SIDE_BY_SIDE) return all.map(({ id }) => id);
  const parameter = kind === 'goal' ? 'goalIds' : 'compareSegments';
  throw new ApiError('invalid', `${parameter}: the project has ${all.length} ${kind}s; name up to ${MAX_SIDE_BY_SIDE} of them.`);
}

/** Answers one query as one table; what a reader must know besides goes into the notes. */
export async function queryMetrics(query: MetricQuery, context: Uses): Promise<QueryTable> {
  const { note, timeZone } = context;
  const lists = await context.lists();
  const { breakdown } = query;
  const [goalIds, compareSegments] = await Promise.all([
    sideBySide('goal', query.goalIds, breakdown.includes('goal'), lists),
    sideBySide('segment', query.compareSegments, breakdown.includes('segment'), lists),
  ]);
  const complete = { ...query, goalIds, compareSegments };
  const grid = gridOf(complete, timeZone);
  const perGoal = query.metrics.filter((metric) => definitionOf(metric)?.perGoal);
  const isPerGoal = goalIds.length === 0 && perGoal.length === query.metrics.length;
  const needed = () => goalWords(perGoal, 'goalIds', lists);
  // Names are for reading alone: without them the ids stand in the table.
  const naming = [
    goalIds.length > 0 && lists.of('goal'),
    (compareSegments.length > 0 || query.segmentIds.length > 0) && lists.of('segment'),
  ];
  const [answers] = await Promise.all([
    fetchMetrics(grid, context).catch(async (error: unknown) => {
      const isAboutGoal = isPerGoal && error instanceof ApiError && error.kind === 'invalid' && /goal/i.test(error.message);
      throw isAboutGoal ? new ApiError('invalid', await needed()) : error;
    }),
    ...naming.map((list) => list && list.catch(() => undefined)),
  ]);
  if (needsGoal(complete, answers)) {
    if (isPerGoal) throw new ApiError('invalid', await needed());
    note(await needed());
  }
  for (const sentence of queryNotes(complete, answers, timeZone)) note(sentence);
  const nameIn = (kind: NameKind) => (id: number) => lists.nameOf(kind, id);
  return queryTable(complete, grid, answers, { segment: nameIn('segment'), goal: nameIn('goal'), zone: nameIn('zone') });
}
