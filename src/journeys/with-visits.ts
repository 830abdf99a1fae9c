import { ApiError, refuse } from '../api/errors.ts';
import { coverageOf, type Held, timeOfDays } from '../exports/coverage.ts';
import type { Data, DataPart } from '../exports/export-data.ts';
import type { ExportContext } from '../exports/export-lists.ts';
import { PRESET, planCalls } from '../exports/plan/journey-fields.ts';
import type { Variable } from '../exports/plan/resolve-fields.ts';
import { storedNames } from '../exports/query/columns.ts';
import type { ReadsVariable } from '../exports/query/data-view.ts';
import { identifier } from '../exports/query/view-sql.ts';
import { type FilesNeeded, lastMidnight, overBy } from '../exports/statement.ts';
import { type Supply, withFilesFor } from '../exports/supply.ts';
import { DAY_MS, dayText } from '../lib/clock.ts';
import { hint } from '../lib/hint.ts';
import { type Interval, union } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { fold } from '../names/match-name.ts';
import { type CoveredDays, chooseDays, dayFrom, type ScopeFiles, USUAL_DAYS } from './covered-days.ts';
import { sqlWords } from './sql-words.ts';
import { pageSteps } from './step.ts';
import { deviceIds, sessionFilters } from './visit-filters.ts';
import {
  noteCoverage,
  requireSeen,
  type VisitQuestion,
  type VisitRow,
  type VisitScope,
  type Visits,
  withHeldValues,
} from './visit-relation.ts';

/** The error for columns that no downloaded file of a scope has, or none of whose files is here: how they come. */
async function missingFields(scope: string, fields: readonly string[], isHere: boolean, supply: Supply): Promise<ApiError> {
  const way = (await supply.wayOn(isHere ? fields[0] : scope)) ?? planCalls([scope]).join('');
  const names = fields.join(', ');
  const what = isHere
    ? `The downloaded files of ${scope} have no ${names}, which this answer needs`
    : `No export of ${scope} is in the workspace; this answer needs its ${names}`;
  return new ApiError('missing', `${what}. ${way}`);
}

/** Whether a name means the variable with this key. */
export function isVariable(key: string, name: string): boolean {
  const plain = (text: string) => fold(text).replaceAll(/[\s_-]/g, '');
  return plain(key) === plain(name);
}

/** Refuses a value that the platform does not list of a variable, before an export of it is planned for nothing. */
export function requireListed(value: string | undefined, { key, values = [] }: Variable): void {
  if (value === undefined || values.length === 0 || values.some((own) => fold(own) === fold(value))) return;
  refuse(`conditions: the platform lists no value "${value}" of ${key}; it lists ${values.slice(0, MOST_VALUES).join(', ')}.`);
}

/** Most values of a variable in a sentence. */
const MOST_VALUES = 12;
/** Most names of one kind in a sentence. */
const MOST_NAMES = 8;

/** The variables of the project, as far as they could be read, and that which is meant. */
interface VariablesRead {
  readonly meant: Variable | undefined;
  readonly variables: readonly Variable[];
  /** Why some could not be read. */
  readonly failures: readonly string[];
}

/** The error for a variable that no downloaded file holds: the one call that comes next, or the variables that there are. */
export async function missingVariable(
  name: string,
  { meant, variables, failures }: VariablesRead,
  { supply, days }: Pick<Visits, 'supply' | 'days'>,
): Promise<ApiError> {
  const absent = `conditions: no column of the downloaded files holds the variable "${name}"`;
  if (supply.coming !== undefined) return new ApiError('missing', `${absent}. ${supply.coming}`);
  if (meant) {
    const which = meant.position === undefined ? `dynamic variable "${meant.key}"` : `custom variable ${meant.position}, "${meant.key}"`;
    const order = { fields: [PRESET, `${meant.kind} variable ${meant.key}`], scope: 'sessions', frequency: 'once' };
    const call = JSON.stringify({ ...order, startDate: dayText(days.first), endDate: dayText(days.last) });
    const way = (await supply.wayOn(meant.key)) ?? hint('plan_export', `plan_export ${call} plans it for these days.`);
    return new ApiError('missing', `${absent}. It is ${which}. ${way}`);
  }
  if (failures.length > 0) return new ApiError('missing', `${absent}. ${failures.join(' ')} Ask again.`);
  const named = (['custom', 'dynamic'] as const).flatMap((kind) => {
    const keys = variables.filter((each) => each.kind === kind).map(({ key }) => key);
    return keys.length === 0 ? [] : [`${kind}: ${keys.slice(0, MOST_NAMES).join(', ')}${keys.length > MOST_NAMES ? ' …' : ''}`];
  });
  const there = named.length === 0 ? '' : ` The project has ${named.join('; ')}.`;
  return new ApiError('missing', `${absent}, and the project knows none of that name.${there}`);
}

