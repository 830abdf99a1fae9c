import { ApiError } from '../api/errors.ts';
import { DAY_MS } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { daysFromTo } from './covered-days.ts';
import { type FunnelCounts, reached, sumOf } from './funnel.ts';
import { OTHER } from './page-groups.ts';
import { cases, changesOf, dayOfMs, eventCondition, firstOf, flag, maskOf, msOf, NO_KEY, one, other, pageCondition } from './sql-words.ts';
import { hasKind, type Step } from './step.ts';
import { type Breakdown, deviceSql, fieldOfBreakdown, groupExpression } from './visit-filters.ts';
import {
  type Expressions,
  orNull,
  partsOf,
  pathText,
  requireSeen,
  requireVisits,
  sessionRows,
  textOf,
  type VisitPart,
  type VisitRow,
  type Visits,
  visitRelation,
} from './visit-relation.ts';
import type { Needs } from './with-visits.ts';

/** The statement's view of a funnel. */
interface FunnelPlan {
  readonly steps: readonly Step[];
  readonly order: 'in_order' | 'direct';
  /** Visitors within this many days of their first step; left out: sessions. */
  readonly withinDays?: number | undefined;
  /**
   * The dimension of a split: an expression over columns of sessions; without one the entry page. `device`: a word for the device, by
   * which the groups are split once more.
   */
  readonly group?: { readonly visit?: string | undefined; readonly device?: string | undefined } | undefined;
  /** The sessions or visitors that are read; left out: all. */
  readonly part?: VisitPart | undefined;
}

/** Groups that a statement gives, and pages after each step, the largest first; the others are one. */
const [MOST_GROUPS, MOST_NEXT] = [1_000, 50_000];
/** Bits for the steps that something is. */
const MASK = 2n ** 8n;
/** ms since the first midnight of the range: some decades. */
const TIME = 2n ** 42n;
/** Up to this many views of a visitor with the same time keep their order. */
const TIES = 2n ** 12n;
/** Pages of a session that have a place of their own, and the place behind them all. */
const MOST_PLACES = 8_000n;
const LAST_PLACE = MOST_PLACES + 1n;

/** Whether steps are in order by time instead of by place: events have no place among pages, and sessions of a visitor none either. */
function isByTime({ steps, withinDays }: FunnelPlan): boolean {
  return withinDays !== undefined || steps.some((step) => hasKind(step, 'event'));
}

/**
 * How a step that was done becomes one whole number, so that sorted numbers are steps in order: the place of the page in its session (or,
 * by time, none), the time since the first midnight, and in the lowest eight bits which steps it is.
 */
function codesOf(plan: FunnelPlan, { days }: Visits) {
  const byTime = isByTime(plan);
  const since = (time: string) => `greatest(${time} - ${days.first * DAY_MS}, 0)`;
  const unit = byTime ? TIES * MASK : MASK;
  const span = TIME * MASK;
  const timeOfView = (code: string) => `(intDiv(${code}, ${MASK})) % ${TIME}`;
  return {
    /** Of a view, from its columns: its number, time and steps. */
    view: `toInt64(least(s.n, ${MOST_PLACES}) * ${span} + ${since('s.t')} * ${MASK} + s.mask)`,
    /** ms of a view since the first midnight, from its number. */
    timeOfView,
    /** Of a page, from the number of its first view and its place among the pages of the session. */
    page: (code: string, place: string) =>
      byTime
        ? `toInt64(${timeOfView(code)} * ${unit} + (intDiv(${code}, ${span}) % ${TIES}) * ${MASK} + ${code} % ${MASK})`
        : `toInt64(least(${place}, ${MOST_PLACES}) * ${span} + ${code} % ${span})`,
    /** Of what is no page; where places count, behind them all, else after the pages of the same ms. */
    other: (time: string, mask: string) =>
      byTime ? `toInt64(${since(time)} * ${unit} + ${(TIES - 1n) * MASK} + ${mask})` : `toInt64(${LAST_PLACE * span} + ${mask})`,
    /** ms since the first midnight. */
    time: (code: string) => (byTime ? `intDiv(${code}, ${unit})` : timeOfView(code)),
    /** How much larger the number of something is that happens so much later. */
    later: (ms: number) => BigInt(ms) * unit,
    /** The place in the session. */
    place: (code: string) => `intDiv(${code}, ${span})`,
  };
}

