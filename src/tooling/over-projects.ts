import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { definitionOf } from '../domain/metrics/metric-definitions.ts';
import { combined, ingredientsOf, type MetricValues } from '../domain/metrics/read/combine.ts';
import { isAddable } from '../domain/metrics/read/metric-query.ts';
import { TOTAL } from '../domain/metrics/read/query-table.ts';
import { fold } from '../domain/names/match-name.ts';
import { mapConcurrent } from '../lib/concurrency.ts';
import { hint } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { gistOf } from '../lib/sentences.ts';
import type { Cell } from '../lib/text-table.ts';
import { chosenProject } from './names.ts';
import { type AnyTool, scopeOf } from './tool.ts';

/** Asks for projects side by side. */
const BY_PROJECT = 'project';

/** A table whose rows are projects, the name of the project first. */
interface ProjectTable {
  readonly columns: readonly string[];
  readonly rows: readonly Cell[][];
  readonly units?: unknown;
}

/** The column with the currency of each project, where they differ. */
const CURRENCY = 'currency';

/** Whether sums or shares of several projects are asked for. */
interface SumsAsked {
  readonly totals: boolean;
  readonly shares: boolean;
}

/** Dimensions of which several values make several rows of a project. */
const ROWS_OF = ['devices', 'compareSegments', 'goalIds', 'zoneIds'];

/** The sums and shares that are of projects, because each has one row; undefined where they are of something else, or nothing. */
export function sumsAsked(input: Readonly<Record<string, unknown>>): SumsAsked | undefined {
  const { totals, shares, expected, breakdown } = input;
  const isSplit = Array.isArray(breakdown) && breakdown.some((each) => each !== BY_PROJECT);
  const hasSeveral = ROWS_OF.some((name) => Array.isArray(input[name]) && input[name].length > 1);
  if (isSplit || hasSeveral || expected === true || (totals !== true && shares !== true)) return undefined;
  return { totals: totals === true, shares: shares === true };
}

/** Adds to a table of projects what was asked of their sums. */
export function withProjectSums(table: ProjectTable, asked: SumsAsked | undefined) {
  const { totals = false, shares: hasShares = false } = asked ?? {};
  const { columns, rows } = table;
  const metrics = columns.slice(1).filter((column) => column !== CURRENCY);
  const isMixed = columns.includes(CURRENCY);
  const values = rows.map((row): MetricValues => Object.fromEntries(metrics.map((metric, at) => [metric, numberOf(row[at + 1])])));
  const sumOf = (metric: string) => (isMixed && isMoney(metric) ? null : combined(values, metric));
  const sums: MetricValues = Object.fromEntries(metrics.map((metric) => [metric, sumOf(metric)]));
  const shared = hasShares ? metrics.filter((metric) => isAddable(metric) && sums[metric]) : [];
  const shareOf = (own: MetricValues) => shared.map((metric): Cell => percentOf(own[metric], sums[metric]));
  const whole: Cell[] = [TOTAL, ...metrics.map((metric) => sums[metric] ?? null), ...(isMixed ? [null] : []), ...shareOf(sums)];
  const unknown = totals ? metrics.filter((metric) => sums[metric] === null) : [];
  const shares = shared.map((metric) => `${metric}Share`);
  return {
    table: {
      ...table,
      ...(isRecord(table.units) && { units: { ...table.units, ...Object.fromEntries(shares.map((column) => [column, '%'])) } }),
      columns: [...columns, ...shares],
      rows: rows.map((row, at) => [...row, ...shareOf(values[at] ?? {})]),
    },
    whole: totals ? [whole] : [],
    notes: [
      ...(shared.length > 0 ? [ofAnswer('Shares are percent of these projects together.')] : []),
      ...unknown.map((metric) => ofAnswer(unknownWords(metric, metrics, isMixed))),
    ],
  };
}

const numberOf = (cell: Cell | undefined) => (typeof cell === 'number' ? cell : null);
const isMoney = (metric: string) => definitionOf(metric)?.unit === 'currency';
const percentOf = (own: number | null | undefined, whole: number | null | undefined): number | null =>
  typeof own === 'number' && whole ? Math.round((1e6 * own) / whole) / 1e4 : null;

function unknownWords(metric: string, metrics: readonly string[], isMixed: boolean): string {
  const missing = ingredientsOf([metric]).filter((each) => !metrics.includes(each));
  if (missing.length > 0) return `No total of ${metric}: ask for ${missing.join(' and ')} as well.`;
  return `No total of ${metric}: ${isMixed ? 'the currencies differ' : 'a project has no value'}.`;
}

