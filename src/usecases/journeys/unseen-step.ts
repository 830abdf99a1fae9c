import { ApiError } from '../../api/errors.ts';
import { type Choice, hasKind, type Step } from '../../domain/journeys/step.ts';
import { nearestFirst } from '../../lib/nearest.ts';
import { type Counted, countedBy, listed } from './held-values.ts';
import { eventCondition, pageCondition } from './sql-words.ts';
import { isFiltered } from './visit-filters.ts';
import { pathText } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** Names that are compared with the unknown one, the most frequent first. */
const MOST_CANDIDATES = 5_000;
const MOST_NAMED = 5;

function wordsOf(choice: Choice): string {
  if (choice.kind === 'page') return choice.pattern.replaceAll('*', '');
  return choice.kind === 'event' ? choice.name : 'purchase';
}

/** The app events of all sessions as rows of e; undefined where no file has them. */
function eventsOf(visits: Visits): string | undefined {
  const names = visits.column('sessions', 'app_events.event_name');
  return names === undefined ? undefined : `${visits.sql.each('sessions', { e: names })} AS s`;
}

/** The error for a step that nothing in the files fulfils: the closest pages or events with their counts. */
export async function unseenStep(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  const isEvent = hasKind(step, 'event') && !hasKind(step, 'page');
  const [name, from] = isEvent ? ['e', eventsOf(visits)] : [pathText(visits), visits.column('views', 'path') && 'views'];
  const seen: Counted[] = from === undefined ? [] : await countedBy(visits, name, from, MOST_CANDIDATES);
  const asked = step.readAs === undefined ? step.choices.map(wordsOf).join(' ') : step.text;
  const closest = nearestFirst(asked, seen, (each) => each.name).slice(0, MOST_NAMED);
  const list = listed(closest.map((each) => ({ ...each, name: `${isEvent ? 'event:' : ''}${each.name}` })));
  const [what, rows] = isEvent ? ['app event', 'times'] : ['page', 'views'];
  const there = list === '' ? `the files hold no ${what}s` : `closest, with their ${rows}: ${list}`;
  return new ApiError('missing', `${parameter}: no ${what} of these visits is "${step.text}"; ${there}.`);
}

async function hasRows(visits: Pick<Visits, 'select'>, from: string | undefined, condition: string | undefined): Promise<boolean> {
  if (from === undefined || condition === undefined) return false;
  const [row] = await visits.select(`SELECT count(*) AS n FROM ${from} WHERE ${condition}`);
  return Number(row?.['n']) > 0;
}

/** Throws for a step that no page or app event of the files fulfils; one that a purchase fulfils too needs none. */
export async function requireSeen(step: Step, parameter: string, visits: Visits): Promise<void> {
  const { sql } = visits;
  if (hasKind(step, 'purchase')) return;
  if (await hasRows(visits, visits.column('views', 'path') && 'views', pageCondition(step, pathText(visits), sql))) return;
  if (await hasRows(visits, eventsOf(visits), eventCondition(step, 'assumeNotNull(e)', sql))) return;
  throw await unseenStep(step, parameter, visits);
}

/** The error for a page that no session of the question saw: the files may hold it on other days, or of visits that are filtered out. */
export async function unreached(step: Step, parameter: string, visits: Visits): Promise<ApiError> {
  await requireSeen(step, parameter, visits);
  const chosen = isFiltered(visits.question) ? ' that passes the filters' : '';
  return new ApiError(
    'missing',
    `${parameter}: no session of ${visits.days.words.join(', ')}${chosen} saw "${step.text}", though the files hold it; ` +
      `${chosen === '' ? 'widen the range' : 'widen the range or drop a filter'}.`,
  );
}

/** Throws where no session of the files has a purchase, as in a project without a shop: nothing can be told of its purchases. */
export async function requirePurchases(visits: Pick<Visits, 'column' | 'select'>): Promise<void> {
  const transactions = visits.column('sessions', 'session_number_of_transactions');
  if (transactions === undefined || (await hasRows(visits, 'sessions', `${transactions} > 0`))) return;
  throw new ApiError(
    'missing',
    'outcome: no session of these files has a purchase; name another one, such as bounce or the path of a page that visitors should reach.',
  );
}
