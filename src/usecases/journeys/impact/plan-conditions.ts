import { refuse } from '../../../api/errors.ts';
import {
  type AskedCondition,
  type Condition,
  FRUSTRATION_SCORES,
  groupedMessage,
  SLOW_SECONDS,
  usualLimit,
} from '../../../domain/journeys/impact/conditions.ts';
import { groupPages, isLike, type PathViews } from '../../../domain/journeys/page-groups.ts';
import { isPageOf, pageSteps } from '../../../domain/journeys/step.ts';
import { nth } from '../../../lib/nth.ts';
import { type Counted, countedBy, textOf } from '../held-values.ts';
import { flag } from '../sql-words.ts';
import { pageCondition } from '../step-sql.ts';
import { unseenStep } from '../unseen-step.ts';
import { pathText, visitRelation } from '../visit-relation.ts';
import type { Visits } from '../visits.ts';
import {
  type EffectPlan,
  FIELDS,
  fieldsOf,
  type Hypothesis,
  type IndexPage,
  MOST_PROBES,
  measuresSql,
  messagesSql,
  type TroubleKind,
  troubleKinds,
} from './strata-sql.ts';

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
  const exceeded = limits.map((_, at) => paths.reduce((sum, path) => sum + nth(countsOf(path), at), 0));
  return usualLimit(limits, exceeded, viewsOf(paths));
}

const viewsOf = (paths: readonly ProfiledPath[]) => paths.reduce((sum, { views }) => sum + views, 0);

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
  const fits = (name: string) => (wanted.includes('*') ? isLike(name, wanted) : name.includes(wanted));
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

function isOfViews(asked: AskedCondition): asked is AskedCondition & { what: Condition['what'] } {
  return asked.what !== 'variable';
}

/** The conditions of a call, checked; a message stands for each group of messages that it means, errors without one for each message. */
function askedConditions(asked: readonly AskedCondition[], messages: readonly Counted[] | undefined): Condition[] {
  return asked.filter(isOfViews).flatMap(({ what, pages, overSeconds, over, message }): Condition[] => {
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
export async function planConditions(asked: readonly AskedCondition[] | undefined, visits: Visits): Promise<EffectPlan> {
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
  const named = await askedPlaces(conditions, paths, visits);
  const every = [...pages, ...named];
  const usual = pages.flatMap(({ views }, at) => (asked || views >= LEAST_VIEWS ? [at] : []));
  const ownPlace = (condition: Condition) => every.findIndex((place, at) => at >= pages.length && place.pattern === patternOf(condition));
  const hypotheses = conditions.flatMap((condition, probe): Hypothesis[] => {
    // Going to a page is looked at where it is not seen yet: on every other page.
    const places = condition.pages && condition.what !== 'page' ? [ownPlace(condition)] : usual;
    return places.map((place) => ({ place, probe, condition: limited(condition, every[place]) }));
  });
  const probes = conditions.map((condition) => (condition.pages ? limited(condition, every[ownPlace(condition)]) : condition));
  return { pages, asked: named, probes, hypotheses };
}
