import { OTHER } from '../../domain/journeys/page-groups.ts';
import { hasKind, type Step } from '../../domain/journeys/step.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { type FunnelPlan, funnelCodes, isByTime, LAST_PLACE } from './funnel-codes.ts';
import { dayOfMs, flag } from './sql-words.ts';
import { eventCondition, maskOf, pageCondition } from './step-sql.ts';
import { type Expressions, sessionRows, visitRelation } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Groups that a statement gives, and next pages, the largest first; of these the others are one. */
const [MOST_GROUPS, MOST_NEXT] = [4_000, 20_000];

/** The column with the number of a step that was done; 0 where it was not. */
const at = (index: number) => `x${index + 1}`;

/** Bits of the steps that a purchase fulfils. */
function purchaseBits(steps: readonly Step[]): number {
  return steps.reduce((bits, step, index) => bits + (hasKind(step, 'purchase') ? 1 << index : 0), 0);
}

/** Of a visitor, a first step counts only on a day of the range; what follows may lie behind it. */
function firstInRange(code: string, { withinDays }: FunnelPlan, { sql, days }: Visits): string {
  return withinDays === undefined ? code : `${code} - CASE WHEN day > ${days.last} AND ${sql.bit(code, 0)} THEN 1 ELSE 0 END`;
}

const unitOf = ({ withinDays }: FunnelPlan) => (withinDays === undefined ? 'k' : 'u');

/**
 * Whether purchases stand behind the pages of their session at once: a session without views has none of the steps before, so that its
 * purchase counts for nothing.
 */
function buysInPlace(plan: FunnelPlan, visits: Visits): boolean {
  return purchaseBits(plan.steps) > 0 && plan.steps.length > 1 && visits.reads('views') && !isByTime(plan);
}

/**
 * Tables that end in `paged`, a row for each session with views: k, u, day, the entry page, `last_ms` (of the last page, since the first
 * midnight), what splits, and h: pairs of the pages that fulfil steps and of the page after each (`noKey`: none), in order.
 */
function pagedSql(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const code = funnelCodes(visits, isByTime(plan));
  const group = splitsRows(plan) ? { g: sql.anyOf('v.g') } : {};
  const bought = buysInPlace(plan, visits) ? { bought: 'max(v.bought)' } : {};
  // A session without the first step counts for nothing; without a condition on lists, which an engine would make again for it.
  const [first] = plan.steps;
  const isStarted = plan.withinDays === undefined && first?.choices.every(({ kind }) => kind === 'page') === true;
  const started = isStarted ? { starts: `max(${flag(sql.bit('s.mask', 0))})` } : {};
  const aggregates = { u: 'min(s.u)', ...group, ...bought, ...started, z: sql.sorted(sql.pair(code.view('s.mask'), 's.p')) };
  const rows = sessionRows(visits, aggregates, plan.withinDays === undefined ? {} : { followDays: plan.withinDays });
  const own = ['k', 'u', 'day', ...Object.keys({ ...group, ...bought })].join(', ');
  const page = (each: string, place: string) => firstInRange(code.page(sql.one(each), place), plan, visits);
  const next = (place: string) => `coalesce(${sql.other(`d[${place} + 1]`)}, ${sql.noKey})`;
  const pairs = sql.mapAt('d', (each, place) => sql.pair(page(each, place), next(place)));
  const lastMs = code.timeOfView(sql.one('d[length(d)]'));
  const hits = sql.filter('h', (each) => `${code.mask(sql.one(each))} <> 0`);
  const purchase = `[${sql.pair(code.other('0', String(purchaseBits(plan.steps))), sql.noKey)}]`;
  const all = buysInPlace(plan, visits) ? sql.joined(hits, `CASE WHEN bought = 1 THEN ${purchase} ELSE [] END`) : hits;
  return [
    `viewed AS (${rows})`,
    `folded AS (SELECT ${own}, ${sql.changes('z', (pair) => sql.other(pair))} AS d FROM viewed${isStarted ? ' WHERE starts = 1' : ''})`,
    `placed AS (SELECT ${own}, ${sql.other('d[1]')} AS entry, ${lastMs} AS last_ms, ${pairs} AS h FROM folded)`,
    `paged AS (SELECT ${own}, entry, last_ms, ${all} AS h FROM placed)`,
  ];
}

