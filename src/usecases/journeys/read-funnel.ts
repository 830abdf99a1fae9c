import { ApiError } from '../../api/errors.ts';
import { type FunnelCounts, reached, sumOf } from '../../domain/journeys/funnel.ts';
import { hasKind, type Step } from '../../domain/journeys/step.ts';
import { nth } from '../../lib/nth.ts';
import { addTo } from '../../lib/tally.ts';
import { type FunnelPlan, funnelSql } from './funnel-sql.ts';
import { requireVisits, textOf } from './held-values.ts';
import { requireSeen } from './unseen-step.ts';
import { type Breakdown, deviceSql, fieldOfBreakdown, groupExpression } from './visit-filters.ts';
import { partsOf } from './visit-relation.ts';
import type { VisitRow, Visits } from './visits.ts';
import type { Needs } from './with-visits.ts';

/** The question behind a funnel. */
export interface FunnelQuestion extends Pick<FunnelPlan, 'steps' | 'order'> {
  readonly withinDays: number | undefined;
  readonly breakdown: Breakdown | undefined;
}

/** The fields that a funnel reads. */
export function needsOf({ steps, breakdown, withinDays }: FunnelQuestion): Needs {
  const some = (kind: 'page' | 'event' | 'purchase') => steps.some((step) => hasKind(step, kind));
  const field = fieldOfBreakdown(breakdown);
  const sessions = [
    ...(some('event') ? ['app_events.event_name', 'app_events.event_time'] : []),
    ...(some('purchase') ? ['session_number_of_transactions'] : []),
    ...(field === undefined ? [] : [field]),
  ];
  return {
    ...(sessions.length > 0 && { sessions }),
    ...((some('page') || breakdown === 'entry_page') && { views: [] }),
    ...(withinDays !== undefined && { followDays: withinDays }),
    // Where those went who left after an app event.
    ...(some('event') && { beside: ['views'] as const }),
  };
}

/** Counts one more at a depth. */
function addDepth<Key>(map: Map<Key, number[]>, key: Key, depth: number, count: number): void {
  const depths = map.get(key) ?? [];
  map.set(key, depths);
  for (let at = depths.length; at <= depth; at += 1) depths.push(0);
  depths[depth] = nth(depths, depth) + count;
}

/** The groups of a split, and these by device where they are split by it. */
function groupsOf(rows: readonly VisitRow[], plan: Pick<FunnelPlan, 'group'>): Pick<FunnelCounts, 'groups' | 'byDevice'> {
  const groups = new Map<string, number[]>();
  const byDevice = new Map<string, Map<string, number[]>>();
  for (const row of rows) {
    const [depth, n] = [Number(row['depth']), Number(row['n'])];
    if (row['kind'] !== 'group' || depth <= 0) continue;
    const [device, name] = [textOf(row['device']), textOf(row['name'])];
    addDepth(groups, name, depth, n);
    const own = byDevice.get(name) ?? new Map<string, number[]>();
    byDevice.set(name, own);
    addDepth(own, device, depth, n);
  }
  return { groups, ...(plan.group?.device !== undefined && { byDevice }) };
}

function countsOf(rows: readonly VisitRow[], plan: Pick<FunnelPlan, 'group'>): FunnelCounts {
  const days = new Map<number, number[]>();
  const gaps = new Map<number, Map<number, number>>();
  const next = new Map<string, { depth: number; page: string | undefined; count: number }>();
  let immature = 0;
  for (const row of rows) {
    const [depth, value, n, text] = [Number(row['depth']), Number(row['value']), Number(row['n']), textOf(row['name'])];
    if (row['kind'] === 'gap') {
      const own = gaps.get(depth) ?? new Map<number, number>();
      gaps.set(depth, own);
      addTo(own, value, n);
    } else if (row['kind'] === 'next') {
      const key = `${depth} ${value} ${text}`;
      next.set(key, { depth, page: value === 1 ? undefined : text, count: (next.get(key)?.count ?? 0) + n });
    }
    if (row['kind'] === 'day' && depth > 0) addDepth(days, value, depth, n);
    else if (row['kind'] === 'day') immature += n;
  }
  return {
    days,
    ...groupsOf(rows, plan),
    gaps: new Map([...gaps].map(([depth, own]) => [depth, [...own]])),
    next: [...next.values()],
    immature,
  };
}

/** Throws where nothing in the files fulfils some steps, a line for each; `done` has how many did each in order. */
async function requireAll(steps: readonly Step[], done: readonly number[], visits: Visits): Promise<void> {
  const lines: string[] = [];
  for (const [index, step] of steps.entries()) {
    if ((done[index] ?? 0) > 0) continue;
    try {
      await requireSeen(step, 'steps', visits);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'missing') throw error;
      lines.push(...error.lines);
    }
  }
  if (lines.length > 0) throw new ApiError('missing', lines);
}

/** The device of a session, where groups may differ by those that they have; of an entry page of a visitor the session is not known. */
function deviceBeside(breakdown: Breakdown | undefined, withinDays: number | undefined, visits: Visits): string | undefined {
  const column = visits.reads('sessions') ? visits.column('sessions', 'device_id') : undefined;
  const isKnown = breakdown !== 'device' && (breakdown !== 'entry_page' || withinDays === undefined);
  return column === undefined || !isKnown ? undefined : deviceSql(column);
}

/** Counts a funnel; throws where nothing in the files fulfils a step. */
export async function readFunnel({ steps, order, withinDays, breakdown }: FunnelQuestion, visits: Visits): Promise<FunnelCounts> {
  const visit = groupExpression(breakdown, (field) => visits.column('sessions', field));
  const isGrouped = visit !== undefined || breakdown === 'entry_page';
  const device = isGrouped ? deviceBeside(breakdown, withinDays, visits) : undefined;
  const plan: FunnelPlan = { steps, order, withinDays, ...(isGrouped && { group: { visit, device } }) };
  const rows: VisitRow[] = [];
  for (const part of partsOf(visits, withinDays === undefined ? 'session' : 'visitor'))
    rows.push(...(await visits.select(funnelSql({ ...plan, part }, visits))));
  const counts = countsOf(rows, plan);
  const done = reached(sumOf(counts.days.values()), steps.length);
  if (counts.immature === 0 && done[0] === 0) await requireVisits(visits);
  if (counts.immature === 0 && done.includes(0)) await requireAll(steps, done, visits);
  return counts;
}