/** Fields of the platform that an answer cannot do without, by scope, beside the keys; a scope that is left out is not read. */
export interface Needs {
  readonly sessions?: readonly string[];
  readonly views?: readonly string[];
  /** Fields of views, the best first, of which it needs one each. */
  readonly either?: readonly (readonly string[])[];
  /** Names of custom or dynamic variables of sessions. */
  readonly variables?: readonly string[];
  /** Days after the range in which what belongs to it may still happen. */
  readonly followDays?: number;
  /** Days that the answer takes where the caller names none, and the latest of them without which it says nothing; else any. */
  readonly usualDays?: number;
  readonly leastDays?: number;
  /** Scopes that are read as well where files hold them for all days of the answer; of views the sessions always are. */
  readonly beside?: readonly VisitScope[];
}

/** Fields that every answer over a scope reads. */
export const KEYS: Readonly<Record<VisitScope, readonly string[]>> = {
  sessions: ['user_id', 'session_id', 'session_time'],
  views: ['user_id', 'session_id', 'view_number', 'view_time', 'path'],
};
/** Those scopes, in the order in which answers name them. */
export const SCOPES: readonly VisitScope[] = ['sessions', 'views'];
/** Most rows of aggregates that a statement gives, and their characters; of more there is no answer, since sums would lack them. */
const MAX_ROWS = 300_000;
const MAX_CHARS = 64_000_000;

/** Fields that are read, of each scope that is. */
type WantedFields = ReadonlyMap<VisitScope, readonly string[]>;

/** The files of a scope. */
type Files = ReturnType<typeof filesIn>;

function filesIn({ view, soon }: DataPart, { devices }: VisitQuestion) {
  const columnOf = (field: string) => view.columns.find(({ name, field: own = name, from }) => from === undefined && own === field);
  const ids = devices?.flatMap((device) => deviceIds[device]);
  const overIn = (held: Held) => (asked: readonly Interval[], fields: readonly string[]) =>
    coverageOf(
      asked,
      fields.map((field) => columnOf(field)?.name ?? field),
      held,
      ids,
    );
  return {
    view,
    /** The quoted column of a field. */
    column: (field: string) => {
      const column = columnOf(field);
      return column && identifier(column.name);
    },
    /** A field of the time of a session or view whose column holds other values. */
    untimed: (fields: readonly string[]) =>
      fields.find((field) => /^(session|view)_time$/.test(field) && columnOf(field)?.type !== 'TIMESTAMP'),
    /** Their coverage of a time, with some fields, now and when all that is downloaded has been read. */
    over: overIn(view.held),
    soon: overIn(soon),
  };
}

/** The fields that are read; `has`: whether files of views have one, as far as these are known. */
function wantedBy(question: VisitQuestion, { sessions, views, either = [] }: Needs, has: (field: string) => boolean): WantedFields {
  const ofFilters = sessionFilters(question).map(({ field }) => field);
  const wanted = {
    sessions: sessions || ofFilters.length > 0 ? [...(sessions ?? []), ...ofFilters] : undefined,
    views: (views ?? (question.entryPages && []))?.concat(either.flatMap((fields) => fields.find(has) ?? fields.slice(0, 1))),
  };
  return new Map(
    SCOPES.flatMap((scope) => {
      const own = wanted[scope];
      return own ? [[scope, [...new Set([...KEYS[scope], ...own])]] as const] : [];
    }),
  );
}

/** The time that a question may read; where it names none all that is over. */
function timeOf({ startDate, endDate }: VisitQuestion, followDays: number, nowMs: number): Interval[] {
  const startMs = startDate === undefined ? Number.NEGATIVE_INFINITY : dayFrom(startDate) * DAY_MS;
  return [{ startMs, endMs: endDate === undefined ? lastMidnight(nowMs) : (dayFrom(endDate) + 1 + followDays) * DAY_MS }];
}

/** The files that a question over all jobs reads. */
function filesOf(question: VisitQuestion, wanted: WantedFields, { leastDays = 0 }: Needs, readsVariable: ReadsVariable, nowMs: number) {
  const over = overBy(timeOf(question, 0, nowMs), nowMs);
  const latest = over.map(({ endMs }) => ({ startMs: endMs - leastDays * DAY_MS, endMs }));
  const days = question.startDate === undefined ? union(latest) : over;
  return [...wanted].map(([scope, fields]): FilesNeeded => {
    return { scope, days, reads: (column: string) => fields.includes(column) || (scope === 'sessions' && readsVariable(column)) };
  });
}

/** Whether these alone have a column of a variable that is asked about. */
function areOfViews(filesFor: (scope: string) => Files | undefined, { variables = [] }: Needs): boolean {
  const has = (scope: VisitScope, variable: string) =>
    filesFor(scope)?.view.columns.some(({ name }) => isVariable(name, variable)) ?? false;
  return variables.some((variable) => !has('sessions', variable) && has('views', variable));
}

/** The files that are read, checked for what is needed of them. */
async function chosenFiles(filesFor: (scope: string) => Files | undefined, wanted: WantedFields, supply: Supply) {
  const chosen: ScopeFiles[] = [];
  for (const [scope, fields] of wanted) {
    const files = filesFor(scope);
    const lacking = fields.filter((field) => files?.column(field) === undefined);
    if (!files || lacking.length > 0) throw await missingFields(scope, lacking, files !== undefined, supply);
    const untimed = files.untimed(fields);
    if (untimed !== undefined) refuse(`The column ${untimed} of the downloaded ${scope} holds values that are no times.`);
    chosen.push({ name: scope, over: (asked) => files.over(asked, fields), soon: (asked) => files.soon(asked, fields) });
  }
  return chosen;
}

