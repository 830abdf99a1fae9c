import { refuse } from '../../api/errors.ts';
import { nth } from '../../lib/nth.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { groupPages, likeness, type PathViews, viewsOf } from '../page-groups.ts';
import { cases, eventCondition, flag, hostOf, keyOf, maskOf, msOf, pageCondition } from '../sql-words.ts';
import { hasKind, isPageOf, pageSteps, parseStep, type Step } from '../step.ts';
import { deviceSql } from '../visit-filters.ts';
import {
  type Counted,
  countedBy,
  type Expressions,
  partsOf,
  pathText,
  textOf,
  unseenStep,
  type VisitPart,
  type VisitRow,
  type Visits,
  visitRelation,
} from '../visit-relation.ts';
import {
  type AskedCondition,
  type Condition,
  FRUSTRATION_SCORES,
  groupedMessage,
  MESSAGE_RULES,
  SLOW_SECONDS,
  usualLimit,
} from './conditions.ts';
import type { Aim, StrataSums } from './effect.ts';

/** The outcome of interest, from the parameter `outcome`. */
export interface Outcome {
  readonly kind: 'purchase' | 'bounce' | 'step';
  readonly aim: Aim;
  /** How it is called, in the plural. */
  readonly many: string;
  readonly step?: Step | undefined;
}

/** Understands an outcome: purchase, revenue, bounce, or a step. */
export function parseOutcome(text: string): Outcome {
  const word = text.trim().toLowerCase();
  if (word === 'revenue') return { kind: 'purchase', aim: 'revenue', many: 'purchases' };
  if (word === 'bounce' || word === 'bounces') return { kind: 'bounce', aim: 'conversions', many: 'visits that end on that page' };
  const step = parseStep(text, 'outcome');
  if (hasKind(step, 'purchase') && step.choices.length === 1) return { kind: 'purchase', aim: 'conversions', many: 'purchases' };
  return { kind: 'step', aim: 'conversions', many: `visits that reach ${step.text}`, step };
}

/** Fields of sessions that an outcome cannot do without. */
export function fieldsOfOutcome({ kind, aim, step }: Outcome): string[] {
  return [
    ...(kind === 'purchase' || (step && hasKind(step, 'purchase')) ? ['session_number_of_transactions'] : []),
    ...(aim === 'revenue' ? ['session_transactions_revenue_cents'] : []),
    ...(step && hasKind(step, 'event') ? ['app_events.event_name', 'app_events.event_time'] : []),
  ];
}

/** The last app event of a session that fulfils a step, ms since 1970; 0 where there is none. */
function lastEvent(step: Step | undefined, visits: Visits): string {
  const [names, times] = ['app_events.event_name', 'app_events.event_time'].map((field) => visits.column('sessions', field));
  const condition = step && eventCondition(step, 'e', visits.sql);
  if (names === undefined || times === undefined || condition === undefined) return '0';
  const each = visits.sql.map(names, (_, place) => cases([[condition, msOf(`${times}[${place}]`)]], 0));
  return `coalesce(arrayMax(arrayConcat([toInt64(0)], ${each})), 0)`;
}

/** Columns of sessions: whether it buys, for how much and when it last had the event of the outcome. */
export function salesColumns({ step }: Outcome, visits: Visits): Expressions {
  const [transactions, cents] = ['session_number_of_transactions', 'session_transactions_revenue_cents'].map(
    (field) => visits.column('sessions', field) ?? 'NULL',
  );
  return {
    buys: flag(`coalesce(${transactions}, 0) > 0`),
    cents: `toInt64(coalesce(${cents}, 0))`,
    event_ms: lastEvent(step, visits),
  };
}

/** Whether a view is a page that fulfils the outcome. */
export function goalColumn({ step }: Outcome, visits: Visits): string {
  return flag((step && pageCondition(step, pathText(visits), visits.sql)) ?? '1 = 0');
}

/** Whether a session converts after a view, from columns of both; where `isWhole` at any time, from `views`, `goal_n` and its sales. */
export function conversionSql({ kind, step }: Outcome, isWhole = false): string {
  if (kind === 'purchase') return 'buys';
  if (kind === 'bounce') return flag(isWhole ? 'views = 1' : 'last_n <= view_n');
  const after = isWhole ? 'goal_n > 0 OR event_ms > 0' : 'goal_n > view_n OR (event_ms > 0 AND event_ms >= second_at * 1000)';
  return flag(`${after}${step && hasKind(step, 'purchase') ? ' OR buys = 1' : ''}`);
}

