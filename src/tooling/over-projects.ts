import * as z from 'zod';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { mapConcurrent } from '../lib/concurrency.ts';
import { hint } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { gistOf, present } from '../lib/sentences.ts';
import type { Cell } from '../lib/text-table.ts';
import { definitionOf, isCount } from '../metrics/metric-definitions.ts';
import { combined, ingredientsOf, type MetricValues } from '../metrics/read/combine.ts';
import { TOTAL } from '../metrics/read/query-table.ts';
import { fold } from '../names/match-name.ts';
import { chosenProject } from './names.ts';
import { table as tableMembers } from './params.ts';
import { type AnyTool, scopeOf } from './tool.ts';

/** Asks for projects side by side. */
const BY_PROJECT = 'project';

/** A table whose rows are projects, the name of the project first. */
interface ProjectTable {
  readonly columns: readonly string[];
  readonly rows: readonly Cell[][];
  readonly units?: Readonly<Record<string, string>>;
}

/** The column with the currency of each project, where they differ. */
const CURRENCY = 'currency';

/** Dimensions of which several values make several rows of a project. */
const ROWS_OF = ['devices', 'compareSegments', 'goalIds', 'zoneIds'];

/** The sums and shares that are of projects, because each has one row; undefined where they are of something else, or nothing. */
function sumsAsked(input: Readonly<Record<string, unknown>>) {
  const { totals, shares, expected, breakdown } = input;
  const isSplit = Array.isArray(breakdown) && breakdown.some((each) => each !== BY_PROJECT);
  const hasSeveral = ROWS_OF.some((name) => Array.isArray(input[name]) && input[name].length > 1);
  if (isSplit || hasSeveral || expected === true || (totals !== true && shares !== true)) return undefined;
  return { totals: totals === true, shares: shares === true };
}

/** Adds to a table of projects what was asked of their sums. */
export function withProjectSums(table: ProjectTable, asked: ReturnType<typeof sumsAsked>) {
  const { totals = false, shares: hasShares = false } = asked ?? {};
  const { columns, rows } = table;
  const metrics = columns.slice(1).filter((column) => column !== CURRENCY);
  const isMixed = columns.includes(CURRENCY);
  const values = rows.map((row): MetricValues => Object.fromEntries(metrics.map((metric, at) => [metric, numberOf(row[at + 1])])));
  const sumOf = (metric: string) => (isMixed && isMoney(metric) ? null : combined(values, metric));
  const sums: MetricValues = Object.fromEntries(metrics.map((metric) => [metric, sumOf(metric)]));
  const shared = hasShares ? metrics.filter((metric) => isCount(metric) && sums[metric]) : [];
  const shareOf = (own: MetricValues) => shared.map((metric): Cell => percentOf(own[metric], sums[metric]));
  const whole: Cell[] = [TOTAL, ...metrics.map((metric) => sums[metric] ?? null), ...(isMixed ? [null] : []), ...shareOf(sums)];
  const unknown = totals ? metrics.filter((metric) => sums[metric] === null) : [];
  const shares = shared.map((metric) => `${metric}Share`);
  return {
    table: {
      ...table,
      ...(table.units && { units: { ...table.units, ...Object.fromEntries(shares.map((column) => [column, '%'])) } }),
      columns: [...columns, ...shares],
      rows: rows.map((row, at) => [...row, ...shareOf(values[at] ?? {})]),
    },
    whole: totals ? [whole] : [],
    notes: present(
      shared.length > 0 && ofAnswer('Shares are percent of these projects together.'),
      ...unknown.map((metric) => ofAnswer(unknownWords(metric, metrics, isMixed))),
    ),
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
  'events',
  'units',
  'detect',
  'quality',
  'zones',
]);

