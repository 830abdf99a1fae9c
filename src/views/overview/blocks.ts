import { grouped } from '../../lib/grouped.ts';
import { isRecord } from '../../lib/is-record.ts';
import { formatNumber, NO_VALUE } from '../../lib/number-text.ts';
import { sentencesOf } from '../../lib/sentences.ts';
import { isOfMetric, nameOf } from '../../metrics/metric-names.ts';
import { digitsOf, formatValue, momentWords, sinceWords, unitIn } from '../charts/values.ts';
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

/** Verdicts of a range as people say them; others are words already. */
const VERDICTS: Readonly<Record<string, string>> = {
  up: 'higher',
  down: 'lower',
  drift: 'slow trend',
  mixed: 'usual days went the other way',
  'within noise': 'no significant change',
};

/** The metrics of a comparison, with what is known of the change of each. */
function figuresTable(data: Content): Block['table'] {
  const told = listOf(data['findings']).map(({ subject, when }) => {
    const { from, to, ongoing }: Content = isRecord(when) ? when : {};
    return { subject: textOf(subject), from: textOf(from, ''), to: typeof to === 'string' ? to : undefined, ongoing: ongoing === true };
  });
  /** The days of a change, which may have ended. */
  const daysOf = (day: string) => sinceWords({ from: day, to: told.find(({ from }) => from === day)?.to });
  const first = isRecord(data['baseline']) ? textOf(data['baseline']['start'], '').slice(0, 10) : '';
  /** A verdict of two ranges; a change that goes on from before them is no part of how they differ. */
  const verdictOf = (metric: string, verdict: string) => {
    const change = told.find(({ subject, ongoing }) => ongoing && isOfMetric(subject, metric));
    if (!change || verdict !== 'within noise') return VERDICTS[verdict] ?? verdict;
    const since = sinceWords({ from: change.from });
    return change.from <= first ? `no further change ${since}` : `the change ${since} included`;
  };
  const rows = recordsOf(data).map(({ metric, unit, before, after, changePercent, verdict, since }) => {
    const [name = '', remark] = textOf(unit, '').split(/, | (?=a day)/);
    const values = [before, after].map((value) =>
      formatValue(numberOf(value), unitIn(name), digitsOf([before, after].map((each) => numberOf(each) ?? null))),
    );
    return [
      `${nameOf(String(metric))}${remark === undefined ? '' : ` (${remark})`}`,
      ...values,
      numberOf(changePercent) === undefined ? NO_VALUE : `${formatNumber(numberOf(changePercent), { digits: 1, sign: true })}%`,
      [verdictOf(String(metric), textOf(verdict)), typeof since === 'string' ? daysOf(since) : ''].join(' ').trim(),
    ];
  });
  return { columns: ['Metric', 'Before', 'Now', 'Change', 'Verdict'], rows };
}

/** Times of records as people write them: `6 Dec 08:00 UTC`. */
const timesText = (text: string) =>
  text.replaceAll(
    /(\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?)(?::[\d.]+)?(Z?)/g,
    (_, time: string, zone) => `${momentWords(time, '')}${zone && ' UTC'}`,
  );

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
    timesText(textOf(ranges, '')),
  ]);
  return rows.length > 0 ? { columns: ['Export job', 'Without data', 'Which'], rows: cutRows(rows) } : undefined;
}

/** Files that are about to go, counted by job. */
function expiringBlock(data: Content): Pick<Block, 'headline' | 'lines' | 'table'> {
  const known = new Map(listOf(data['filesUntil']).map((each) => [each['jobRunId'], each]));
  const runs = listOf(data['runs']).map((run) => ({ ...known.get(run['jobRunId']), job: String(run['name'] ?? run['jobId']) }));
  if (runs.length === 0) return { headline: 'No file of an export is deleted within the next two days.', lines: [] };
  const missingOf = (all: readonly Content[]) => all.filter(({ isFetched }) => isFetched !== true).length;
  const fetched = runs.length - missingOf(runs);
  const here = fetched === runs.length ? 'all' : fetched || 'none is';
  const rows = [...grouped(runs, ({ job }) => job)].map(([job, own]) => {
    const [first = ''] = texts(own.flatMap(({ filesUntil }: Content) => filesUntil ?? [])).toSorted();
    return [job, String(own.length), String(missingOf(own)), timesText(first)];
  });
  return {
    headline: `The files of ${runs.length} runs are deleted within the next two days: ${here} fetched here.`,
    lines: [],
    table: { columns: ['Export job', 'Runs', 'Not fetched', 'First goes'], rows: cutRows(rows) },
  };
}

/** The block that the answer of a part makes. */
export function blockOf({ id, title }: OverviewPart, data: Content): Block {
  const answer = textOf(data['answer'], '');
  const [headline = '', ...lines] = sentencesOf(answer);
  const chart = isChart(data['chart']) ? { chart: data['chart'] } : {};
  // Each scenario has its line, of which the findings are those of some.
  const told =
    id === 'speed' ? listOf(data['scenarios']).map(({ line }) => line) : listOf(data['findings']).map(({ sentence }) => sentence);
  const said = answer.toLowerCase();
  const further = told.map(String).filter((each) => !said.includes(each.toLowerCase().replace(/\.$/, '')));
  const block = { id, title, headline, isFailure: false, lines: [...lines, ...further], ...chart };
  if (id === 'course') return { ...block, headline: '', lines: [] };
  if (id === 'expiring') return { ...block, ...expiringBlock(data) };
  const table = { figures: figuresTable, gaps: gapsTable, changes: undefined, speed: undefined }[id]?.(data);
  return { ...block, ...(table && { table }) };
}

/** A part that could not be had, with the first sentence of the reason. */
export function failureOf({ id, title }: OverviewPart, reason: string): Block {
  const [headline = 'It could not be read.'] = reason.split('\n');
  return { id, title, headline, isFailure: true, lines: [] };
}