/** A page, or several as one, whose first view in a session is looked at. */
interface IndexPage {
  readonly pattern: string;
  /** Whether a view is of it, on columns of the views. */
  readonly sql: string;
  /** Loading over this counts as slow here where no limit is named. */
  readonly slowSeconds: number;
  readonly views: number;
}

/** A condition at a place whose effect is measured, by the indices of both in the plan. */
export interface Hypothesis {
  readonly condition: Condition;
  readonly place: number;
  readonly probe: number;
}

/** All that the statement of the effects depends on. */
type EffectPlan = Awaited<ReturnType<typeof planConditions>>;

/** Conditions that fit into the number of a first view, and a bit for a view that is the last. */
const MOST_PROBES = 25;
const LAST_VIEW = 2 ** MOST_PROBES;
/** The number of a first view: that of the view times the first of these, seconds times the second, conditions. */
const FIRST_VIEW = { numberAt: 2 ** 50, secondAt: 2 * LAST_VIEW, largestNumber: 4_000, largestSecond: 16_000_000 } as const;
/** Numbers of first views from which on a stratum begins. */
const DEPTHS = [2, 3, 4, 5, 6, 7, 9, 11, 15, 21];
/** Less than this share of sessions have a rare version of a browser, or come from a source that is not told from the others. */
const RARE = 0.01;

/** Fields of views by which a kind of condition is known, the best first. */
const FIELDS = {
  slow_page: ['fully_loaded', 'dom_interactive_after_msec', 'start_render'],
  api_error: ['any_api_error_ind'],
  rage_click: ['rage_click_all_targets_ind'],
  frustration: ['frustration_score'],
  js_error: ['any_js_error_ind'],
} as const satisfies Partial<Record<Condition['what'], readonly string[]>>;

/** A kind of condition that a field tells of. */
type TroubleKind = keyof typeof FIELDS;
/** All of them. */
const troubleKinds = Object.keys(FIELDS) as TroubleKind[]; // its own keys

/** The fields of views, the best first, of which one tells of a condition; none for one by the pages alone. */
export function fieldsOf({ what, message }: AskedCondition): readonly string[] {
  if (message !== undefined) return ['errors.message'];
  if (what === 'page' || what === 'variable') return [];
  return what === 'js_error' ? [...FIELDS.js_error, 'errors.message'] : FIELDS[what];
}

/** Columns of views: the loading time, the score, and the troubles as 1 or 0; NULL where no file has them. */
function measuresSql(visits: Visits): Expressions {
  return Object.fromEntries(
    troubleKinds.map((what) => {
      const column = FIELDS[what].flatMap((field) => visits.column('views', field) ?? [])[0] ?? 'NULL';
      return [what, what === 'slow_page' || what === 'frustration' ? column : flag(column)];
    }),
  );
}

/** The texts of the errors of a view without numbers and addresses, each once; undefined where no file has them. */
function messagesSql({ sql, column }: Visits): string | undefined {
  const messages = column('views', 'errors.message');
  const plain = (text: string) =>
    MESSAGE_RULES.reduce(
      (value, [pattern, by]) => `replaceRegexpAll(${value}, ${sql.text(pattern)}, ${sql.text(by)})`,
      `coalesce(${text}, '')`,
    );
  return messages && `arrayDistinct(${sql.map(messages, plain)})`;
}

/** Whether a view meets a condition; undefined for an error with a text. */
function probeSql({ what, over, message, pages }: Condition, { asked }: EffectPlan): string | undefined {
  if (message !== undefined) return undefined;
  if (what === 'page') {
    const place = asked.findIndex(({ pattern }) => pattern === pages?.join(' | '));
    return `next_places IS NOT NULL AND bitAnd(next_places, ${2 ** place}) <> 0`;
  }
  if (what === 'slow_page') return `slow_page > ${over === undefined ? 'slow_ms' : over * 1000}`;
  return `${what} ${what === 'frustration' ? `>= ${over ?? FRUSTRATION_SCORES[0]}` : '= 1'}`;
}

