import { hasKind, type Step } from '../../domain/journeys/step.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { type FunnelPlan, funnelCodes, isByTime, LAST_PLACE } from './funnel-codes.ts';
import { dayOfMs, flag, type SqlWords } from './sql-words.ts';
import { eventCondition, maskOf, pageCondition } from './step-sql.ts';
import { type Expressions, visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Groups and next pages that a statement gives, the largest first. */
const MOST_ROWS = 4_000;

/** The column with the number of a step that was done; 0 where it was not. */
const at = (index: number) => `x${index + 1}`;

/** Bits of the steps that a purchase fulfils. */
function purchaseBits(steps: readonly Step[]): number {
  return steps.reduce((bits, step, index) => bits + (hasKind(step, 'purchase') ? 1 << index : 0), 0);
}

/** Of a visitor, a first step counts only on a day of the range; what follows may lie behind it. */
function firstInRange(mask: string, { withinDays }: FunnelPlan, { sql, days }: Visits): string {
  return withinDays === undefined ? mask : `(${mask} - CASE WHEN day > ${days.last} AND ${sql.bit(mask, 0)} THEN 1 ELSE 0 END)`;
}

/** Rows of purchases; the files do not say when: in a session after all else, of a visitor after the last page of that session. */
function purchaseRows({ withinDays }: FunnelPlan, visits: Visits): { from: string; time: string } {
  if (withinDays === undefined) return { from: 'visit AS v', time: `began + ${DAY_MS}` };
  if (!visits.reads('views')) return { from: 'visit AS v', time: 'began' };
  return { from: 'visit AS v JOIN (SELECT k AS k_last, max(t) AS t_last FROM page GROUP BY k) AS l ON v.k = l.k_last', time: 't_last + 1' };
}

/** Loads with their place: one right after the other, that of a page that is loaded again included, where the funnel looks at places. */
function loadRows({ order }: FunnelPlan): { rows: string; place: string } {
  if (order !== 'direct') return { rows: 'load', place: 'n' };
  const pos = 'sum(is_first) OVER (PARTITION BY k ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)';
  return { rows: `(SELECT *, ${pos} AS pos FROM load)`, place: 'pos' };
}

/**
 * A row for each thing that fulfils steps: `unit` (session or visitor), k, day, x, n, the page after it and the entry page (0: none), and
 * whether it is the first and the last load of a page that was loaded again.
 */
function hitSql(plan: FunnelPlan, visits: Visits): string {
  const { sql } = visits;
  const code = funnelCodes(visits, isByTime(plan));
  const unit = `${plan.withinDays === undefined ? 'k' : 'u'} AS unit, k, day`;
  const masked = (mask: string) => firstInRange(mask, plan, visits);
  const none = `0 AS n, ${sql.noKey} AS p_next, ${sql.noKey} AS entry, 1 AS is_first, 1 AS is_last`;
  const parts: string[] = [];
  if (visits.reads('views')) {
    const { rows, place } = loadRows(plan);
    const columns = `${sql.whole(code.page(masked('mask'), place))} AS x, n, p_next, entry, is_first, is_last`;
    parts.push(`SELECT ${unit}, ${columns} FROM ${rows} AS r WHERE mask <> 0 AND is_first + is_last > 0`);
  }
  if (plan.steps.some((step) => hasKind(step, 'event'))) {
    const mask = maskOf(plan.steps.map((step) => eventCondition(step, sql.known('event_name'), sql)));
    const each = sql.each('visit', { event_name: 'names', event_at: 'times' });
    const rows = `SELECT k, u, day, ${sql.ms('event_at')} AS t, ${mask} AS mask FROM ${each} AS e`;
    parts.push(`SELECT ${unit}, ${sql.whole(code.other('t', masked('mask')))} AS x, ${none} FROM (${rows}) AS r WHERE mask <> 0`);
  }
  const bits = purchaseBits(plan.steps);
  if (bits > 0) {
    const { from, time } = purchaseRows(plan, visits);
    parts.push(`SELECT ${unit}, ${sql.whole(code.other(time, String(bits)))} AS x, ${none} FROM ${from} WHERE bought = 1`);
  }
  return `hit AS (${parts.join(' UNION ALL ')})`;
}

/** Steps in order: each the first that comes after the one before. */
function inOrder(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const { later } = funnelCodes(visits, isByTime(plan));
  const within = plan.withinDays === undefined ? '' : ` AND e <= x1 + ${later(plan.withinDays * DAY_MS)}`;
  return plan.steps.map((_, index) => {
    const before = at(index - 1);
    const found =
      index === 0
        ? sql.first('l', (e) => sql.bit(e, 0))
        : `CASE WHEN ${before} > 0 THEN ${sql.first('l', (e) => `${e} > ${before} AND ${sql.bit(e, index)}${within}`)} ELSE 0 END`;
    return `s${index + 1} AS (SELECT *, ${sql.whole(found)} AS ${at(index)} FROM ${index === 0 ? 'walk' : `s${index}`})`;
  });
}

/** Steps one right after the other: lists of the pages at which the steps so far end. */
function direct({ steps }: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const { place } = funnelCodes(visits, false);
  const ends = steps.map((step, index) => {
    const bought = hasKind(step, 'purchase') ? ` OR (${place('e')} = ${LAST_PLACE} AND length(c${index}) > 0)` : '';
    const follows = index === 0 ? '' : ` AND (${sql.has(`p${index}`, `${place('e')} - 1`)}${bought})`;
    const list = sql.filter('l', (e) => `${sql.bit(e, index)}${follows}`);
    const rows = `SELECT *, ${list} AS c${index + 1} FROM ${index === 0 ? 'walk' : `e${index}`}`;
    return `e${index + 1} AS (SELECT *, ${sql.map(`c${index + 1}`, place)} AS p${index + 1} FROM (${rows}) AS w)`;
  });
  const firsts = steps.map((_, index) => `${sql.first(`c${index + 1}`, (e) => `${e} > 0`)} AS ${at(index)}`);
  return [...ends, `s${steps.length} AS (SELECT *, ${firsts.join(', ')} FROM e${steps.length})`];
}

/** Between a step and the one before: tenths of a second up to a minute, seconds up to an hour, minutes beyond, as ms; −1 for none. */
function gapSql(plan: FunnelPlan, visits: Visits, index: number): string {
  const { sql } = visits;
  const { time } = funnelCodes(visits, isByTime(plan));
  const step = plan.steps[index];
  if (!step || hasKind(step, 'purchase')) return '-1';
  const ms = `(${time(at(index))} - ${time(at(index - 1))})`;
  const rounded = (unit: number) => `${sql.quotient(`${ms} + ${unit / 2}`, unit)} * ${unit}`;
  const units = `WHEN ${ms} < 60000 THEN ${rounded(100)} WHEN ${ms} < 3600000 THEN ${rounded(1_000)} ELSE ${rounded(60_000)}`;
  return `CASE WHEN ${at(index)} = 0 THEN -1 ${units} END`;
}

/** First days of visitors whose window the files do not cover whole; a session of the last day may do its first step after midnight. */
function immatureDays({ withinDays = 0 }: FunnelPlan, { days }: Visits): number[] {
  const starts = Array.from({ length: days.last - days.first + 2 }, (_, index) => days.first + index);
  return starts.filter((day) => Array.from({ length: withinDays + 1 }, (_, after) => day + after).some((each) => !days.ofFiles.has(each)));
}

/** Who did the first step, how far they came, when they began, and the times between steps; a depth of −1: the window is not over. */
function doneSql(plan: FunnelPlan, visits: Visits): string {
  const { sql, days } = visits;
  const { time } = funnelCodes(visits, isByTime(plan));
  const { steps, withinDays } = plan;
  const depth = steps.map((_, index) => flag(`${at(index)} > 0`)).join(' + ');
  const gaps = steps.slice(1).map((_, index) => `${gapSql(plan, visits, index + 1)} AS gap${index + 2}`);
  const columns = ['unit', ...steps.map((_, index) => at(index)), ...gaps];
  const from = `s${steps.length} WHERE x1 > 0`;
  if (withinDays === undefined) return `done AS (SELECT ${[...columns, 'day', 'entry', `${depth} AS depth`].join(', ')} FROM ${from})`;
  const began = dayOfMs(sql, `${time('x1')} + ${days.first * DAY_MS}`);
  const late = immatureDays(plan, visits);
  const rows = `SELECT ${[...columns, 'entry', `${began} AS day`, `${depth} AS so_far`].join(', ')} FROM ${from}`;
  const judged = late.length === 0 ? 'so_far' : `CASE WHEN day IN (${late.join(', ')}) THEN -1 ELSE so_far END`;
  return `done AS (SELECT *, ${judged} AS depth FROM (${rows}) AS d)`;
}

function visitColumns({ steps, group }: FunnelPlan, visits: Visits): Expressions {
  const column = (field: string) => visits.column('sessions', field) ?? 'NULL';
  return {
    ...(purchaseBits(steps) > 0 && { bought: flag(`coalesce(${column('session_number_of_transactions')}, 0) > 0`) }),
    ...(steps.some((step) => hasKind(step, 'event')) && {
      names: column('app_events.event_name'),
      times: column('app_events.event_time'),
    }),
    ...(group?.visit !== undefined && { g: group.visit }),
  };
}

/** A row for each of what splits and how deep: the group as a text. */
function groupSql({ group, withinDays }: FunnelPlan, sql: SqlWords): string[] {
  if (!group) return [];
  const unit = withinDays === undefined ? 'd.unit' : 'f.k';
  const first = 'JOIN (SELECT unit, x, min(k) AS k FROM hit GROUP BY unit, x) AS f ON d.unit = f.unit AND d.x1 = f.x';
  const rows =
    group.visit === undefined
      ? 'done AS d JOIN path_of AS g ON d.entry = g.p'
      : `done AS d ${withinDays === undefined ? '' : first} JOIN visit AS g ON ${unit} = g.k`;
  const name = sql.text('group');
  const counted = `SELECT ${group.visit === undefined ? 'g.path' : 'g.g'} AS name, depth, count(*) AS n FROM ${rows} GROUP BY name, depth`;
  return [`SELECT ${name} AS kind, name, depth, 0 AS value, n FROM (${counted} ORDER BY n DESC LIMIT ${MOST_ROWS}) AS x`];
}

/** The page after one that was loaded again, by its first load. */
function againSql({ sql }: Visits): string {
  const loads = 'hit AS f JOIN hit AS e ON f.k = e.k WHERE f.is_first = 1 AND f.is_last = 0 AND e.is_first = 0 AND e.is_last = 1';
  return `SELECT f.k AS k, f.x AS x, ${sql.ofLeast('e.p_next', 'e.n')} AS p_next FROM ${loads} AND e.n > f.n GROUP BY f.k, f.x`;
}

/** The page right after the last step that was done, for those who left; an empty name: the visit ended. */
function nextSql({ steps }: FunnelPlan, visits: Visits): string[] {
  if (!visits.reads('views')) return [];
  const { sql } = visits;
  const last = steps.map((_, index) => `WHEN depth = ${index + 1} THEN ${at(index)}`).join(' ');
  const lastCode = sql.whole(`CASE ${last} ELSE 0 END`);
  const left = `SELECT unit, depth, ${lastCode} AS x_last FROM done WHERE depth BETWEEN 1 AND ${steps.length - 1}`;
  const hits =
    `(${left}) AS d JOIN (SELECT * FROM hit WHERE is_first = 1) AS h ON d.unit = h.unit AND d.x_last = h.x ` +
    `LEFT JOIN (${againSql(visits)}) AS a ON h.k = a.k AND h.x = a.x`;
  const page = 'max(CASE WHEN h.is_last = 1 THEN h.p_next ELSE a.p_next END)';
  const each = `SELECT d.unit AS unit, d.depth AS depth, ${page} AS p FROM ${hits} GROUP BY d.unit, d.depth`;
  const counted = `SELECT p, depth, count(*) AS n FROM (${each}) AS e GROUP BY p, depth`;
  return [
    `SELECT ${sql.text('next')} AS kind, coalesce(o.path, '') AS name, c.depth AS depth, ${flag('c.p = 0')} AS value, c.n AS n ` +
      `FROM (${counted} ORDER BY n DESC LIMIT ${MOST_ROWS}) AS c LEFT JOIN path_of AS o ON c.p = o.p`,
  ];
}

/**
 * The statement of a funnel. Rows of `kind` day (value: the day, by depth), gap (depth: the step, value: ms), group (name, by depth) and
 * next (name: the page, by depth; value 1: the visit ended), each with a count `n`.
 */
export function funnelSql(plan: FunnelPlan, visits: Visits): string {
  const { sql } = visits;
  const path = `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
  const mask = maskOf(plan.steps.map((step) => pageCondition(step, path, sql)));
  const { ctes } = visitRelation(visits, {
    visit: visitColumns(plan, visits),
    page: { mask },
    ...(plan.withinDays !== undefined && { followDays: plan.withinDays }),
  });
  const walk = `walk AS (SELECT unit, min(day) AS day, max(entry) AS entry, ${sql.sorted('x')} AS l FROM hit WHERE is_first = 1 GROUP BY unit)`;
  const chain = plan.order === 'direct' ? direct(plan, visits) : inOrder(plan, visits);
  const counted = (kind: string, depth: string, value: string, by: string) =>
    `SELECT ${sql.text(kind)} AS kind, '' AS name, ${depth} AS depth, ${value} AS value, count(*) AS n FROM done ${by}`;
  const gaps = plan.steps.slice(1).flatMap((step, index) => {
    if (hasKind(step, 'purchase')) return [];
    const gap = `gap${index + 2}`;
    return [counted('gap', String(index + 2), gap, `WHERE ${at(index + 1)} > 0 GROUP BY ${gap}`)];
  });
  const parts = [counted('day', 'depth', 'day', 'GROUP BY depth, day'), ...gaps, ...groupSql(plan, sql), ...nextSql(plan, visits)];
  return `WITH ${[ctes, hitSql(plan, visits), walk, ...chain, doneSql(plan, visits)].join(',\n')}\n${parts.join('\nUNION ALL\n')}`;
}