/** The projects that an argument names, each once, in the order given; undefined where it names none. */
export async function projectsAsked(
  { projectIds, breakdown }: Readonly<TableContent>,
  choosing: { client: Client; signal: AbortSignal; note: (sentence: string) => void },
): Promise<readonly Project[] | undefined> {
  const byProject = Array.isArray(breakdown) && breakdown.includes(BY_PROJECT);
  if (!Array.isArray(projectIds) && !byProject) return undefined;
  const texts = Array.isArray(projectIds) ? projectIds.map(String) : ['all'];
  const { projects: known } = await choosing.client.credential({ signal: choosing.signal });
  if (texts.some((text) => fold(text) === 'all')) return known;
  const ids = await Promise.all(texts.map((text) => chosenProject(text, choosing)));
  return present(...new Set(ids)).map((id) => known.find((each) => each.id === id) ?? { id, name: String(id) });
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

/** The part of an answer about one project that goes into the table of several; its other members are those of the first. */
const tableAnswer = z.looseObject({
  answer: z.string().optional(),
  columns: tableMembers.columns.default([]),
  rows: tableMembers.rows.default([]),
  units: z.record(z.string(), z.string()).optional(),
  currency: z.string().optional(),
  findings: z.array(z.looseObject({ place: z.looseObject({}).optional(), sentence: z.string() })).optional(),
  events: z.array(z.looseObject({})).optional(),
});

/** The answer of one project. */
interface ProjectAnswer {
  readonly name: string;
  readonly data: z.output<typeof tableAnswer>;
  readonly notes: readonly string[];
}

/** Asks each project and joins the answers to one table with a column project; throws where none answers. */
export async function overProjects(
  projects: readonly Project[],
  asked: Readonly<TableContent>,
  ask: (project: Project, note: (sentence: string) => void) => Promise<TableContent>,
) {
  const outcomes = await mapConcurrent(projects, AT_ONCE, async (project): Promise<ProjectAnswer> => {
    const notes = new Set<string>();
    const data = tableAnswer.parse(await ask(project, (sentence) => void notes.add(sentence)));
    return { name: project.name, data, notes: [...notes] };
  });
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.flatMap((outcome, at) => {
    if (outcome.status === 'fulfilled') return [];
    if (!(outcome.reason instanceof ApiError) || answers.length === 0) throw outcome.reason;
    return [ofAnswer(`${projects[at]?.name} has no row: ${outcome.reason.message}`)];
  });
  const { table, whole, notes } = withProjectSums(joined(answers), sumsAsked(asked));
  const rows = ordered(table.rows, table.columns, asked);
  const cut = rows.length < table.rows.length && ofAnswer(`The first ${rows.length} of ${table.rows.length} rows.`);
  return { data: { ...table, rows: [...rows, ...whole] }, notes: present(cut, ...notes, ...notesOf(answers), ...failed) };
}

/** Sentences that all say stand once; the rest names its project. */
function notesOf(answers: readonly ProjectAnswer[]): string[] {
  // Sentences that differ in a number alone say the same of each.
  const isOfAll = (sentence: string) => answers.every(({ notes }) => notes.some((each) => gistOf(each) === gistOf(sentence)));
  const own = answers.flatMap(({ name, notes }) =>
    notes.filter((sentence) => !isOfAll(sentence)).map((sentence) => `${name}: ${sentence}`),
  );
  return [...(answers[0]?.notes ?? []).filter(isOfAll), ...own];
}

function joined(answers: readonly ProjectAnswer[]) {
  const first = answers[0]?.data;
  const columns = [...new Set(answers.flatMap(({ data }) => data.columns))];
  const isMixed = new Set(answers.map(({ data }) => data.currency)).size > 1;
  const rows = answers.flatMap(({ name, data }) =>
    data.rows.map((row): Cell[] => {
      const cells = columns.map((column) => row[data.columns.indexOf(column)] ?? null);
      return [name, ...cells, ...(isMixed ? [data.currency ?? null] : [])];
    }),
  );
  const said = answers.flatMap(({ name, data }) => (data.answer === undefined ? [] : [`${name}: ${data.answer}`]));
  const findings = answers.flatMap(
    ({ name, data }) =>
      data.findings?.map((finding) => ({
        ...finding,
        place: { project: name, ...finding.place },
        sentence: `${name}: ${finding.sentence}`,
      })) ?? [],
  );
  const events = answers.flatMap(({ name, data }) => data.events?.map((event) => ({ project: name, ...event })) ?? []);
  return {
    ...(said.length > 0 && { answer: said.join(' ') }),
    ...Object.fromEntries(Object.entries(first ?? {}).filter(([name]) => !OF_ONE.has(name))),
    ...(answers.some(({ data }) => data.findings) && { findings }),
    ...(events.length > 0 && { events }),
    ...(!isMixed && first?.currency !== undefined && { currency: first.currency }),
    ...(first?.units && { units: unitsOf(answers, isMixed) }),
    columns: [BY_PROJECT, ...columns, ...(isMixed ? [CURRENCY] : [])],
    rows,
  };
}

function unitsOf(answers: readonly ProjectAnswer[], isMixed: boolean): Record<string, string> {
  const units = answers.flatMap(({ data }) => Object.entries(data.units ?? {}));
  return Object.fromEntries(units.map(([name, unit]) => [name, isMixed && /^[A-Z]{3}$/.test(unit) ? 'see currency' : unit]));
}

/** The rows of all projects in the order that was asked for; without one by project. */
function ordered(rows: readonly Cell[][], names: readonly string[], { orderBy, limit, metrics }: Readonly<TableContent>): Cell[][] {
  const first = limit !== undefined && Array.isArray(metrics) ? String(metrics[0]) : '';
  const [metric = '', direction] = (typeof orderBy === 'string' ? orderBy : first).split(/\s+/);
  const column = names.indexOf(metric);
  const valueOf = (row: Cell[]) => numberOf(row[column]) ?? Number.NEGATIVE_INFINITY;
  const sign = /^asc/i.test(direction ?? '') ? -1 : 1;
  const sorted = column < 0 ? [...rows] : rows.toSorted((a, b) => sign * (valueOf(b) - valueOf(a)));
  return typeof limit === 'number' ? sorted.slice(0, limit) : sorted;
}