/** The bits of the errors of a view. */
function errorBits({ probes }: EffectPlan, visits: Visits): string {
  const messages = messagesSql(visits);
  const texts = probes.flatMap(({ message }, at) => (message === undefined ? [] : [[message, 2 ** at] as const]));
  if (messages === undefined || texts.length === 0) return '0';
  const bits = visits.sql.map(messages, (text) =>
    cases(
      texts.map(([message, bit]) => [`${text} = ${visits.sql.text(message)}`, bit]),
      0,
    ),
  );
  // Most views have no error, and lists take several times as long.
  return cases([[`length(${visits.column('views', 'errors.message') ?? ''}) > 0`, `toInt64(arraySum(${bits}))`]], 0);
}

/** The traits of a session from its beginning on; '' where no file has them, and a value of their own on days whose files do not. */
function traitsSql({ column, partly }: Visits): Expressions {
  const of = (field: string, make: (column: string) => string) => {
    const own = partly('sessions', field);
    if (own === undefined) return "''";
    return column('sessions', field) === undefined ? cases([[`${own} IS NULL`, "'?'"]], make(own)) : make(own);
  };
  const version = of('browser_version', (own) => `REGEXP_EXTRACT(coalesce(${own}, ''), '^([0-9]+)', 1)`);
  return {
    device: of('device_id', deviceSql),
    returns: of('session_number', (own) => cases([[`${own} > 1`, "'yes'"]], "''")),
    browser: of('browser_name', (own) => `concat(coalesce(${own}, ''), ' ', ${version})`),
    source: of('referer_url', (own) => `coalesce(${hostOf(`coalesce(${own}, '')`)}, '')`),
  };
}

/** Sessions at the first view of each place, a row each, which the engine may keep; `part`: of a part of all visits. */
function firstViews(plan: EffectPlan, outcome: Outcome, visits: Visits, part?: VisitPart): string {
  const { pages, asked, probes } = plan;
  const { days, sql } = visits;
  const { numberAt, secondAt, largestNumber, largestSecond } = FIRST_VIEW;
  const [traits, sales] = [traitsSql(visits), salesColumns(outcome, visits)];
  const page = {
    ...measuresSql(visits),
    said: errorBits(plan, visits),
    goal: goalColumn(outcome, visits),
    page_at: cases(
      pages.map((each, at) => [each.sql, at]),
      pages.length,
    ),
    places: maskOf(asked.map((each) => each.sql)),
  };
  const slow = cases(
    pages.map(({ slowSeconds }, at) => [`page_at = ${at}`, slowSeconds * 1000]),
    1e9,
  );
  const next = probes.some(({ what }) => what === 'page')
    ? 'max(toNullable(places)) OVER (PARTITION BY k ORDER BY n ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING)'
    : '0';
  const bits = [maskOf(probes.map((probe) => probeSql(probe, plan))), cases([['next_places IS NULL', LAST_VIEW]], 0), 'said'].join(' + ');
  const second = `greatest(0, least(${largestSecond}, intDiv(t, 1000) - ${days.first * 86_400}))`;
  const first = `toInt64(least(n, ${largestNumber})) * ${numberAt} + ${second} * ${secondAt} + toInt64(${bits})`;
  const places = asked.map((_, at) => cases([[`bitAnd(places, ${2 ** at}) <> 0`, pages.length + 1 + at]], -1));
  const placed =
    asked.length === 0 ? '(SELECT *, page_at AS here FROM met)' : sql.each('met', { here: `[${['page_at', ...places].join(', ')}]` });
  const known = Object.keys({ ...traits, ...sales });
  // A rare version of a browser is an old one, in which more fails and less is bought.
  const share = (trait: string) => `count(*) OVER (PARTITION BY ${trait}) < ${RARE} * count(*) OVER ()`;
  const stratum = keyOf('device', 'returns', flag(share('browser')), cases([[share('source'), "''"]], 'source'));
  const later =
    outcome.kind === 'purchase' ? ['0', '0'] : ['max(f.last_n) OVER (PARTITION BY f.k)', 'max(f.goal_n) OVER (PARTITION BY f.k)'];
  return `WITH ${visitRelation(visits, { visit: { ...traits, ...sales }, page, part })},
met AS (SELECT k, n, page_at, places, goal, ${first} AS first FROM (SELECT *, ${slow} AS slow_ms, ${next} AS next_places FROM seen) AS p),
firsts AS (SELECT h.k AS k, h.here AS here, min(h.first) AS first, max(h.n) AS last_n, max(h.goal * h.n) AS goal_n
FROM ${placed} AS h WHERE h.here >= 0 GROUP BY h.k, h.here),
alike AS (SELECT k AS k_of, ${known.slice(4).join(', ')}, ${stratum} AS traits FROM visit)
SELECT f.k AS k, f.here AS here, f.first AS first, ${later[0]} AS last_n, ${later[1]} AS goal_n, buys, cents, event_ms, traits
FROM firsts AS f JOIN alike AS a ON f.k = a.k_of`;
}

