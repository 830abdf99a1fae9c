import { ApiError } from '../../api/errors.ts';
import { daysWords } from '../../domain/journeys/covered-days.ts';
import { type Choice, hasKind, type Step } from '../../domain/journeys/step.ts';
import { nearestFirst } from '../../lib/nearest.ts';
import { formatNumber } from '../../lib/number-text.ts';
import { eventCondition, pageCondition } from './step-sql.ts';
import { isFiltered } from './visit-filters.ts';
import type { Visits } from './visits.ts';

/** Names that are compared with the unknown one, the most frequent first. */
const MOST_CANDIDATES = 5_000;
const MOST_NAMED = 5;

interface Counted {
  readonly name: string;
  readonly count: number;
}

async function counted(visits: Visits, statement: string): Promise<Counted[]> {
  const rows = await visits.select(`${statement} GROUP BY name ORDER BY rows DESC, name LIMIT ${MOST_CANDIDATES}`);
  return rows.map(({ name, rows: count }) => ({ name: typeof name === 'string' ? name : '', count: Number(count) }));
}

function pagesSeen(visits: Visits): Promise<Counted[]> {
  const path = visits.column('views', 'path');
  return path === undefined ? Promise.resolve([]) : counted(visits, `SELECT coalesce(${path}, '') AS name, count(*) AS rows FROM views`);
}

function eventsSeen(visits: Visits): Promise<Counted[]> {
  const names = visits.column('sessions', 'app_events.event_name');
  if (names === undefined) return Promise.resolve([]);
  return counted(visits, `SELECT e AS name, count(*) AS rows FROM ${visits.sql.each('sessions', { e: names })} AS s`);
}

function wordsOf(choice: Choice): string {
  if (choice.kind === 'page') return choice.pattern.replaceAll('*', '');
  return choice.kind === 'event' ? choice.name : 'purchase';
}

/** The error for a step that nothing in the files fulfils: the closest pages or events with their counts. */
export async function unseenStep(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  const isEvent = hasKind(step, 'event') && !hasKind(step, 'page');
  const seen = isEvent ? await eventsSeen(visits) : await pagesSeen(visits);
  const asked = step.readAs === undefined ? step.choices.map(wordsOf).join(' ') : step.text;
  const closest = nearestFirst(asked, seen, ({ name }) => name).slice(0, MOST_NAMED);
  const list = closest.map(({ name, count }) => `${isEvent ? 'event:' : ''}${name} (${formatNumber(count, { group: true })})`).join(', ');
  const [what, rows] = isEvent ? ['app event', 'times'] : ['page', 'views'];
  const there = list === '' ? `the files hold no ${what}s` : `closest, with their ${rows}: ${list}`;
  return new ApiError('missing', `${parameter}: no ${what} of these visits is "${step.text}"; ${there}.`);
}

async function counts(visits: Pick<Visits, 'select'>, from: string, condition: string | undefined): Promise<boolean> {
  if (condition === undefined) return false;
  const rows = await visits.select(`SELECT count(*) AS n FROM ${from} WHERE ${condition}`);
  return rows.some(({ n }) => Number(n) > 0);
}

/** Throws for a step that no page or app event of the files fulfils; one that a purchase fulfils too needs none. */
export async function requireSeen(step: Step, parameter: string, visits: Visits): Promise<void> {
  if (hasKind(step, 'purchase')) return;
  const { sql } = visits;
  const [path, names] = [visits.column('views', 'path'), visits.column('sessions', 'app_events.event_name')];
  if (path !== undefined && (await counts(visits, 'views', pageCondition(step, `coalesce(${path}, '')`, sql)))) return;
  const events = names === undefined ? undefined : `${sql.each('sessions', { e: names })} AS s`;
  if (events !== undefined && (await counts(visits, events, eventCondition(step, sql.known('e'), sql)))) return;
  throw await unseenStep(step, parameter, visits);
}

/** The error for a page that no session of the question saw: the files may hold it on other days, or of visits that are filtered out. */
export async function unreached(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  await requireSeen(step, parameter, visits);
  const chosen = isFiltered(visits.question) ? ' that passes the filters' : '';
  return new ApiError(
    'missing',
    `${parameter}: no session of ${daysWords(visits.days.covered).join(', ')}${chosen} saw "${step.text}", though the files hold it; ` +
      `${chosen === '' ? 'widen the range' : 'widen the range or drop a filter'}.`,
  );
}

/** Throws where no session of the files has a purchase, as in a project without a shop: nothing can be told of its purchases. */
export async function requirePurchases(visits: Pick<Visits, 'column' | 'select'>): Promise<void> {
  const transactions = visits.column('sessions', 'session_number_of_transactions');
  if (transactions === undefined || (await counts(visits, 'sessions', `${transactions} > 0`))) return;
  throw new ApiError(
    'missing',
    'outcome: no session of these files has a purchase; name another one, such as bounce or the path of a page that visitors should reach.',
  );
}