/** Purchases; the files do not say when: in a session after all else, of a visitor after the last page of that session. */
function purchaseRows({ withinDays }: FunnelPlan, { sql, days, reads }: Visits): { from: string; time: string } {
  if (withinDays === undefined) return { from: 'visit AS v', time: `began + ${DAY_MS}` };
  if (!reads('views')) return { from: 'visit AS v', time: 'began' };
  const last = '(SELECT k AS k_last, last_ms FROM paged) AS l';
  // Engines give a session without pages NULL or 0.
  const time = `CASE WHEN coalesce(k_last, ${sql.noKey}) = ${sql.noKey} THEN began ELSE last_ms + ${days.first * DAY_MS + 1} END`;
  return { from: `visit AS v LEFT JOIN ${last} ON v.k = l.k_last`, time };
}

/** Selects with a row for each app event and purchase that fulfils steps: `unit`, k, day, what splits, the entry page (none), h. */
function otherHits(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const code = funnelCodes(visits, isByTime(plan));
  const own = [`${unitOf(plan)} AS unit`, 'k', 'day', ...(splitsRows(plan) ? ['g'] : [])].join(', ');
  const hit = (time: string, mask: string, next = sql.noKey) =>
    `${sql.noKey} AS entry, [${sql.pair(firstInRange(code.other(time, mask), plan, visits), next)}] AS h`;
  const parts: string[] = [];
  if (plan.steps.some((step) => hasKind(step, 'event'))) {
    const mask = maskOf(plan.steps.map((step) => eventCondition(step, sql.known('event_name'), sql)));
    const each = sql.each('visit', { event_name: 'names', event_at: 'times' });
    const rows = `(SELECT *, ${sql.ms('event_at')} AS t, ${mask} AS mask FROM ${each} AS e) AS r`;
    // The first page of the session after the event.
    const later = sql.filter('pages', (pair) => `${code.timeOfView(sql.one(pair))} > t - ${visits.days.first * DAY_MS}`);
    const [joined, next] = visits.reads('views')
      ? [
          ' LEFT JOIN (SELECT k AS k_pages, d AS pages FROM folded) AS p ON r.k = p.k_pages',
          `coalesce(${sql.other(`${later}[1]`)}, ${sql.noKey})`,
        ]
      : ['', sql.noKey];
    parts.push(`SELECT ${own}, ${hit('t', 'mask', next)} FROM ${rows}${joined} WHERE mask <> 0`);
  }
  const bits = purchaseBits(plan.steps);
  if (bits > 0 && !buysInPlace(plan, visits)) {
    const { from, time } = purchaseRows(plan, visits);
    parts.push(`SELECT ${own}, ${hit(time, String(bits))} FROM ${from} WHERE bought = 1`);
  }
  return parts;
}

/** Whether the rows of sessions hold what splits. */
const splitsRows = ({ group, withinDays }: FunnelPlan) => splitOf(group) !== undefined && withinDays === undefined;

/** The expression of what splits sessions: a device, a blank and a group where there are both. */
function splitOf(group: FunnelPlan['group']): string | undefined {
  const { visit, device } = group ?? {};
  return visit === undefined || device === undefined ? (visit ?? device) : `concat(${device}, ' ', ${visit})`;
}

/** Tables that end in `walk`, a row for each session or visitor: unit, day, the entry page, what splits, h, and l, its numbers. */
function walkSql(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const isRead = visits.reads('views');
  const paged = isRead ? pagedSql(plan, visits) : [];
  const split = splitsRows(plan) ? ', g' : '';
  const ofPages = `SELECT ${unitOf(plan)} AS unit, k, day${split}, entry, h FROM paged`;
  const others = otherHits(plan, visits);
  const hit = `hit AS (${[...(isRead ? [ofPages] : []), ...others].join(' UNION ALL ')})`;
  const isWhole = plan.withinDays === undefined && others.length === 0;
  const ofGroup = split === '' ? '' : `, ${sql.anyOf('g')} AS g`;
  const all = isWhole
    ? 'hit'
    : `(SELECT unit, min(day) AS day${ofGroup}, max(entry) AS entry, ${sql.sortedAll('h')} AS h FROM hit GROUP BY unit) AS u`;
  return [...paged, hit, `walk AS (SELECT unit, day${split}, entry, h, ${sql.map('h', (pair) => sql.one(pair))} AS l FROM ${all})`];
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
  const { time, place } = funnelCodes(visits, isByTime(plan));
  const step = plan.steps[index];
  if (!step || hasKind(step, 'purchase')) return '-1';
  // Of neighbours the page right before, which need not be the first of the step before.
  const neighbour = sql.first('l', (e) => `${place(e)} = ${place(at(index))} - 1`);
  const ms = `(${time(at(index))} - ${time(plan.order === 'direct' ? neighbour : at(index - 1))})`;
  const rounded = (unit: number) => `${sql.quotient(`${ms} + ${unit / 2}`, unit)} * ${unit}`;
  const units = `WHEN ${ms} < 60000 THEN ${rounded(100)} WHEN ${ms} < 3600000 THEN ${rounded(1_000)} ELSE ${rounded(60_000)}`;
  return `CASE WHEN ${at(index)} = 0 THEN -1 ${units} END`;
}