/** A project of the credential. */
export interface Project {
  readonly id: number;
  readonly name: string;
}

type TableContent = Record<string, unknown>;

/** Projects that are asked at once: the platform limits the calls of each by itself. */
const AT_ONCE = 4;
/** Members that belong to one project alone; a table of several has rows only. */
const OF_ONE = new Set([
  'answer',
  'rows',
  'columns',
  'currency',
  'filters',
  'devices',
  'segments',
  'sums',
  'revenue',
  'details',
  'findings',
  'detect',
  'quality',
  'zones',
]);

/** The projects that an argument names, each once, in the order given; undefined where it names none. */
export async function projectsAsked(
  { projectIds, breakdown }: Readonly<TableContent>,
  choosing: { client: Client; signal: AbortSignal; note: (sentence: string) => void },
): Promise<Project[] | undefined> {
  const byProject = Array.isArray(breakdown) && breakdown.includes(BY_PROJECT);
  if (!Array.isArray(projectIds) && !byProject) return undefined;
  const texts = Array.isArray(projectIds) ? projectIds.map(String) : ['all'];
  const { projects } = await choosing.client.credential({ signal: choosing.signal });
  const known = projects.map(({ id, name }) => ({ id, name }));
  if (texts.some((text) => fold(text) === 'all')) return known;
  const ids = await Promise.all(texts.map((text) => chosenProject(text, choosing)));
  return [...new Set(ids)].flatMap((id) => (id === undefined ? [] : [known.find((each) => each.id === id) ?? { id, name: String(id) }]));
}

/** Refuses several projects where a tool reads one a call, and says how to go on. */
export async function refuseSeveral(
  tool: AnyTool,
  args: unknown,
  { client, signal }: { client: Client; signal: AbortSignal },
): Promise<void> {
  const asked = isRecord(args) && !Object.hasOwn(tool.input.shape, 'projectIds') ? args['projectIds'] : undefined;
  const texts = [asked].flat().map(String);
  if (asked === undefined || asked === null || (texts.length === 1 && fold(texts[0] ?? '') !== 'all')) return;
  const { projects } = await client.credential({ signal });
  const known = projects.map(({ id, name: own }) => `${id} "${own}"`).join(', ');
  throw new ApiError(
    'invalid',
    `projectIds: ${tool.name} reads one project a call; call it once for each with projectId (${known}).` +
      (scopeOf(tool) === 'metrics' ? hint('compare_metrics', ' compare_metrics takes projectIds and says of each what changed.') : ''),
  );
}

/** The arguments of the question that each project is asked. */
export function withoutProjects(asked: Readonly<TableContent>): TableContent {
  const { projectIds: _, limit: _ofAll, breakdown, ...own } = asked;
  const input = sumsAsked(asked) ? { ...own, totals: false, shares: false } : own;
  const rest = Array.isArray(breakdown) ? breakdown.filter((each) => each !== BY_PROJECT) : breakdown;
  const isSplit = rest !== undefined && (!Array.isArray(rest) || rest.length > 0);
  return { ...input, ...(isSplit && { breakdown: rest }) };
}

/** The answer of one project, or the reason why it has no answer. */
interface ProjectAnswer {
  readonly project: Project;
  readonly data?: TableContent;
  readonly notes: readonly string[];
  readonly failure?: ApiError;
}

/** Asks each project and joins the answers to one table with a column project; throws where none answers. */
export async function overProjects(
  projects: readonly Project[],
  asked: Readonly<TableContent>,
  ask: (project: Project, note: (sentence: string) => void) => Promise<TableContent>,
): Promise<{ data: TableContent; notes: string[] }> {
  const outcomes = await mapConcurrent(projects, AT_ONCE, async (project): Promise<ProjectAnswer> => {
    const notes: string[] = [];
    const note = (sentence: string) => void (notes.includes(sentence) || notes.push(sentence));
    try {
      return { project, data: await ask(project, note), notes };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { project, notes: [], failure: error };
    }
  });
  const answers = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  const failure = answers.find((each) => each.failure)?.failure;
  if (failure && answers.every((each) => each.failure)) throw failure;
  const { table, whole, notes } = withProjectSums(joined(answers), sumsAsked(asked));
  const rows = ordered(table.rows, table.columns, asked);
  const cut = rows.length < table.rows.length ? [ofAnswer(`The first ${rows.length} of ${table.rows.length} rows.`)] : [];
  return { data: { ...table, rows: [...rows, ...whole] }, notes: [...cut, ...notes, ...notesOf(answers)] };
}