/** Whether files have fields for all days of an answer, and for those that may follow. */
function covers(files: Files | undefined, fields: readonly string[], { first, last, ofFiles }: CoveredDays, followDays = 0) {
  if (!files || files.untimed(fields) !== undefined) return false;
  const days = [...ofFiles].filter((day) => day >= first && day <= last + followDays);
  return files.over(timeOfDays(days), fields).lack.length === 0;
}

/** The days of an answer; where the files lack days that are asked for, it is said which call brings them. */
async function daysOf(
  { startDate, endDate }: VisitQuestion,
  { followDays, usualDays = USUAL_DAYS }: Needs,
  files: readonly ScopeFiles[],
  { supply, note, nowMs }: Pick<ExportContext, 'note' | 'nowMs'> & { readonly supply: Supply },
) {
  const [first, last] = [startDate, endDate].map((date) => (date === undefined ? undefined : dayFrom(date)));
  if (first !== undefined && last !== undefined && first > last) refuse('startDate, endDate: the first day lies after the last.');
  const days = await chooseDays({ first, last, followDays, usualDays, today: Math.floor(nowMs / DAY_MS) }, files, async () =>
    supply.wayOn(),
  );
  const way = first !== undefined && days.missing.length > 0 ? await supply.wayOn() : undefined;
  if (way !== undefined) note(ofAnswer(way));
  return days;
}

/** Hands over the sessions and views of a question; throws in words what is missing: files, columns, days. */
export function withVisits<T>(
  question: VisitQuestion,
  needs: Needs,
  context: ExportContext,
  use: (visits: Visits) => Promise<T>,
): Promise<T> {
  const answer = async (data: Data, supply: Supply) => {
    const all = new Map(data.parts.map((part) => [part.view.name, filesIn(part, question)]));
    const filesFor = (scope: string) => all.get(scope);
    const wanted = wantedBy(question, needs, (field) => filesFor('views')?.column(field) !== undefined);
    const meantFields: WantedFields = areOfViews(filesFor, needs)
      ? new Map([...wanted, ['views', wanted.get('views') ?? KEYS.views]])
      : wanted;
    const files = await chosenFiles(filesFor, meantFields, supply);
    const days = await daysOf(question, needs, files, { supply, note: context.note, nowMs: context.nowMs });
    context.covers(days.first * DAY_MS, (days.last + 1) * DAY_MS - 1);
    const isRead = (scope: VisitScope) => {
      // The answer can do without: sessions say on which day a visit began, views what came after an app event.
      const isBeside = scope === 'sessions' || needs.beside?.includes(scope) === true;
      return meantFields.has(scope) || (isBeside && covers(filesFor(scope), KEYS[scope], days, needs.followDays));
    };
    const read = new Map<string, Files | undefined>(SCOPES.filter(isRead).map((scope) => [scope, filesFor(scope)]));
    const sql = sqlWords(data.dialect);
    const select = async (statement: string) => {
      const { columns, rows, more } = await data.select(statement, {
        maxRows: MAX_ROWS,
        maxChars: MAX_CHARS,
        author: 'server',
        isIdsAlike: true,
      });
      if (more) refuse('These visits have more groups than an answer can hold: name fewer days, or filter them.');
      return rows.map((row): VisitRow => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));
    };
    const column = (scope: string, field: string) => filesFor(scope)?.column(field);
    const knowsAutomated = covers(filesFor('sessions'), ['session_time', 'is_excludable'], days);
    const meant = await withHeldValues(question, { days, column, select }, context);
    await noteCoverage({ sql, filters: meant, days, files, knowsAutomated, column, select }, context);
    const visits: Visits = {
      sql,
      question: meant,
      days,
      views: read.get('views')?.view.rowCount ?? 0,
      reads: (scope) => read.has(scope),
      column: (scope, field) => (covers(read.get(scope), [field], days, needs.followDays) ? read.get(scope)?.column(field) : undefined),
      partly: (scope, field) => read.get(scope)?.column(field),
      columns: (scope) => storedNames(read.get(scope)?.view.columns ?? []),
      select,
      supply,
      keep: data.keep,
    };
    for (const page of pageSteps(question.entryPages ?? [], 'entryPages')) await requireSeen(page, 'entryPages', visits);
    return use(visits);
  };
  const { variables = [], followDays = 0 } = needs;
  const readsVariable = (column: string) => variables.some((name) => isVariable(column, name));
  const asked = { jobIds: question.jobIds, days: timeOf(question, followDays, context.nowMs), readsVariable };
  const wanted = wantedBy(question, needs, () => true);
  return withFilesFor(asked, filesOf(question, wanted, needs, readsVariable, context.nowMs), context, answer);
}
