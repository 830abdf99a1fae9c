import { ApiError, refuse } from '../../api/errors.ts';
import { rangeOf } from '../../domain/exports/deliveries.ts';
import { type CoveredDays, chooseDays, dayFrom, type FileDays, sharedDays, USUAL_DAYS } from '../../domain/journeys/covered-days.ts';
import { pageSteps } from '../../domain/journeys/step.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { daysIn } from '../../lib/intervals.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { type Column, folded } from '../../workspace/query/columns.ts';
import { identifier } from '../../workspace/query/view-sql.ts';
import { type Data, type DataPart, withData } from '../exports/export-data.ts';
import type { ExportContext } from '../exports/export-lists.ts';
import { type FilesNeeded, overBy } from '../exports/statement.ts';
import { type Supply, withFilesFor } from '../exports/supply.ts';
import { noteCoverage } from './coverage-notes.ts';
import { withHeldValues } from './held-values.ts';
import { isVariable, missingFields, missingScope } from './missing-data.ts';
import { sqlWords } from './sql-words.ts';
import { requireSeen } from './unseen-step.ts';
import { sessionFilters } from './visit-filters.ts';
import type { VisitQuestion, VisitRow, VisitScope, Visits } from './visits.ts';

/** Fields of the platform that an answer cannot do without, by scope, beside the keys; a scope that is left out is not read. */
export interface Needs {
  readonly sessions?: readonly string[];
  readonly views?: readonly string[];
  /** Names of custom or dynamic variables of sessions. */
  readonly variables?: readonly string[];
  /** Days after the range in which what belongs to it may still happen. */
  readonly followDays?: number;
  /** Days that the answer takes where the caller names none. */
  readonly usualDays?: number;
  /** Scopes that are read as well where files hold them for all days of the answer; of views the sessions always are. */
  readonly beside?: readonly VisitScope[];
}

/** Fields that every answer over a scope reads. */
export const KEYS: Readonly<Record<VisitScope, readonly string[]>> = {
  sessions: ['user_id', 'session_id', 'session_time'],
  views: ['user_id', 'session_id', 'view_number', 'view_time', 'path'],
};
const SCOPES: readonly VisitScope[] = ['sessions', 'views'];
/** Most rows of aggregates that a statement gives, and their characters; the statements of this folder stay below, whatever the site. */
const MAX_ROWS = 50_000;
const MAX_CHARS = 64_000_000;

function columnOf(columns: readonly Column[], field: string): Column | undefined {
  return columns.find(({ name, field: own = name, from }) => from === undefined && own === field);
}

const daysOfRuns = (runs: DataPart['runs']) => daysIn(runs.map(rangeOf));

/** The days that the files of a scope cover whole with all of some fields. */
function daysWith({ view, runs }: DataPart, fields: readonly string[]): Set<number> {
  const each = fields.map((field) => {
    const name = columnOf(view.columns, field)?.name;
    return daysOfRuns(name === undefined ? [] : (view.runsWith.get(folded(name)) ?? runs));
  });
  return new Set(sharedDays([daysOfRuns(runs), ...each]));
}

/** How what is lacking is supplied, and said. */
interface SupplyUses extends Pick<ExportContext, 'note'> {
  readonly supply: Supply;
}

interface Chosen {
  readonly scope: VisitScope;
  readonly part: DataPart;
  readonly fields: readonly string[];
}

/** The fields that no file of some days has, where the files hold all rows of these days; none where they do not. */
function fieldsLackingOn(days: readonly number[], { part, fields }: Chosen): string[] {
  const all = daysOfRuns(part.runs);
  if (!days.every((day) => all.has(day))) return [];
  return fields.filter((field) => {
    const own = daysWith(part, [field]);
    return days.some((day) => !own.has(day));
  });
}

/** Fields that are read beside the keys, of each scope that is read. */
type WantedFields = Readonly<Record<VisitScope, readonly string[] | undefined>>;