/** The FROM clause of the sessions of a plan: where the engine can, it reads the views once and keeps them for all statements. */
async function firstViewsOf(plan: EffectPlan, outcome: Outcome, visits: Visits): Promise<string> {
  if (!visits.keep) return `(${firstViews(plan, outcome, visits)})`;
  const parts = partsOf(visits, 'session').map((part, at) => ({ part, name: `first_views_${at}` }));
  for (const { part, name } of parts) await visits.keep(name, firstViews(plan, outcome, visits, part));
  return `(${parts.map(({ name }) => `SELECT * FROM ${name}`).join(' UNION ALL ')})`;
}

/** The sums over the strata. */
const SUMS = {
  sessions: 'n1',
  others: 'n0',
  comparable: 'is_fair * n1',
  squares: 'w * w * n0',
} as const;

/** The same of a figure: x1 and x0 are of those with the condition and of the others, xs of the squares, xv its variance. */
const figureSums = (x: string) => ({
  plain: `${x}1`,
  otherPlain: `${x}0`,
  observed: `is_fair * ${x}1`,
  expected: `w * ${x}0`,
  variance: `is_fair * n1 * ${x}v`,
  expectedVariance: `w * w * n0 * ${x}v`,
  squares: `${x}s`,
});
/** Figures of a session: whether it converts, and cents. */
const FIGURES = { converts: 'c', cents: 'r' } as const;

/** A name in the statement of a sum of a figure. */
const named = (figure: string, sum: string) => `${figure}_${sum.toLowerCase()}`;

/**
 * A statement of a row for each judged place, `here`, and probe: sums over strata of sessions that met the condition and of those that did
 * not, each of the latter weighed as w, so that a stratum has as many of both. `met`: other findings, of which the columns m0 … say how
 * many more of those with the condition met them. Variances are those within the strata.
 */
