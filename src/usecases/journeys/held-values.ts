import { refuse } from '../../api/errors.ts';
import { type CoveredDays, daysWords } from '../../domain/journeys/covered-days.ts';
import { meantValues, type TextFilter } from '../../domain/journeys/filter-values.ts';
import { formatNumber } from '../../lib/number-text.ts';
import type { Context } from '../context.ts';
import { type Coverage, onCoveredDays } from './coverage-notes.ts';
import { flag } from './sql-words.ts';
import { deviceSql, type Filters, filterConditions, isFiltered } from './visit-filters.ts';
import { sessionRows, visitRelation } from './visit-relation.ts';
import type { VisitQuestion, Visits } from './visits.ts';

/** The fields of filters whose values are free texts. */
const FIELDS: Readonly<Record<TextFilter, string>> = { countries: 'country_code', browsers: 'browser_name' };
/** Values that are compared with the asked one, the most frequent first, and those that are named where it is none of them. */
const [MOST_VALUES, MOST_NAMED] = [1_000, 12];

interface Held {
  readonly value: string;
  readonly count: number;
}

const counted = (count: number) => formatNumber(count, { group: true });
const listed = (held: readonly Held[], most = MOST_NAMED) =>
  held
    .slice(0, most)
    .map(({ value, count }) => `${value} (${counted(count)})`)
    .join(', ') + (held.length > most ? ' …' : '');
const rangeOf = ({ covered }: CoveredDays) => daysWords(covered).join(', ');

async function heldIn(filter: TextFilter, coverage: Omit<Coverage, 'filters' | 'files' | 'knowsAutomated'>): Promise<Held[]> {
  const [value, time] = [coverage.column('sessions', FIELDS[filter]), coverage.column('sessions', 'session_time')];
  if (value === undefined || time === undefined) return [];
  const rows = await coverage.select(
    `SELECT ${value} AS value, count(*) AS n FROM sessions WHERE ${onCoveredDays(coverage, time).join(' AND ')} ` +
      `GROUP BY ${value} ORDER BY n DESC, value LIMIT ${MOST_VALUES}`,
  );
  return rows.flatMap(({ value: own, n }) => (typeof own === 'string' && own !== '' ? [{ value: own, count: Number(n) }] : []));
}

/** The question with countries and browsers as the files call them; throws for one that no session has, with those that there are. */
export async function withHeldValues(
  question: VisitQuestion,
  coverage: Omit<Coverage, 'filters' | 'files' | 'knowsAutomated'>,
  { note }: Pick<Context, 'note'>,
): Promise<VisitQuestion> {
  const resolved: { [Filter in TextFilter]?: string[] } = {};
  for (const filter of ['countries', 'browsers'] as const) {
    const asked = question[filter];
    if (!asked) continue;
    const held = await heldIn(filter, coverage);
    const values = asked.flatMap((text) => {
      const meant = meantValues(
        filter,
        text,
        held.map(({ value }) => value),
      );
      if (meant.length === 0) refuseUnheld(filter, text, held, coverage.days);
      if (meant.every((value) => value.toLowerCase() !== text.toLowerCase())) note(`${filter}: "${text}" is ${meant.join(', ')}.`);
      return meant;
    });
    resolved[filter] = values;
  }
  return { ...question, ...resolved };
}

function refuseUnheld(filter: TextFilter, text: string, held: readonly Held[], days: CoveredDays): never {
  const there = held.length === 0 ? 'they hold none' : `there are ${listed(held)}`;
  refuse(`${filter}: no session of ${rangeOf(days)} has "${text}"; ${there}.`);
}

