import { refuse } from '../../api/errors.ts';
import type { CoveredDays } from '../../domain/journeys/covered-days.ts';
import { meantValues, type TextFilter } from '../../domain/journeys/filter-values.ts';
import { formatNumber } from '../../lib/number-text.ts';
import type { Context } from '../context.ts';
import { onCoveredDays } from './coverage-notes.ts';
import { flag } from './sql-words.ts';
import { deviceSql, isFiltered, sessionFilters } from './visit-filters.ts';
import { sessionRows, visitRelation } from './visit-relation.ts';
import type { VisitQuestion, VisitRow, Visits } from './visits.ts';

/** The fields of filters whose values are free texts. */
const FIELDS: Readonly<Record<TextFilter, string>> = { countries: 'country_code', browsers: 'browser_name' };
/** Values that are compared with the asked one, the most frequent first, and those that are named where it is none of them. */
const [MOST_VALUES, MOST_NAMED] = [1_000, 12];

/** A text of rows and how often it occurs. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** A value of a row that is a text; empty where it is none. */
export function textOf(value: VisitRow[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The texts that an expression gives, the most frequent first. */
export async function countedBy({ select }: Pick<Visits, 'select'>, text: string, from: string, most: number): Promise<Counted[]> {
  const rows = await select(`SELECT ${text} AS name, count(*) AS n FROM ${from} GROUP BY name ORDER BY n DESC, name LIMIT ${most}`);
  return rows.map(({ name, n }) => ({ name: textOf(name), count: Number(n) }));
}

const counted = (count: number) => formatNumber(count, { group: true });
/** Texts with their counts. */
export function listed(held: readonly Counted[], most = MOST_NAMED): string {
  const named = held.slice(0, most).map(({ name, count }) => `${name} (${counted(count)})`);
  return named.join(', ') + (held.length > most ? ' …' : '');
}
const rangeOf = ({ words }: CoveredDays) => words.join(', ');

type Sessions = Pick<Visits, 'days' | 'column' | 'select'>;

/** The sessions of the covered days by a text of a field. */
async function sessionsBy(field: string, textIn: (column: string) => string, sessions: Sessions): Promise<Counted[]> {
  const [column, time] = [field, 'session_time'].map((each) => sessions.column('sessions', each));
  if (column === undefined || time === undefined) return [];
  const from = `sessions WHERE ${onCoveredDays(sessions, time).join(' AND ')}`;
  return (await countedBy(sessions, textIn(column), from, MOST_VALUES)).filter(({ name }) => name !== '');
}

/** The question with countries and browsers as the files call them; throws for one that no session has, with those that there are. */
export async function withHeldValues(question: VisitQuestion, sessions: Sessions, { note }: Pick<Context, 'note'>): Promise<VisitQuestion> {
  const resolved: { [Filter in TextFilter]?: string[] } = {};
  for (const filter of ['countries', 'browsers'] as const) {
    const asked = question[filter];
    if (!asked) continue;
    const held = await sessionsBy(FIELDS[filter], (column) => column, sessions);
    const names = held.map(({ name }) => name);
    resolved[filter] = asked.flatMap((text) => {
      const meant = meantValues(filter, text, names);
      const there = held.length === 0 ? 'they hold none' : `there are ${listed(held)}`;
      if (meant.length === 0) refuse(`${filter}: no session of ${rangeOf(sessions.days)} has "${text}"; ${there}.`);
      if (meant.every((value) => value.toLowerCase() !== text.toLowerCase())) note(`${filter}: "${text}" is ${meant.join(', ')}.`);
      return meant;
    });
  }
  return { ...question, ...resolved };
}

/** The pages on which most sessions began that pass the other filters. */
function entriesOf(visits: Visits): Promise<Counted[]> {
  const open = { ...visits, question: { ...visits.question, entryPages: undefined } };
  const entries = `(${sessionRows({ entry: 'argMin(s.p, s.n)' })}) AS e JOIN path_of AS o ON e.entry = o.p`;
  const select = (statement: string) => visits.select(`WITH ${visitRelation(open)}\n${statement}`);
  return countedBy({ select }, 'o.path', entries, MOST_NAMED);
}

/**
 * Throws where the filters leave no session at all, so that nothing can be said of what sessions did: with what each filter leaves, or the
 * pages on which sessions began. To be asked where an answer is empty.
 */
export async function requireVisits(visits: Visits): Promise<void> {
  const { question, sql, days } = visits;
  if (!isFiltered(question)) return;
  const [found] = await visits.select(`WITH ${visitRelation(visits)}\nSELECT count(*) AS n FROM visit`);
  if (Number(found?.['n']) > 0) return;
  const filters = sessionFilters(question);
  if (question.entryPages) {
    const entries = await entriesOf(visits);
    const others = filters.length > 0 ? ' that passes the other filters' : '';
    const began = `entryPages: no session of ${rangeOf(days)}${others} began on ${question.entryPages.join(', ')}`;
    if (entries.length > 0) refuse(`${began}; most began on ${listed(entries, 6)}.`);
  }
  const [only, ...others] = filters;
  if (only && others.length === 0 && question.devices)
    refuse(`${only.words}: no session of ${rangeOf(days)}; there are ${listed(await sessionsBy('device_id', deviceSql, visits))}.`);
  const column = (field: string) => visits.column('sessions', field) ?? 'NULL';
  const parts = filters.map(({ field, condition }, at) => `sum(${flag(condition(column(field), sql))}) AS f${at}`);
  const from = `sessions WHERE ${onCoveredDays(visits, column('session_time')).join(' AND ')}`;
  const [row] = await visits.select(`SELECT ${['count(*) AS n', ...parts].join(', ')} FROM ${from}`);
  const each = filters.map(({ words }, at) => `${words}: ${counted(Number(row?.[`f${at}`] ?? 0))}`);
  refuse(`The filters leave no session of ${rangeOf(days)}; each alone leaves of ${counted(Number(row?.['n'] ?? 0))}: ${each.join('; ')}.`);
}