/** The column with the number of a step that was done; 0 where it was not. */
const at = (index: number) => `x${index + 1}`;
/** Whether a number is of a step. */
const isStep = (code: string, index: number) => `bitAnd(${code}, ${2 ** index}) <> 0`;

/** Bits of the steps that a purchase fulfils. */
function purchaseBits(steps: readonly Step[]): number {
  return steps.reduce((bits, step, index) => bits + (hasKind(step, 'purchase') ? 2 ** index : 0), 0);
}

/** Of a visitor, a first step counts only on a day of the range; what follows may lie behind it. */
function firstInRange(code: string, { withinDays }: FunnelPlan, { days }: Visits): string {
  return withinDays === undefined ? code : `${code} - ${flag(`day > ${days.last} AND ${isStep(code, 0)}`)}`;
}

const unitOf = ({ withinDays }: FunnelPlan) => (withinDays === undefined ? 'k' : 'u');

/**
 * Whether purchases stand behind the pages of their session at once: a session without views has none of the steps before, so that its
 * purchase counts for nothing.
 */
function buysInPlace(plan: FunnelPlan, visits: Visits): boolean {
  return purchaseBits(plan.steps) > 0 && plan.steps.length > 1 && visits.reads('views') && !isByTime(plan);
}

/** The columns of what splits, in rows of sessions: of visitors the session of the first step tells it. */
function splitsOf({ group, withinDays }: FunnelPlan, { reads }: Visits): string[] {
  return group && withinDays === undefined && reads('sessions') ? ['g', 'device'] : [];
}

/**
 * Tables that end in `paged`, a row for each session with views: k, u, day, the entry page, `last_ms` (of the last page, since the first
 * midnight), what splits, and h: pairs of the pages that fulfil steps and of the page after each (`NO_KEY`: none), in order.
 */
function pagedSql(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const code = codesOf(plan, visits);
  const inPlace = buysInPlace(plan, visits);
  const of = ['u', ...splitsOf(plan, visits), ...(inPlace ? ['bought'] : [])];
  // A session without the first step counts for nothing; without a condition on lists, which an engine would make again for it.
  const isStarted = plan.withinDays === undefined && plan.steps[0]?.choices.every(({ kind }) => kind === 'page') === true;
  const aggregates = {
    ...Object.fromEntries(of.map((name) => [name, `min(v.${name})`])),
    ...(isStarted && { starts: `max(${flag(isStep('s.mask', 0))})` }),
    z: `arraySort(groupArray(tuple(${code.view}, s.p)))`,
  };
  const own = ['k', 'day', ...of].join(', ');
  const pairs = sql.map(
    'd',
    (each, place) => `tuple(${firstInRange(code.page(one(each), place), plan, visits)}, coalesce(${other(`d[${place} + 1]`)}, ${NO_KEY}))`,
  );
  const hits = sql.filter('h', (each) => `${one(each)} % ${MASK} <> 0`);
  const purchase = `[tuple(${code.other('0', String(purchaseBits(plan.steps)))}, ${NO_KEY})]`;
  const all = inPlace ? `arrayConcat(${hits}, CASE WHEN bought = 1 THEN ${purchase} ELSE [] END)` : hits;
  return [
    `viewed AS (${sessionRows(aggregates)})`,
    `folded AS (SELECT ${own}, ${changesOf(sql, 'z', other)} AS d FROM viewed${isStarted ? ' WHERE starts = 1' : ''})`,
    `placed AS (SELECT ${own}, ${other('d[1]')} AS entry, ${code.timeOfView(one('d[length(d)]'))} AS last_ms, ${pairs} AS h FROM folded)`,
    `paged AS (SELECT ${own}, entry, last_ms, ${all} AS h FROM placed)`,
  ];
}

/** Purchases; the files do not say when: in a session after all else, of a visitor after the last page of that session. */
function purchaseRows({ withinDays }: FunnelPlan, { days, reads }: Visits): { from: string; time: string } {
  if (withinDays === undefined) return { from: 'visit AS v', time: `began + ${DAY_MS}` };
  if (!reads('views')) return { from: 'visit AS v', time: 'began' };
  // Engines give a session without pages NULL or 0.
  const time = `CASE WHEN coalesce(k_last, ${NO_KEY}) = ${NO_KEY} THEN began ELSE last_ms + ${days.first * DAY_MS + 1} END`;
  return { from: 'visit AS v LEFT JOIN (SELECT k AS k_last, last_ms FROM paged) AS l ON v.k = l.k_last', time };
}