/** First days of visitors whose window the files do not cover whole; a session of the last day may do its first step after midnight. */
function immatureDays({ withinDays = 0 }: FunnelPlan, { days }: Visits): number[] {
  const starts = Array.from({ length: days.last - days.first + 2 }, (_, index) => days.first + index);
  return starts.filter((day) => Array.from({ length: withinDays + 1 }, (_, after) => day + after).some((each) => !days.ofFiles.has(each)));
}

/** The page right after the last step that was done; `noKey` where the visit ended, or all steps were done. */
function nextPage({ steps }: FunnelPlan, { sql }: Visits): string {
  const last = steps.slice(0, -1).map((_, index) => `WHEN ${at(index + 1)} = 0 THEN ${at(index)}`);
  const lastCode = `CASE ${last.join(' ')} ELSE 0 END`;
  const own = sql.filter('h', (each) => `${sql.one(each)} = ${sql.whole(lastCode)}`);
  return `coalesce(${sql.other(`${own}[1]`)}, ${sql.noKey})`;
}

/** How far each came, when they began, the times between steps, the page that followed; depth 0: no step was done, −1: it is too early. */
function doneSql(plan: FunnelPlan, visits: Visits): string {
  const { sql, days } = visits;
  const { time } = funnelCodes(visits, isByTime(plan));
  const { steps, withinDays } = plan;
  const depth = steps.map((_, index) => flag(`${at(index)} > 0`)).join(' + ');
  const gaps = steps.slice(1).map((_, index) => `${gapSql(plan, visits, index + 1)} AS gap${index + 2}`);
  const columns = ['unit', 'x1', ...gaps, 'entry', `${nextPage(plan, visits)} AS p_next`, ...(splitsRows(plan) ? ['g'] : [])];
  // Who did no step stays until all is counted: an engine would make the lists again for each condition on them.
  const from = `s${steps.length}`;
  if (withinDays === undefined) return `done AS (SELECT ${[...columns, 'day', `${depth} AS depth`].join(', ')} FROM ${from})`;
  const began = dayOfMs(sql, `${time('x1')} + ${days.first * DAY_MS}`);
  const late = immatureDays(plan, visits);
  const rows = `SELECT ${[...columns, `${began} AS day`, `${depth} AS so_far`].join(', ')} FROM ${from}`;
  const judged = late.length === 0 ? 'so_far' : `CASE WHEN so_far > 0 AND day IN (${late.join(', ')}) THEN -1 ELSE so_far END`;
  return `done AS (SELECT *, ${judged} AS depth FROM (${rows}) AS d)`;
}

function visitColumns({ steps, group }: FunnelPlan, visits: Visits): Expressions {
  const split = splitOf(group);
  const column = (field: string) => visits.column('sessions', field) ?? 'NULL';
  return {
    ...(purchaseBits(steps) > 0 && { bought: flag(`coalesce(${column('session_number_of_transactions')}, 0) > 0`) }),
    ...(steps.some((step) => hasKind(step, 'event')) && {
      names: column('app_events.event_name'),
      times: column('app_events.event_time'),
    }),
    ...(split !== undefined && { g: split }),
  };
}

/** Visitors by what splits and how deep they came: the group is that of the session of their first step. */
function visitorGroups({ group, withinDays }: FunnelPlan, visits: Visits): string[] {
  if (group?.visit === undefined || withinDays === undefined) return [];
  const { sql } = visits;
  const isOf = sql.has(
    sql.map('h.h', (pair) => sql.one(pair)),
    'd.x1',
  );
  const rows = `done AS d JOIN hit AS h ON d.unit = h.unit WHERE d.depth <> 0 AND ${isOf}`;
  const first = `SELECT d.unit AS unit, d.depth AS depth, min(h.k) AS k FROM ${rows}`;
  return [
    `SELECT 'group' AS kind, f.depth AS depth, 0 AS value, ${sql.noKey} AS p, v.g AS name, count(*) AS n ` +
      `FROM (${first} GROUP BY d.unit, d.depth) AS f JOIN visit AS v ON f.k = v.k GROUP BY v.g, f.depth`,
  ];
}

