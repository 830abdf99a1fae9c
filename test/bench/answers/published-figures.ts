import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path/posix';
import { markdownTable } from '../../../src/lib/text-table.ts';

const PAGES = {
  statistics: 'statistics.md',
  figures: 'evidence/statistics-figures.md',
  speed: 'speed-statistics.md',
  impact: 'impact-statistics.md',
} as const;

type Page = keyof typeof PAGES;

const textOf = (name: string) => readFileSync(`docs/${name}`, 'utf8');

/** The words as they stand on the page; throws where they no longer do. */
function quoted(page: Page, words: string): string {
  if (!textOf(PAGES[page]).includes(words)) throw new Error(`docs/${PAGES[page]} no longer says: ${words}`);
  return words;
}

/** Cells of the rows that begin so. */
function rowsOf(page: Page, begin: string, site = ''): string[][] {
  const rows = textOf(PAGES[page])
    .split('\n')
    .filter((line) => line.startsWith(`| ${begin}`) && line.includes(site))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  if (rows.length === 0) throw new Error(`docs/${PAGES[page]} has no row "${begin}" any more`);
  return rows;
}

/** From the least to the largest percent of the cells. */
function spread(rows: readonly (readonly string[])[], columns: readonly number[]): string {
  const values = rows.flatMap((row) => columns.flatMap((column) => (row[column] ?? '').match(/\d+(?:\.\d+)?(?= ?%)/g) ?? [])).map(Number);
  return `${Math.min(...values)}–${Math.max(...values)} %`;
}

const cell = (page: Page, begin: string, column: number) => rowsOf(page, begin)[0]?.[column] ?? '';
const foundOf = (begin: string) =>
  rowsOf('figures', begin)
    .map((row) => `${row[1]} ${row[2]}; ${row[3]}`)
    .join(' · ');
const link = (page: Page) => `[${basename(PAGES[page])}](${relative('evidence', PAGES[page])})`;

interface Kind {
  readonly verdict: string;
  readonly falseAlarms: string;
  readonly power: string;
  readonly intervals: string;
  readonly command: string;
  readonly page: Page;
}

const VERDICTS = '`npm run bench -- verdicts --worlds 300 --seed 101` (and `--seed 202`)';

function ofMetrics(): readonly Kind[] {
  const alike = rowsOf('figures', '', ' on all devices alike ');
  const placed = [...rowsOf('figures', 'conversion rate −25 % on'), ...rowsOf('figures', 'visits −25 % on')];
  return [
    {
      verdict: '`compare_metrics`: up or down, a week',
      falseAlarms:
        `calm ${spread(rowsOf('figures', 'week against the week before'), [2, 3])}; ` +
        `slow drift ${spread(rowsOf('figures', 'week, slow drift'), [2, 3])}; ` +
        `AR(1) 0.5 ${spread(rowsOf('figures', 'week, shocks with AR(1) 0.5'), [2, 3])}`,
      power: `−15 %, all devices, engine / reference: ${foundOf('−15 %, all devices, 1–7 days ago')}`,
      intervals: `first day exact at −15 %: ${spread(rowsOf('figures', '−15 %, all devices, 1–7 days ago'), [5])}`,
      command: VERDICTS,
      page: 'figures',
    },
    {
      verdict: '`compare_metrics`: up or down, a month',
      falseAlarms:
        `calm ${spread(rowsOf('figures', 'month against the 30 days before'), [2, 3])}; ` +
        `slow drift ${spread(rowsOf('figures', 'month, slow drift'), [2, 3])}; ` +
        `AR(1) 0.5 ${spread(rowsOf('figures', 'month, shocks with AR(1) 0.5'), [2, 3])}`,
      power: `visits −10 %, engine / reference: ${foundOf('visits −10 % over a whole month |')}`,
      intervals: '',
      command: VERDICTS,
      page: 'figures',
    },
    {
      verdict: '`compare_metrics`: the device it is on',
      falseAlarms: `one named where all moved alike ${spread(alike, [2])}`,
      power: `the right one ${spread(placed, [3])}`,
      intervals: '',
      command: VERDICTS,
      page: 'figures',
    },
    {
      verdict: '`compare_metrics`: what would show (`detectablePercent`)',
      falseAlarms: '',
      power: quoted('statistics', 'such changes are found in 65–93 % (80 % on average)'),
      intervals: '',
      command: 'seed 5501, 40 worlds each; the page names no command',
      page: 'statistics',
    },
    {
      verdict: '`query_metrics` with `expected`: high, low, ordinary',
      falseAlarms: quoted('statistics', 'Tables of 12 to 84 values with a false one: 0–7 %, by week 10 %'),
      power: '',
      intervals: quoted('statistics', 'visits calm 93 and 94 %, 50 a day 95 and 95 %, season and growth with last year 94 and 94 %'),
      command: '`npm run bench -- nature metrics --worlds 60 --seed 5523 --cell "expected, "`',
      page: 'statistics',
    },
    {
      verdict: '`query_metrics`: trend of weeks or months',
      falseAlarms: quoted('statistics', 'Of 2,000 simulated series of 6 to 36 months without a trend, 0.2–1.2 % are called beyond noise'),
      power: '',
      intervals: '',
      command: 'the page names no command',
      page: 'statistics',
    },
    {
      verdict: '`find_changes`: a line',
      falseAlarms: `right lines: steady ${cell('statistics', 'steady', 2)}, slow drift ${cell('statistics', 'slow drift everywhere', 2)}`,
      power:
        `of what the reference finds: ${cell('statistics', 'steady', 3)}, ${cell('statistics', 'slow drift everywhere', 3)}; ` +
        `of all planted ${cell('statistics', 'steady', 4)}, ${cell('statistics', 'slow drift everywhere', 4)}`,
      intervals: '',
      command: '`npm run bench -- verdicts --worlds 50 --seed 1 --cell find_changes`',
      page: 'statistics',
    },
  ];
}