/** Selects with a row for each app event and purchase that fulfils steps: `unit`, k, day, what splits, the entry page (none), h. */
function otherHits(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const code = codesOf(plan, visits);
  const own = [`${unitOf(plan)} AS unit`, 'k', 'day', ...splitsOf(plan, visits)].join(', ');
  const hit = (time: string, mask: string, next = NO_KEY) =>
    `${NO_KEY} AS entry, [tuple(${firstInRange(code.other(time, mask), plan, visits)}, ${next})] AS h`;
  const parts: string[] = [];
  if (plan.steps.some((step) => hasKind(step, 'event'))) {
    const mask = maskOf(plan.steps.map((step) => eventCondition(step, 'assumeNotNull(event_name)', sql)));
    const each = sql.each('visit', { event_name: 'names', event_at: 'times' });
    const rows = `(SELECT *, ${msOf('event_at')} AS t, ${mask} AS mask FROM ${each} AS e) AS r`;
    // The first page of the session after the event.
    const later = sql.filter('pages', (pair) => `${code.timeOfView(one(pair))} > t - ${visits.days.first * DAY_MS}`);
    const [joined, next] = visits.reads('views')
      ? [' LEFT JOIN (SELECT k AS k_pages, d AS pages FROM folded) AS p ON r.k = p.k_pages', `coalesce(${other(`${later}[1]`)}, ${NO_KEY})`]
      : ['', NO_KEY];
    parts.push(`SELECT ${own}, ${hit('t', 'mask', next)} FROM ${rows}${joined} WHERE mask <> 0`);
  }
  const bits = purchaseBits(plan.steps);
  if (bits > 0 && !buysInPlace(plan, visits)) {
    const { from, time } = purchaseRows(plan, visits);
    parts.push(`SELECT ${own}, ${hit(time, String(bits))} FROM ${from} WHERE bought = 1`);
  }
  return parts;
}

/** Tables that end in `walk`, a row for each session or visitor: unit, day, the entry page, what splits, h, and l, its numbers. */
function walkSql(plan: FunnelPlan, visits: Visits): string[] {
  const splits = splitsOf(plan, visits);
  const paged = visits.reads('views') ? pagedSql(plan, visits) : [];
  const ofPages = `SELECT ${[`${unitOf(plan)} AS unit`, 'k', 'day', ...splits, 'entry', 'h'].join(', ')} FROM paged`;
  const others = otherHits(plan, visits);
  const hit = `hit AS (${[...(paged.length > 0 ? [ofPages] : []), ...others].join(' UNION ALL ')})`;
  const columns = ['min(r.day) AS day', ...splits.map((name) => `min(r.${name}) AS ${name}`), 'max(r.entry) AS entry'].join(', ');
  const isWhole = plan.withinDays === undefined && others.length === 0;
  const all = isWhole ? 'hit' : `(SELECT unit, ${columns}, arraySort(groupArrayArray(r.h)) AS h FROM hit AS r GROUP BY unit) AS w`;
  return [
    ...paged,
    hit,
    `walk AS (SELECT ${['unit', 'day', ...splits, 'entry', 'h'].join(', ')}, ${visits.sql.map('h', one)} AS l FROM ${all})`,
  ];
}

/** Steps in order: each the first that comes after the one before. */
function inOrder(plan: FunnelPlan, visits: Visits): string[] {
  const { sql } = visits;
  const within = plan.withinDays === undefined ? '' : ` AND e <= x1 + ${codesOf(plan, visits).later(plan.withinDays * DAY_MS)}`;
  return plan.steps.map((_, index) => {
    const before = at(index - 1);
    const found =
      index === 0
        ? firstOf(sql, 'l', (e) => isStep(e, 0))
        : cases([[`${before} > 0`, firstOf(sql, 'l', (e) => `${e} > ${before} AND ${isStep(e, index)}${within}`)]], 0);
    return `s${index + 1} AS (SELECT *, toInt64(${found}) AS ${at(index)} FROM ${index === 0 ? 'walk' : `s${index}`})`;
  });
}