function effectsSql(
  { plan, outcome, from }: { readonly plan: EffectPlan; readonly outcome: Outcome; readonly from: string },
  asked: readonly Hypothesis[],
  met: readonly Hypothesis[],
  { sql, days }: Visits,
): string {
  const { numberAt, secondAt } = FIRST_VIEW;
  const figures = Object.values(FIGURES);
  const mets = met.map((_, at) => `m${at}`);
  const meets = met.map(
    ({ place, probe }, at) => `max(${flag(`here = ${placeAt(place, plan)} AND bitAnd(first, ${2 ** probe}) <> 0`)}) AS m${at}`,
  );
  const joined =
    met.length === 0 ? '' : ` JOIN (SELECT k AS k_met, ${meets.join(', ')} FROM ${from} AS f GROUP BY k) AS m ON s.k = m.k_met`;
  const places = [...new Set(asked.map(({ place }) => placeAt(place, plan)))];
  const opened =
    `SELECT *, intDiv(first, ${numberAt}) AS view_n, first % ${secondAt} AS conditions, ` +
    `intDiv(first % ${numberAt}, ${secondAt}) + ${days.first * 86_400} AS second_at FROM ${from} AS s${joined} ` +
    `WHERE here IN (${places.join(', ')})`;
  const depth = DEPTHS.map((least) => flag(`view_n >= ${least}`)).join(' + ');
  const counted =
    `SELECT here, traits, depth, conditions, count(*) AS n, sum(converts) AS c, sum(converts) AS cc, sum(1e0 * cents) AS r, ` +
    `sum(1e0 * cents * cents) AS rr${mets.map((each) => `, sum(${each}) AS s${each}`).join('')} FROM (SELECT *, ${depth} AS depth, ` +
    `${conversionSql(outcome)} AS converts FROM (${opened}) AS o) AS u GROUP BY here, traits, depth, conditions`;
  const bits = plan.probes.map((_, at) => 2 ** at);
  const lists = { probe: `[${[...bits.keys()].join(', ')}]`, bit: `[${bits.join(', ')}]` };
  // The last view of a session has no page after it.
  const ahead = plan.probes.flatMap(({ what }, at) => (what === 'page' ? at : []));
  const isAsked = ahead.length === 0 ? '' : ` WHERE NOT (probe IN (${ahead.join(', ')}) AND bitAnd(conditions, ${LAST_VIEW}) <> 0)`;
  const probed = `SELECT *, ${flag('bitAnd(conditions, bit) <> 0')} AS hit FROM ${sql.each(`(${counted}) AS c`, lists)} AS e${isAsked}`;
  const sides = ['n', ...figures, ...mets.map((each) => `s${each}`)].map(
    (name) => `sum(1e0 * hit * ${name}) AS ${name}1, sum(1e0 * (1 - hit) * ${name}) AS ${name}0`,
  );
  const squares = figures.map((x) => `sum(${x}${x}) AS ${x}s`);
  const strata = `SELECT here, probe, ${[...sides, ...squares].join(', ')} FROM (${probed}) AS p GROUP BY here, probe, traits, depth`;
  const variances = figures.map(
    (x) => `((n1 + n0) * ${x}s - (${x}1 + ${x}0) * (${x}1 + ${x}0)) / ((n1 + n0) * greatest(n1 + n0 - 1, 1)) AS ${x}v`,
  );
  const weight = cases([['n0 > 0', 'n1 / n0']], 0);
  const weighed = `SELECT *, ${flag('n0 > 0')} AS is_fair, ${weight} AS w, ${variances.join(', ')} FROM (${strata}) AS t`;
  const sums = [
    ...Object.entries(SUMS).map(([name, value]) => `sum(${value}) AS ${named('all', name)}`),
    ...Object.entries(FIGURES).flatMap(([figure, x]) =>
      Object.entries(figureSums(x)).map(([name, value]) => `sum(${value}) AS ${named(figure, name)}`),
    ),
    ...mets.map((each) => `sum(is_fair * s${each}1 - w * s${each}0) AS ${each}`),
  ];
  return `SELECT here, probe, ${sums.join(', ')} FROM (${weighed}) AS z GROUP BY here, probe`;
}

/** The number of a place in the statement: those that are asked about stand behind the number of all other pages. */
const placeAt = (place: number, { pages }: EffectPlan) => (place < pages.length ? place : place + 1);

/** The sums of a row of that statement. */
function sumsOfRow(row: VisitRow, met: number): StrataSums {
  const read = (figure: string, names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, Number(row[named(figure, name)])])) as never; // by those very names
  const [all, converts, cents]: [Omit<StrataSums, 'converts' | 'cents' | 'met'>, StrataSums['converts'], StrataSums['cents']] = [
    read('all', SUMS),
    read('converts', figureSums('')),
    read('cents', figureSums('')),
  ];
  return { ...all, converts, cents, met: Array.from({ length: met }, (_, at) => Number(row[`m${at}`])) };
}

/**
 * Reads the sessions of a plan, and gives what asks for sums over strata of conditions at places; `met`: findings that are counted too.
 * Undefined where no session was there.
 */
export async function readStrata(plan: EffectPlan, outcome: Outcome, visits: Visits) {
  const from = await firstViewsOf(plan, outcome, visits);
  return async (asked: readonly Hypothesis[], met: readonly Hypothesis[] = []) => {
    const rows = await visits.select(effectsSql({ plan, outcome, from }, asked, met, visits));
    return asked.map(({ place, probe }) => {
      const row = rows.find((each) => Number(each['here']) === placeAt(place, plan) && Number(each['probe']) === probe);
      return row && sumsOfRow(row, met.length);
    });
  };
}

/** Pages of the site that are told apart. */
const MOST_PAGES = 15;
const MOST_PATHS = 5_000;
const MOST_MESSAGES = 60;
/** A page with fewer views than this is not looked at unasked. */
const LEAST_VIEWS = 200;
/** Errors that fewer views have say nothing. */
const LEAST_ERRORS = 20;

/** A path with how many of its views took longer than each limit for slow pages, and had each score of frustration. */
interface ProfiledPath extends PathViews {
  readonly slow: readonly number[];
  readonly frustrated: readonly number[];
}

