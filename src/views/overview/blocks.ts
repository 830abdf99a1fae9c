import { nameOf } from '../../domain/metrics/metric-names.ts';
import { isRecord } from '../../lib/is-record.ts';
import { formatMoney, formatNumber, NO_VALUE } from '../../lib/number-text.ts';
import { sentencesOf } from '../../lib/sentences.ts';
import { type ChartSpec, isChart } from '../spec.ts';
import type { OverviewPart } from './parts.ts';

/** A part of an overview, ready to be shown: a headline, lines below it, a table, a chart. */
export interface Block {
  readonly id: OverviewPart['id'];
  readonly title: string;
  /** The finding in one sentence; where the part could not be had, the reason. */
  readonly headline: string;
  readonly isFailure: boolean;
  readonly lines: readonly string[];
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
  readonly chart?: ChartSpec;
}

type Content = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): Content[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The rows of a table as records. */
function recordsOf({ columns, rows }: Content): Content[] {
  const names = texts(columns);
  const all: unknown[] = Array.isArray(rows) ? rows : [];
  return all.map((row) => Object.fromEntries(names.map((name, index) => [name, Array.isArray(row) ? row[index] : undefined])));
}

const textOf = (value: unknown, otherwise: string = NO_VALUE) => (typeof value === 'string' ? value : otherwise);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Of so much money nobody counts the cents. */
const WHOLE = 1000;

/** A value with its unit, as a person reads it. */
function valueText(value: unknown, unit: unknown): string {
  const number = numberOf(value);
  if (number === undefined) return NO_VALUE;
  if (unit === '%') return `${formatNumber(number, { digits: 2 })}%`;
  if (typeof unit === 'string' && /^[A-Z]{3}$/.test(unit))
    return `${Math.abs(number) < WHOLE ? formatMoney(number, { group: true }) : formatNumber(Math.round(number), { group: true })} ${unit}`;
  return formatNumber(number, { group: true });
}

/** The table says each metric's change; what else is said, such as since when, stays in words. */
function figuresBlock(block: Block, data: Content): Block {
  const rows = recordsOf(data).map(({ metric, unit, before, after, changePercent, verdict }) => [
    nameOf(String(metric)),
    valueText(before, unit),
    valueText(after, unit),
    numberOf(changePercent) === undefined ? NO_VALUE : `${formatNumber(numberOf(changePercent), { digits: 1, sign: true })}%`,
    textOf(verdict),
  ]);
  const isInTable = (line: string) => line.startsWith('Special days') || rows.some(([name]) => line.startsWith(`${name} `));
  const table = { columns: ['Metric', 'Before', 'Now', 'Change', 'Verdict'], rows };
  return { ...block, lines: block.lines.filter((line) => !isInTable(line)), table };
}

/** Longest table of a part. */
const MOST_ROWS = 12;

/** The first rows, and a last one that counts the rest. */
function cutRows(rows: readonly (readonly string[])[]): (readonly string[])[] {
  if (rows.length <= MOST_ROWS) return [...rows];
  const [first = []] = rows;
  return [...rows.slice(0, MOST_ROWS), first.map((_, column) => (column === 0 ? `and ${rows.length - MOST_ROWS} more` : ''))];
}

function gapsTable(data: Content): Block['table'] {
  const rows = recordsOf(data).map(({ job, lacks, of, unit, ranges }) => [
    String(job),
    `${String(lacks)} of ${String(of)} ${String(unit)}`,
    textOf(ranges, ''),
  ]);
  return rows.length > 0 ? { columns: ['Export job', 'Without data', 'Which'], rows: cutRows(rows) } : undefined;
}

/** Files that are about to go, counted by job. */
function expiringBlock(data: Content): Pick<Block, 'headline' | 'lines' | 'table'> {
  const known = new Map(listOf(data['filesUntil']).map((each) => [each['jobRunId'], each]));
  const jobs = new Map<string, { runs: number; missing: number; first: string }>();
  for (const run of listOf(data['runs'])) {
    const until = known.get(run['jobRunId']);
    const name = String(run['name'] ?? run['jobId']);
    const job = jobs.get(name) ?? { runs: 0, missing: 0, first: '' };
    const goes = textOf(until?.['filesUntil'], '').slice(0, 16).replace('T', ' ');
    const first = job.first === '' || (goes !== '' && goes < job.first) ? goes : job.first;
    jobs.set(name, { runs: job.runs + 1, missing: job.missing + (until?.['isFetched'] === true ? 0 : 1), first });
  }
  const missing = [...jobs.values()].reduce((sum, job) => sum + job.missing, 0);
  if (jobs.size === 0) return { headline: 'No file of an export is deleted within the next two days.', lines: [] };
  const runs = [...jobs.values()].reduce((sum, job) => sum + job.runs, 0);
  const fetched = missing === 0 ? 'all' : String(runs - missing);
  const here = missing === runs ? 'none is fetched here' : `${fetched} fetched here`;
  return {
    headline: `The files of ${runs} runs are deleted within the next two days: ${here}.`,
    lines: [],
    table: {
      columns: ['Export job', 'Runs', 'Not fetched', 'First goes (UTC)'],
      rows: cutRows([...jobs].map(([name, job]) => [name, String(job.runs), String(job.missing), job.first])),
    },
  };
}

/** The block that the answer of a part makes. */
export function blockOf({ id, title }: OverviewPart, data: Content): Block {
  const answer = textOf(data['answer'], '');
  const [headline = '', ...lines] = sentencesOf(answer);
  const chart = isChart(data['chart']) ? { chart: data['chart'] } : {};
  const block = { id, title, headline, isFailure: false, lines, ...chart };
  /** Sentences that the answer does not say already. */
  const further = (sentences: readonly unknown[]) => sentences.map(String).filter((each) => !answer.includes(each.replace(/\.$/, '')));
  if (id === 'changes') return { ...block, lines: [...lines, ...further(listOf(data['findings']).map(({ sentence }) => sentence))] };
  if (id === 'figures') return figuresBlock(block, data);
  if (id === 'course') return { ...block, headline: '', lines: [] };
  if (id === 'speed') return { ...block, lines: [...lines, ...further(listOf(data['scenarios']).map(({ line }) => line))] };
  if (id === 'expiring') return { ...block, ...expiringBlock(data) };
  const table = gapsTable(data);
  return { ...block, ...(table && { table }) };
}

/** A part that could not be had, with the first sentence of the reason. */
export function failureOf({ id, title }: OverviewPart, reason: string): Block {
  const [headline = 'It could not be read.'] = reason.split('\n');
  return { id, title, headline, isFailure: true, lines: [] };
}