/** Steps one right after the other: lists of the pages at which the steps so far end. */
function direct(plan: FunnelPlan, visits: Visits): string[] {
  const { steps } = plan;
  const { sql } = visits;
  const { place } = codesOf(plan, visits);
  const ends = steps.map((step, index) => {
    const bought = hasKind(step, 'purchase') ? ` OR (${place('e')} = ${LAST_PLACE} AND length(c${index}) > 0)` : '';
    const follows = index === 0 ? '' : ` AND (has(p${index}, ${place('e')} - 1)${bought})`;
    const list = sql.filter('l', (e) => `${isStep(e, index)}${follows}`);
    const rows = `SELECT *, ${list} AS c${index + 1} FROM ${index === 0 ? 'walk' : `e${index}`}`;
    return `e${index + 1} AS (SELECT *, ${sql.map(`c${index + 1}`, (e) => place(e))} AS p${index + 1} FROM (${rows}) AS w)`;
  });
  const firsts = steps.map((_, index) => `coalesce(c${index + 1}[1], 0) AS ${at(index)}`);
  return [...ends, `s${steps.length} AS (SELECT *, ${firsts.join(', ')} FROM e${steps.length})`];
}

/** Between a step and the one before: tenths of a second up to a minute, seconds up to an hour, minutes beyond, as ms; −1 for none. */
function gapSql(plan: FunnelPlan, visits: Visits, index: number): string {
  const { time, place } = codesOf(plan, visits);
  const step = plan.steps[index];
  if (!step || hasKind(step, 'purchase')) return '-1';
  // Of neighbours the page right before, which need not be the first of the step before.
  const neighbour = firstOf(visits.sql, 'l', (e) => `${place(e)} = ${place(at(index))} - 1`);
  const ms = `(${time(at(index))} - ${time(plan.order === 'direct' ? neighbour : at(index - 1))})`;
  const rounded = (unit: number) => `intDiv(${ms} + ${unit / 2}, ${unit}) * ${unit}`;
  return cases(
    [
      [`${at(index)} = 0`, -1],
      [`${ms} < 60000`, rounded(100)],
      [`${ms} < 3600000`, rounded(1_000)],
    ],
    rounded(60_000),
  );
}

/** First days of visitors whose window the files do not cover whole; a session of the last day may do its first step after midnight. */
function immatureDays({ withinDays = 0 }: FunnelPlan, { days }: Visits): number[] {
  return daysFromTo(days.first, days.last + 1).filter((day) => daysFromTo(day, day + withinDays).some((each) => !days.ofFiles.has(each)));
}

/** The page right after the last step that was done; `NO_KEY` where the visit ended, or all steps were done. */
function nextPage({ steps }: FunnelPlan, { sql }: Visits): string {
  const last = cases(
    steps.slice(0, -1).map((_, index) => [`${at(index + 1)} = 0`, at(index)]),
    0,
  );
  return `coalesce(${other(`${sql.filter('h', (each) => `${one(each)} = toInt64(${last})`)}[1]`)}, ${NO_KEY})`;
}

/** How far each came, when they began, the times between steps, the page that followed; depth 0: no step, −1: it is too early. */
function doneSql(plan: FunnelPlan, visits: Visits): string {
  const { days } = visits;
  const { steps, withinDays } = plan;
  const depth = steps.map((_, index) => flag(`${at(index)} > 0`)).join(' + ');
  const gaps = steps.slice(1).map((_, index) => `${gapSql(plan, visits, index + 1)} AS gap${index + 2}`);
  const columns = ['unit', 'x1', ...gaps, 'entry', `${nextPage(plan, visits)} AS p_next`, ...splitsOf(plan, visits)];
  // Who did no step stays until all is counted: an engine would make the lists again for each condition on them.
  const from = `s${steps.length}`;
  if (withinDays === undefined) return `done AS (SELECT ${[...columns, 'day', `${depth} AS depth`].join(', ')} FROM ${from})`;
  const began = dayOfMs(`(${codesOf(plan, visits).time('x1')} + ${days.first * DAY_MS})`);
  const rows = `SELECT ${[...columns, `${began} AS day`, `${depth} AS so_far`].join(', ')} FROM ${from}`;
  const late = immatureDays(plan, visits);
  const judged = late.length === 0 ? 'so_far' : cases([[`so_far > 0 AND day IN (${late.join(', ')})`, -1]], 'so_far');
  return `done AS (SELECT *, ${judged} AS depth FROM (${rows}) AS d)`;
}