/** Counts of `done`, where a step was done: in one pass, because an engine may make a table again wherever it is named. */
function countedSql(plan: FunnelPlan, visits: Visits): string {
  const { sql } = visits;
  const { steps, group } = plan;
  const gaps = steps.flatMap((step, index) => (index === 0 || hasKind(step, 'purchase') ? [] : [index + 1]));
  const isLeft = `CASE WHEN depth BETWEEN 1 AND ${steps.length - 1} THEN 'next' ELSE '' END`;
  const started = (kind: string) => `CASE WHEN depth = 0 THEN '' ELSE '${kind}' END`;
  const none = sql.noKey;
  const things: readonly (readonly [kind: string, depth: string, value: string, p: string, name: string])[] = [
    [started('day'), 'depth', 'day', none, "''"],
    ...gaps.map((step) => [`CASE WHEN gap${step} = -1 THEN '' ELSE 'gap' END`, String(step), `gap${step}`, none, "''"] as const),
    ...(visits.reads('views') ? [[isLeft, 'depth', `CASE WHEN p_next = ${none} THEN 1 ELSE 0 END`, 'p_next', "''"] as const] : []),
    ...(group?.visit !== undefined && splitsRows(plan) ? [[started('group'), 'depth', '0', none, 'g'] as const] : []),
    ...(group && group.visit === undefined ? [[started('group'), 'depth', '0', 'entry', splitsRows(plan) ? 'g' : "''"] as const] : []),
  ];
  const lists = ['of_kind', 'of_depth', 'of_value', 'of_p', 'of_name'].map((name, part) => {
    const values = things.map((thing) => (part === 1 || part === 2 ? sql.whole(thing[part]) : (thing[part] ?? '')));
    return [name, `[${values.join(', ')}]`] as const;
  });
  const each = sql.each('done', Object.fromEntries(lists));
  const columns = 'of_kind AS kind, of_depth AS depth, of_value AS value, of_p AS p, of_name AS name';
  return `SELECT ${columns}, count(*) AS n FROM ${each} AS e WHERE of_kind <> '' GROUP BY of_kind, of_depth, of_value, of_p, of_name`;
}

/**
 * The statement of a funnel. Rows of `kind` day (value: the day, by depth), gap (depth: the step, value: ms), group (name, by depth) and
 * next (name: the page, by depth; value 1: the visit ended), each with a count `n`; of groups that are split by device, the name begins
 * with it, or it stands beside an entry page as `device`.
 */
export function funnelSql(plan: FunnelPlan, visits: Visits): string {
  const { sql } = visits;
  const path = `coalesce(${visits.column('views', 'path') ?? 'NULL'}, '')`;
  const mask = maskOf(plan.steps.map((step) => pageCondition(step, path, sql)));
  const ctes = visitRelation(visits, {
    visit: visitColumns(plan, visits),
    page: { mask },
    part: plan.part,
    ...(plan.withinDays !== undefined && { followDays: plan.withinDays }),
  });
  const chain = plan.order === 'direct' ? direct(plan, visits) : inOrder(plan, visits);
  const counted = [countedSql(plan, visits), ...visitorGroups(plan, visits)].join('\nUNION ALL ');
  const ranked = `SELECT *, row_number() OVER (PARTITION BY kind ORDER BY n DESC) AS place FROM (${counted}) AS c`;
  const isRare = `kind = 'next' AND place > ${MOST_NEXT}`;
  const rare = (value: string, column: string) => `CASE WHEN ${isRare} THEN ${value} ELSE ${column} END`;
  const kept =
    `SELECT kind, depth, value, p, name, sum(n) AS n FROM (SELECT kind, depth, value, ${rare(sql.noKey, 'p')} AS p, ` +
    `${rare(sql.text(OTHER), 'name')} AS name, n FROM (${ranked}) AS r WHERE kind <> 'group' OR place <= ${MOST_GROUPS}) AS k ` +
    'GROUP BY kind, depth, value, p, name';
  // The name beside an entry page is that of the device.
  const unnamed = plan.group && plan.group.visit === undefined ? `CASE WHEN r.kind = 'group' THEN '' ELSE r.name END` : 'r.name';
  const named = visits.reads('views')
    ? `SELECT r.kind AS kind, coalesce(o.path, ${unnamed}) AS name, r.name AS device, r.depth AS depth, r.value AS value, r.n AS n ` +
      `FROM (${kept}) AS r LEFT JOIN path_of AS o ON r.p = o.p`
    : kept;
  return `WITH ${[ctes, ...walkSql(plan, visits), ...chain, doneSql(plan, visits)].join(',\n')}\n${named}`;
}