/** The files that a question over all jobs reads; none where it names jobs. */
function filesOf(
  { jobIds, startDate, endDate }: VisitQuestion,
  wanted: WantedFields,
  { variables = [] }: Needs,
  nowMs: number,
): FilesNeeded[] {
  if (jobIds) return [];
  // Without an end it is read up to the last day that is over.
  const endMs = endDate === undefined ? nowMs : (dayFrom(endDate) + 1) * DAY_MS;
  const days = startDate === undefined ? [] : [{ startMs: dayFrom(startDate) * DAY_MS, endMs }];
  return SCOPES.flatMap((scope) => {
    const own = wanted[scope];
    if (!own) return [];
    const fields = new Set([...KEYS[scope], ...own]);
    const isOwn = (column: string) => scope === 'sessions' && variables.some((name) => isVariable(column, name));
    return [{ scope, days: overBy(days, nowMs), reads: (column: string) => fields.has(column) || isOwn(column) }];
  });
}

/** The fields that are read; of views too where these alone have a column of a variable that is asked about. */
function withVariables(data: Data, wanted: WantedFields, { variables = [] }: Needs): WantedFields {
  const has = (scope: VisitScope, variable: string) =>
    data.parts.some(({ view }) => view.name === scope && view.columns.some(({ name }) => isVariable(name, variable)));
  const isOfViews = variables.some((variable) => !has('sessions', variable) && has('views', variable));
  return isOfViews ? { ...wanted, views: wanted.views ?? [] } : wanted;
}

/** A field of the time of a session or view whose column holds other values. */
function untimedOf({ view }: DataPart, fields: readonly string[]): string | undefined {
  return fields.find((field) => /^(session|view)_time$/.test(field) && columnOf(view.columns, field)?.type !== 'TIMESTAMP');
}

/** The parts that are read, checked for what is needed of them. */
async function chosenParts(data: Data, wanted: WantedFields, supply: Supply) {
  const chosen: Chosen[] = [];
  for (const scope of SCOPES) {
    const own = wanted[scope];
    if (!own) continue;
    const fields = [...new Set([...KEYS[scope], ...own])];
    const part = data.parts.find(({ view }) => view.name === scope);
    if (!part) throw await missingScope(scope, fields, supply);
    const lacking = fields.filter((field) => !columnOf(part.view.columns, field));
    if (lacking.length > 0) throw await missingFields(scope, lacking, supply);
    const untimed = untimedOf(part, fields);
    if (untimed !== undefined) refuse(`The column ${untimed} of the downloaded ${scope} holds values that are no times.`);
    chosen.push({ scope, part, fields });
  }
  return chosen;
}

/** Whether a part has fields for all days of an answer, and for those that may follow. */
function covers(part: DataPart | undefined, fields: readonly string[], { first, last, ofFiles }: CoveredDays, followDays = 0): boolean {
  if (!part || untimedOf(part, fields) !== undefined || fields.some((field) => !columnOf(part.view.columns, field))) return false;
  const own = daysWith(part, fields);
  return [...ofFiles].every((day) => day < first || day > last + followDays || own.has(day));
}

/**
 * Scopes that the answer can do without, where files hold them for all of its days: sessions say on which day a visit began, views what
 * came after an app event.
 */
function besideOf(data: Data, wanted: WantedFields, { beside = [], followDays }: Needs, days: CoveredDays): Chosen[] {
  return SCOPES.flatMap((scope) => {
    const part = data.parts.find(({ view }) => view.name === scope);
    const isMeant = wanted[scope] === undefined && (scope === 'sessions' || beside.includes(scope));
    return part && isMeant && covers(part, KEYS[scope], days, followDays) ? [{ scope, part, fields: KEYS[scope] }] : [];
  });
}