function visitColumns({ steps, group }: FunnelPlan, visits: Visits): Expressions {
  const column = orNull(visits);
  return {
    ...(purchaseBits(steps) > 0 && { bought: flag(`coalesce(${column('session_number_of_transactions')}, 0) > 0`) }),
    ...(steps.some((step) => hasKind(step, 'event')) && {
      names: column('app_events.event_name'),
      times: column('app_events.event_time'),
    }),
    ...(group && { g: group.visit ?? "''", device: group.device ?? "''" }),
  };
}

/** Visitors by what splits and how deep they came: the group is that of the session of their first step. */
function visitorGroups({ group, withinDays }: FunnelPlan, { sql }: Visits): string[] {
  if (group?.visit === undefined || withinDays === undefined) return [];
  const rows = `done AS d JOIN hit AS h ON d.unit = h.unit WHERE d.depth <> 0 AND has(${sql.map('h.h', one)}, d.x1)`;
  const first = `SELECT d.unit AS unit, d.depth AS depth, min(h.k) AS k FROM ${rows} GROUP BY d.unit, d.depth`;
  return [
    `SELECT 'group' AS kind, f.depth AS depth, 0 AS value, ${NO_KEY} AS p, v.g AS name, v.device AS device, count(*) AS n ` +
      `FROM (${first}) AS f JOIN visit AS v ON f.k = v.k GROUP BY v.g, v.device, f.depth`,
  ];
}

/** Counts of `done`, where a step was done: in one pass, because an engine may make a table again wherever it is named. */
function countedSql(plan: FunnelPlan, visits: Visits): string {
  const { steps, group, withinDays } = plan;
  const gaps = steps.flatMap((step, index) => (index === 0 || hasKind(step, 'purchase') ? [] : index + 1));
  const started = (kind: string) => cases([['depth = 0', "''"]], `'${kind}'`);
  const left = cases([[`depth BETWEEN 1 AND ${steps.length - 1}`, "'next'"]], "''");
  const [g = "''", device = "''"] = splitsOf(plan, visits);
  const isOfRow = group && (group.visit === undefined || withinDays === undefined);
  /** A kind of row with its columns. */
  const things: readonly (readonly [kind: string, depth: string, value: string, p?: string, name?: string, device?: string])[] = [
    [started('day'), 'depth', 'day'],
    ...gaps.map((step) => [cases([[`gap${step} = -1 OR depth < 0`, "''"]], "'gap'"), String(step), `gap${step}`] as const),
    ...(visits.reads('views') ? [[left, 'depth', flag(`p_next = ${NO_KEY}`), 'p_next'] as const] : []),
    ...(isOfRow ? [[started('group'), 'depth', '0', group.visit === undefined ? 'entry' : NO_KEY, g, device] as const] : []),
  ];
  const columns = ['kind', 'depth', 'value', 'p', 'name', 'device'];
  const listOf = (column: string, part: number) => {
    const values = things.map((thing) => thing[part] ?? (column === 'p' ? NO_KEY : "''"));
    return `[${values.map((value) => (column === 'depth' || column === 'value' ? `toInt64(${value})` : value)).join(', ')}]`;
  };
  const each = visits.sql.each('done', Object.fromEntries(columns.map((column, part) => [`of_${column}`, listOf(column, part)])));
  const named = columns.map((column) => `of_${column} AS ${column}`).join(', ');
  const keys = columns.map((column) => `of_${column}`).join(', ');
  return `SELECT ${named}, count(*) AS n FROM ${each} AS e WHERE of_kind <> '' GROUP BY ${keys}`;
}

/**
 * The statement of a funnel. Rows of `kind` day (value: the day, by depth), gap (depth: the step, value: ms), group (name, `device` where
 * groups are split by it, by depth) and next (name: the page, by depth; value 1: the visit ended), each with a count `n`.
 */