/** Sentences that all say stand once; the rest names its project. */
function notesOf(answers: readonly ProjectAnswer[]): string[] {
  const answered = answers.filter(({ data }) => data);
  // Sentences that differ in a number alone say the same of each.
  const isOfAll = (sentence: string) => answered.every(({ notes }) => notes.some((each) => gistOf(each) === gistOf(sentence)));
  const ofAll = (answered[0]?.notes ?? []).filter(isOfAll);
  const own = answered.flatMap(({ project, notes }) =>
    notes.filter((sentence) => !isOfAll(sentence)).map((sentence) => `${project.name}: ${sentence}`),
  );
  const failed = answers.flatMap(({ project, failure }) => (failure ? [ofAnswer(`${project.name} has no row: ${failure.message}`)] : []));
  return [...ofAll, ...own, ...failed];
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const rowsIn = (value: unknown): Cell[][] => (Array.isArray(value) ? value : []) as Cell[][]; // rows of a table hold cells

interface Joined extends TableContent {
  readonly columns: readonly string[];
  readonly rows: readonly Cell[][];
}

function joined(answers: readonly ProjectAnswer[]): Joined {
  const answered = answers.flatMap(({ project, data }) => (data ? [{ project, data }] : []));
  const first = answered[0]?.data ?? {};
  const columns = [...new Set(answered.flatMap(({ data }) => texts(data['columns'])))];
  const currencies = [...new Set(answered.map(({ data }) => data['currency']))];
  const isMixed = currencies.length > 1;
  const rows = answered.flatMap(({ project, data }) => {
    const own = texts(data['columns']);
    return rowsIn(data['rows']).map((row): Cell[] => {
      const cells = columns.map((column) => row[own.indexOf(column)] ?? null);
      return [project.name, ...cells, ...(isMixed ? [typeof data['currency'] === 'string' ? data['currency'] : null] : [])];
    });
  });
  const names = [BY_PROJECT, ...columns, ...(isMixed ? [CURRENCY] : [])];
  const said = answered.flatMap(({ project, data }) => (typeof data['answer'] === 'string' ? [`${project.name}: ${data['answer']}`] : []));
  const recordsOf = (name: string) =>
    answered.flatMap(({ project, data }) =>
      [data[name] ?? []]
        .flat()
        .filter(isRecord)
        .map((record) => [project.name, record] as const),
    );
  const findings = recordsOf('findings').map(([project, finding]) => ({
    ...finding,
    place: { project, ...(isRecord(finding['place']) && finding['place']) },
  }));
  const events = recordsOf('events').map(([project, event]) => ({ project, ...event }));
  return {
    ...(said.length > 0 && { answer: said.join(' ') }),
    ...Object.fromEntries(Object.entries(first).filter(([name]) => !OF_ONE.has(name))),
    ...(answered.some(({ data }) => data['findings'] !== undefined) && { findings }),
    ...(events.length > 0 && { events }),
    ...(!isMixed && first['currency'] !== undefined && { currency: first['currency'] }),
    ...(isRecord(first['units']) && {
      units: unitsOf(
        answered.map(({ data }) => data['units']),
        isMixed,
      ),
    }),
    columns: names,
    rows,
  };
}

function unitsOf(all: readonly unknown[], isMixed: boolean): TableContent {
  const units = Object.assign({}, ...all) as TableContent; // units by column
  if (!isMixed) return units;
  const isCode = (unit: unknown) => typeof unit === 'string' && /^[A-Z]{3}$/.test(unit);
  return Object.fromEntries(Object.entries(units).map(([name, unit]) => [name, isCode(unit) ? 'see currency' : unit]));
}

/** The rows of all projects in the order that was asked for; without one by project. */
function ordered(rows: readonly Cell[][], names: readonly string[], { orderBy, limit, metrics }: Readonly<TableContent>): Cell[][] {
  const first = limit === undefined ? '' : (texts(metrics)[0] ?? '');
  const [metric = '', direction] = (typeof orderBy === 'string' ? orderBy : first).split(/\s+/);
  const column = names.indexOf(metric);
  const valueOf = (row: Cell[]) => {
    const cell = row[column];
    return typeof cell === 'number' ? cell : Number.NEGATIVE_INFINITY;
  };
  const sign = /^asc/i.test(direction ?? '') ? -1 : 1;
  const sorted = column < 0 ? [...rows] : rows.toSorted((a, b) => sign * (valueOf(b) - valueOf(a)));
  return typeof limit === 'number' ? sorted.slice(0, limit) : sorted;
}