/** The days of an answer; where the files lack days that are asked for, it is said which call brings them. */
async function daysOf(question: VisitQuestion, needs: Needs, chosen: readonly Chosen[], { supply, note }: SupplyUses) {
  const files: FileDays[] = chosen.map((each) => ({
    name: each.scope,
    days: daysWith(each.part, each.fields),
    lackingOn: (days) => fieldsLackingOn(days, each),
  }));
  const dayAt = (date: string | undefined) => (date === undefined ? undefined : dayFrom(date));
  const [first, last] = [dayAt(question.startDate), dayAt(question.endDate)];
  const asked = { first, last, followDays: needs.followDays, usualDays: needs.usualDays };
  if (first !== undefined && last !== undefined && first > last) refuse('startDate, endDate: the first day lies after the last.');
  const days = await chooseDays(asked, files, async () => supply.wayOn());
  const way = first !== undefined && days.missing.length > 0 ? await supply.wayOn() : undefined;
  if (way !== undefined) note(ofAnswer(way));
  const usual = needs.usualDays ?? USUAL_DAYS;
  if (first === undefined && last === undefined && days.covered.length < usual)
    note(`The files cover ${days.covered.length} of the ${usual} days that are read where none is named.`);
  return { files, days };
}

/** Hands over the sessions and views of a question; throws in words what is missing: files, columns, days. */
export function withVisits<T>(
  question: VisitQuestion,
  needs: Needs,
  context: ExportContext,
  use: (visits: Visits) => Promise<T>,
): Promise<T> {
  const ofFilters = sessionFilters(question).map(({ field }) => field);
  const wanted = {
    sessions: needs.sessions || ofFilters.length > 0 ? [...(needs.sessions ?? []), ...ofFilters] : undefined,
    views: needs.views || question.entryPages ? (needs.views ?? []) : undefined,
  };
  const answer = async (data: Data, supply: Supply) => {
    const meantFields = withVariables(data, wanted, needs);
    const chosen = await chosenParts(data, meantFields, supply);
    const { files, days } = await daysOf(question, needs, chosen, { supply, note: context.note });
    context.covers(days.first * DAY_MS, (days.last + 1) * DAY_MS - 1);
    const read = [...chosen, ...besideOf(data, meantFields, needs, days)];
    const partOf = (scope: VisitScope) => read.find((each) => each.scope === scope)?.part;
    const sql = sqlWords(data.dialect);
    const columnIn = (part: DataPart | undefined, field: string) => {
      const column = part && columnOf(part.view.columns, field);
      return column && identifier(column.name);
    };
    const select = async (statement: string) => {
      const { columns, rows, more } = await data.select(statement, {
        maxRows: MAX_ROWS,
        maxChars: MAX_CHARS,
        author: 'server',
        isIdsAlike: true,
      });
      if (more) throw new ApiError('invalid', 'These visits have more groups than an answer can hold: name fewer days, or filter them.');
      return rows.map((row): VisitRow => Object.fromEntries(columns.map(({ name }, at) => [name, row[at] ?? null])));
    };
    const anyPart = (scope: string) => data.parts.find(({ view }) => view.name === scope);
    const column = (scope: string, field: string) => columnIn(anyPart(scope), field);
    const knowsAutomated = covers(anyPart('sessions'), ['session_time', 'is_excludable'], days);
    const meant = await withHeldValues(question, { days, column, select }, context);
    await noteCoverage({ sql, filters: meant, days, files, knowsAutomated, column, select }, context);
    const visits: Visits = {
      sql,
      question: meant,
      days,
      views: partOf('views')?.view.rowCount ?? 0,
      reads: (scope) => partOf(scope) !== undefined,
      column: (scope, field) => columnIn(partOf(scope), field),
      columns: (scope) => partOf(scope)?.view.columns.flatMap(({ name, from }) => (from === undefined ? [name] : [])) ?? [],
      select,
      supply,
      keep: data.keep,
    };
    for (const page of pageSteps(question.entryPages ?? [], 'entryPages')) await requireSeen(page, 'entryPages', visits);
    return use(visits);
  };
  const ask = (supply: Supply) => withData({ jobIds: question.jobIds }, context, (data) => answer(data, supply));
  return withFilesFor(filesOf(question, wanted, needs, context.nowMs), context, ask);
}