function funnelSql(plan: FunnelPlan, visits: Visits): string {
  const { sql } = visits;
  const mask = maskOf(plan.steps.map((step) => pageCondition(step, pathText(visits), sql)));
  const { part, withinDays: followDays } = plan;
  const relation = visitRelation(visits, { visit: visitColumns(plan, visits), page: { mask }, part, followDays });
  const chain = plan.order === 'direct' ? direct(plan, visits) : inOrder(plan, visits);
  const counted = [countedSql(plan, visits), ...visitorGroups(plan, visits)].join('\nUNION ALL ');
  // A group is all of its rows: of each depth, on each device.
  const size = "sum(n) OVER (PARTITION BY kind, p, name, CASE WHEN kind = 'next' THEN depth ELSE 0 END)";
  const sized = `SELECT *, ${size} AS size FROM (${counted}) AS c`;
  const ranked = `SELECT *, dense_rank() OVER (PARTITION BY kind ORDER BY size DESC, p, name) AS place FROM (${sized}) AS s`;
  const isRare = `(kind = 'next' AND place > ${MOST_NEXT}) OR (kind = 'group' AND place > ${MOST_GROUPS})`;
  const rare = (value: string, column: string) => cases([[isRare, value]], column);
  const kept =
    `SELECT kind, depth, value, p, name, device, sum(n) AS n FROM (SELECT kind, depth, value, ${rare(NO_KEY, 'p')} AS p, ` +
    `${rare(sql.text(OTHER), 'name')} AS name, device, n FROM (${ranked}) AS r) AS k GROUP BY kind, depth, value, p, name, device`;
  const named = visits.reads('views')
    ? 'SELECT r.kind AS kind, coalesce(o.path, r.name) AS name, r.device AS device, r.depth AS depth, r.value AS value, r.n AS n ' +
      `FROM (${kept}) AS r LEFT JOIN path_of AS o ON r.p = o.p`
    : kept;
  return `WITH ${[relation, ...walkSql(plan, visits), ...chain, doneSql(plan, visits)].join(',\n')}\n${named}`;
}

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

type CountedRow = ReturnType<typeof countedRow>;

const countedRow = ({ kind, depth, value, n, name, device }: VisitRow) => {
  return { kind, depth: Number(depth), value: Number(value), n: Number(n), name: textOf(name), device: textOf(device) };
};

const countOf = (rows: readonly CountedRow[]) => sumOfKnown(rows, ({ n }) => n);

/** How many there are at each depth. */
const depthsOf = (rows: readonly CountedRow[]) =>
  daysFromTo(0, Math.max(...rows.map(({ depth }) => depth))).map((own) => countOf(rows.filter(({ depth }) => depth === own)));

const eachOf = <Key, Made>(rows: readonly CountedRow[], keyOf: (row: CountedRow) => Key, make: (own: readonly CountedRow[]) => Made) =>
  new Map([...grouped(rows, keyOf)].map(([key, own]) => [key, make(own)] as const));

/** The counts that the rows give; groups by device too where they are split by it. */
function countsOf(all: readonly VisitRow[], { group }: Pick<FunnelPlan, 'group'>): FunnelCounts {
  const rows = all.map(countedRow);
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted);
  const started = (wanted: string) => of(wanted).filter(({ depth }) => depth > 0);
  const byName = <Made>(make: (own: readonly CountedRow[]) => Made) => eachOf(started('group'), ({ name }) => name, make);
  return {
    days: eachOf(started('day'), ({ value }) => value, depthsOf),
    groups: byName(depthsOf),
    ...(group?.device !== undefined && { byDevice: byName((own) => eachOf(own, ({ device }) => device, depthsOf)) }),
    gaps: eachOf(
      of('gap'),
      ({ depth }) => depth,
      (own) => [...eachOf(own, ({ value }) => value, countOf)],
    ),
    // Of each part there are rows of their own.
    next: [...grouped(of('next'), ({ depth, value, name }) => `${depth} ${value} ${name}`).values()].flatMap((own) =>
      own.slice(0, 1).map(({ depth, value, name }) => ({ depth, page: value === 1 ? undefined : name, count: countOf(own) })),
    ),
    immature: sumOfKnown(of('day'), ({ depth, n }) => (depth > 0 ? 0 : n)),
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