/** Filters by fields of sessions, as the caller gave them, each with its words. */
function sessionFilters({ devices, visitorType, countries, browsers, automated }: Filters): { words: string; only: Filters }[] {
  return [
    ...(devices ? [{ words: `devices ${devices.join(', ')}`, only: { devices } }] : []),
    ...(visitorType ? [{ words: `visitorType ${visitorType}`, only: { visitorType } }] : []),
    ...(countries ? [{ words: `countries ${countries.join(', ')}`, only: { countries } }] : []),
    ...(browsers ? [{ words: `browsers ${browsers.join(', ')}`, only: { browsers } }] : []),
    ...(automated === 'exclude' ? [{ words: 'automated exclude', only: { automated } }] : []),
  ];
}

async function countVisits(visits: Visits): Promise<number> {
  const rows = visits.reads('sessions') ? 'visit' : `(${sessionRows(visits, {})}) AS s`;
  const [row] = await visits.select(`WITH ${visitRelation(visits)}\nSELECT count(*) AS n FROM ${rows}`);
  return Number(row?.['n'] ?? 0);
}

/** The pages on which most sessions began that pass the other filters. */
async function entriesOf(visits: Visits): Promise<Held[]> {
  const open = { ...visits, question: { ...visits.question, entryPages: undefined } };
  const entries = sessionRows(open, { entry: visits.sql.ofLeast('s.p', 's.n') });
  const rows = await visits.select(
    `WITH ${visitRelation(open)}\nSELECT o.path AS value, count(*) AS n FROM (${entries}) AS e JOIN path_of AS o ON e.entry = o.p ` +
      `GROUP BY o.path ORDER BY n DESC, value LIMIT ${MOST_NAMED}`,
  );
  return rows.map(({ value, n }) => ({ value: typeof value === 'string' ? value : '', count: Number(n) }));
}

/** The sessions of each device. */
async function devicesOf(visits: Visits): Promise<Held[]> {
  const [device = 'NULL', time = 'NULL'] = ['device_id', 'session_time'].map((field) => visits.column('sessions', field));
  const rows = await visits.select(
    `SELECT ${deviceSql(device)} AS value, count(*) AS n FROM sessions WHERE ${onCoveredDays(visits, time).join(' AND ')} ` +
      'GROUP BY value ORDER BY n DESC, value',
  );
  return rows.map(({ value, n }) => ({ value: typeof value === 'string' ? value : '', count: Number(n) }));
}

/**
 * Throws where the filters leave no session at all, so that nothing can be said of what sessions did: with what each filter leaves, or the
 * pages on which sessions began. To be asked where an answer is empty.
 */
export async function requireVisits(visits: Visits): Promise<void> {
  const { question, sql, days } = visits;
  if (!isFiltered(question) || (await countVisits(visits)) > 0) return;
  const filters = sessionFilters(question);
  const column = (field: string) => visits.column('sessions', field) ?? 'NULL';
  if (question.entryPages) {
    const entries = await entriesOf(visits);
    const others = filters.length > 0 ? ' that passes the other filters' : '';
    const began = `entryPages: no session of ${rangeOf(days)}${others} began on ${question.entryPages.join(', ')}`;
    if (entries.length > 0) refuse(`${began}; most began on ${listed(entries, 6)}.`);
  }
  const [only, ...others] = filters;
  if (only && others.length === 0 && question.devices)
    refuse(`${only.words}: no session of ${rangeOf(days)}; there are ${listed(await devicesOf(visits))}.`);
  const parts = filters.map(({ only: own }, at) => `sum(${flag(filterConditions(own, column, sql).join(' AND '))}) AS f${at}`);
  const from = `sessions WHERE ${onCoveredDays(visits, column('session_time')).join(' AND ')}`;
  const [row] = await visits.select(`SELECT ${['count(*) AS n', ...parts].join(', ')} FROM ${from}`);
  const each = filters.map(({ words }, at) => `${words}: ${counted(Number(row?.[`f${at}`] ?? 0))}`);
  refuse(`The filters leave no session of ${rangeOf(days)}; each alone leaves of ${counted(Number(row?.['n'] ?? 0))}: ${each.join('; ')}.`);
}