/** The paths of the days of a question, the most seen first. */
async function profiledPaths(visits: Visits): Promise<ProfiledPath[]> {
  const limits = [
    ...SLOW_SECONDS.map((seconds) => `sum(${flag(`slow_page > ${seconds * 1000}`)})`),
    ...FRUSTRATION_SCORES.map((score) => `sum(${flag(`frustration >= ${score}`)})`),
  ];
  const relation = visitRelation(visits, { page: { ...measuresSql(visits), path_text: pathText(visits) } });
  const rows = await visits.select(
    `WITH ${relation}\nSELECT path_text, count(*) AS n, ${limits.map((limit, at) => `${limit} AS l${at}`).join(', ')} FROM seen ` +
      `GROUP BY path_text ORDER BY n DESC, path_text LIMIT ${MOST_PATHS}`,
  );
  return rows.map((row) => {
    const counts = limits.map((_, at) => Number(row[`l${at}`]));
    const slow = counts.slice(0, SLOW_SECONDS.length);
    return { path: textOf(row['path_text']), views: Number(row['n']), slow, frustrated: counts.slice(SLOW_SECONDS.length) };
  });
}

/** The texts of errors with the views that had them; undefined where no file has them. */
async function messagesOf(visits: Visits): Promise<Counted[] | undefined> {
  const [messages, column] = [messagesSql(visits), visits.column('views', 'errors.message')];
  if (messages === undefined || column === undefined) return undefined;
  const from = `${visits.sql.each(`(SELECT ${messages} AS texts FROM views WHERE length(${column}) > 0) AS t`, { a: 'texts' })} AS m`;
  return (await countedBy(visits, 'a', from, MOST_MESSAGES)).filter(({ name }) => name !== '');
}

/** The lowest limit that few enough of some views exceed. */
function limitOf(limits: readonly number[], paths: readonly ProfiledPath[], countsOf: (path: ProfiledPath) => readonly number[]): number {
  const exceeded = limits.map((_, at) => sumOfKnown(paths, (path) => countsOf(path)[at]));
  return usualLimit(limits, exceeded, viewsOf(paths));
}

function placeOf(pattern: string, sql: string, paths: readonly ProfiledPath[]): IndexPage {
  return { pattern, sql, views: viewsOf(paths), slowSeconds: limitOf(SLOW_SECONDS, paths, ({ slow }) => slow) };
}

/** Whether the files can tell of a kind of condition: of errors by their texts too. */
function isHeld(what: TroubleKind, visits: Visits): boolean {
  return fieldsOf({ what }).some((field) => visits.column('views', field) !== undefined);
}

/** Kinds of conditions that the files cannot tell of, each with a field that no export asked for. */
export function untold(visits: Visits): string[] {
  return troubleKinds.flatMap((what) => (isHeld(what, visits) ? [] : [`${what} (${FIELDS[what][0]})`]));
}

/** The messages of the files that an asked one means: those that contain it, or are like it where it has a `*`. */
function meantMessages(text: string, messages: readonly Counted[] = []): string[] {
  const wanted = groupedMessage(text).toLowerCase();
  const fits = (name: string) => (wanted.includes('*') ? likeness(wanted)(name) : name.includes(wanted));
  const found = messages.filter(({ name }) => fits(name.toLowerCase())).map(({ name }) => name);
  if (found.length > 0) return found;
  const most = messages.slice(0, 5).map(({ name, count }) => `"${name}" (${count} views)`);
  return refuse(
    `conditions: no error message contains "${text}". ` +
      (most.length > 0 ? `The most frequent: ${most.join(', ')}.` : 'There is no error in these days.'),
  );
}

/** JavaScript errors, each text a condition of its own where the files have texts; `room`: how many there may be. */
function errorConditions(messages: readonly Counted[] | undefined, room: number): Condition[] {
  const frequent = messages?.filter(({ count }) => count >= LEAST_ERRORS).slice(0, room);
  return frequent?.map(({ name }) => ({ what: 'js_error', message: name })) ?? [{ what: 'js_error' }];
}

/** Every condition that is looked at where none is named, as far as the files can tell. */
function everyCondition(paths: readonly ProfiledPath[], messages: readonly Counted[] | undefined, visits: Visits): Condition[] {
  const isTimed = paths.some(({ slow }) => nth(slow, 0) > 0);
  return troubleKinds.flatMap((what): Condition[] => {
    if (!isHeld(what, visits) || (what === 'slow_page' && !isTimed)) return [];
    if (what === 'js_error') return errorConditions(messages, MOST_PROBES - 4);
    return [{ what, ...(what === 'frustration' && { over: limitOf(FRUSTRATION_SCORES, paths, ({ frustrated }) => frustrated) }) }];
  });
}