function ofSpeedAndImpact(): readonly Kind[] {
  const steps = rowsOf('speed', '0.3 | 0.1 |')[0] ?? [];
  const impact = (begin: string) => cell('impact', begin, 1);
  const held = (lost: string) => impact(`95 % intervals of lost ${lost}`);
  return [
    {
      verdict: '`analyze_scenario`: slower or faster',
      falseAlarms: quoted('speed', '0.8 % on average over 32 rows, no row above 1.4 %'),
      power: `φ 0.3, noise 0.1, engine (reference), in %: +10 % ${steps[2]}, +20 % ${steps[3]}, +40 % ${steps[4]}`,
      intervals: `true instant in the range, +20 %, noise 0.1 / 0.2: ${cell('speed', 'true instant in the range', 1)}`,
      command: '`npm run bench -- verdicts speed --worlds 3000 --seed 91` (false alarms), `--worlds 100 --seed 31` (the rest)',
      page: 'speed',
    },
    {
      verdict: '`analyze_scenario`: eight metrics at once',
      falseAlarms: quoted('speed', 'had a false change in 1.8 % of 400 answers (seed 61)'),
      power: '',
      intervals: '',
      command: '`npm run bench -- verdicts speed --seed 61`',
      page: 'speed',
    },
    {
      verdict: '`measure_impact`: lowers sales',
      falseAlarms: `without effect ${impact('conditions without effect called harmful')}; traps ${impact('traps called harmful')}`,
      power: `of what a regression that knows the intent finds: ${impact('planted effects that a regression')}`,
      intervals: `lost conversions ${held('conversions')}; lost revenue ${held('revenue')}`,
      command: '`npm run bench -- impact --worlds 22 --seed 1` (and `--seed 2`)',
      page: 'impact',
    },
    {
      verdict: '`measure_impact`: a variant wins',
      falseAlarms: quoted('impact', 'of equal variants 4 of 150 had a winner (2.7 %; each is tested at 5 %)'),
      power: quoted('impact', '50 of 50 sample ratio mismatches of 46 : 54 were found'),
      intervals: '',
      command: '`npm run bench -- impact --worlds 200 --seed 31 --sessions 12000`',
      page: 'impact',
    },
  ];
}

/** How often each kind of verdict is wrong and what it finds, read from the pages that have the figures. */
export function verdictFigures(): string {
  const kinds = [...ofMetrics(), ...ofSpeedAndImpact()];
  return markdownTable(
    ['verdict', 'false alarms', 'found', 'intervals and instants', 'command', 'page'],
    kinds.map(({ verdict, falseAlarms, power, intervals, command, page }) => [
      verdict,
      falseAlarms.replaceAll('\\|', '|'),
      power.replaceAll('\\|', '|'),
      intervals,
      command,
      link(page),
    ]),
  );
}

/** The first table of docs/evidence/finding-tools.md. */
export function searchFigures(): string {
  const lines = textOf('evidence/finding-tools.md').split('\n');
  const start = lines.findIndex((line) => line.startsWith('| questions |'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  if (start < 0 || end < 0) throw new Error('docs/evidence/finding-tools.md has no table of questions any more');
  return lines.slice(start, end).join('\n');
}