/** The conditions of a call, checked; a message stands for each group of messages that it means, errors without one for each message. */
function askedConditions(asked: readonly AskedCondition[], messages: readonly Counted[] | undefined): Condition[] {
  return asked.flatMap(({ what, pages, overSeconds, over, message }): Condition[] => {
    if (what === 'variable') return [];
    if (message !== undefined) return meantMessages(message, messages).map((text) => ({ what, pages, message: text }));
    const each = what === 'js_error' ? errorConditions(messages, MOST_PROBES - asked.length) : [];
    if (each.some((condition) => condition.message !== undefined)) return each.map((condition) => ({ ...condition, pages }));
    const limit = what === 'slow_page' ? overSeconds : over;
    return [{ what, pages, ...(limit !== undefined && { over: limit }) }];
  });
}

const patternOf = ({ pages }: Condition) => pages?.join(' | ');

/** The places that conditions name, each once; throws where nobody saw a page of them. */
async function askedPlaces(conditions: readonly Condition[], all: readonly ProfiledPath[], visits: Visits): Promise<IndexPage[]> {
  const found = new Map<string, IndexPage>();
  for (const condition of conditions) {
    const pattern = patternOf(condition);
    if (pattern === undefined || found.has(pattern)) continue;
    const steps = pageSteps(condition.pages ?? [], 'conditions');
    const unseen = steps.find((step) => !all.some(({ path }) => isPageOf(step, path)));
    if (unseen) throw await unseenStep(unseen, 'conditions', visits);
    const sql = steps.map((step) => pageCondition(step, pathText(visits), visits.sql)).join(' OR ');
    const paths = all.filter(({ path }) => steps.some((step) => isPageOf(step, path)));
    found.set(pattern, placeOf(pattern, sql, paths));
  }
  return [...found.values()];
}

/** A slow page with the limit of its place, where none was named. */
function limited(condition: Condition, place: IndexPage | undefined): Condition {
  return condition.what === 'slow_page' && condition.over === undefined && place ? { ...condition, over: place.slowSeconds } : condition;
}

/** Chooses places, conditions, and which pairs of them are compared: those that are asked about, or all. */
export async function planConditions(asked: readonly AskedCondition[] | undefined, visits: Visits) {
  const paths = await profiledPaths(visits);
  const readsErrors = asked?.some(({ what }) => what === 'js_error') ?? true;
  const messages = readsErrors ? await messagesOf(visits) : undefined;
  const conditions = asked ? askedConditions(asked, messages) : everyCondition(paths, messages, visits);
  if (conditions.length > MOST_PROBES)
    refuse(`conditions: ${conditions.length} conditions are too many for one call; name at most ${MOST_PROBES}.`);
  // The plainest patterns first, so that a path belongs to the narrowest.
  const stars = (pattern: string) => pattern.split('*').length;
  const pages = groupPages(paths, MOST_PAGES)
    .toSorted((a, b) => stars(a.pattern) - stars(b.pattern) || b.pattern.length - a.pattern.length)
    .map((group) => placeOf(group.name, visits.sql.like(pathText(visits), group.pattern), group.paths));
  const askedFor = await askedPlaces(conditions, paths, visits);
  const every = [...pages, ...askedFor];
  const usual = pages.flatMap(({ views }, at) => (asked || views >= LEAST_VIEWS ? at : []));
  const ownPlace = (condition: Condition) => every.findIndex((place, at) => at >= pages.length && place.pattern === patternOf(condition));
  const hypotheses = conditions.flatMap((condition, probe): Hypothesis[] => {
    // Going to a page is looked at where it is not seen yet: on every other page.
    const places = condition.pages && condition.what !== 'page' ? [ownPlace(condition)] : usual;
    return places.map((place) => ({ place, probe, condition: limited(condition, every[place]) }));
  });
  const probes = conditions.map((condition) => (condition.pages ? limited(condition, every[ownPlace(condition)]) : condition));
  return {
    /** The pages of the site, of which a view is of one at most, the first that it is like. */
    pages,
    /** More places that are asked about, which may be parts of those. */
    asked: askedFor,
    probes,
    hypotheses,
  };
}
