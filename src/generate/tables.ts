import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toolsets } from '../../tools/index.ts';
import { commands } from '../commands/command-line.ts';
import { numberIn, rowsOf, type Table } from '../commands/demo/ask.ts';
import { sessionFields, viewFields } from '../emulator/world/exports/fields.ts';
import { shownHints } from '../lib/hint.ts';
import { formatNumber } from '../lib/number-text.ts';
import { markdownTable } from '../lib/text-table.ts';
import { prompts } from '../prompts/index.ts';
import { resources } from '../resources/index.ts';
import type { Setting } from '../settings/setting.ts';
import { flagOf, settingDeclarations } from '../settings/settings.ts';
import type { AnyTool } from '../tooling/tool.ts';
import { meaningOf } from '../workspace/query/column-types.ts';
import { columnsOf, typeOf } from '../workspace/query/columns.ts';

/** The instant at which the questions of README are asked; the emulated world is the same whenever that is. */
const ASKED_AT = '2026-11-20T10:00:00Z';

type Call = <T = { readonly answer: string }>(tool: string, args: Record<string, unknown>) => Promise<T>;

interface ReadmeQuestion {
  readonly text: string;
  /** The tool that answers, for the reader. */
  readonly tool: string;
  readonly answer: (call: Call) => Promise<string>;
}

const answerOf = (tool: string, args: Record<string, unknown>) => async (call: Call) => (await call(tool, args)).answer;
const spoken = (value: string | number | null) =>
  typeof value === 'number' ? formatNumber(value, { group: true }) : (value ?? 'no value');
const listed = (rows: readonly (readonly (string | number | null)[])[], unit = '') =>
  rows.map(([name, value]) => `${spoken(name ?? null)} ${spoken(value ?? null)}${unit}`).join(', ');

interface StudyAnswer {
  readonly examples?: { readonly before?: { readonly stepResultId: string }; readonly after?: { readonly stepResultId: string } };
}

const questions: readonly ReadmeQuestion[] = [
  {
    text: 'Why did our conversion rate drop, on which device and since when?',
    tool: 'compare_metrics',
    answer: answerOf('compare_metrics', { startDate: '-14d', endDate: 'yesterday' }),
  },
  {
    text: 'Compare conversion on desktop, mobile and tablet last week.',
    tool: 'query_metrics',
    async answer(call) {
      const metrics = ['conversionRate'];
      const range = { startDate: 'last_week', endDate: 'last_week', breakdown: ['device'], devices: ['desktop', 'mobile', 'tablet'] };
      return `${listed(rowsOf(await call<Table>('query_metrics', { metrics, ...range }), ['device', ...metrics]), ' %')}.`;
    },
  },
  {
    text: 'In which month of the past year did we have the most visits?',
    tool: 'query_metrics',
    async answer(call) {
      const range = { startDate: '2025-11', endDate: 'last_month', breakdown: ['month'] };
      const rows = rowsOf(await call<Table>('query_metrics', { metrics: ['visits'], ...range }), ['month', 'visits']);
      const sorted = rows.toSorted(([, a], [, b]) => Number(b) - Number(a));
      return `Most: ${listed(sorted.slice(0, 1))}; fewest: ${listed(sorted.slice(-1))}.`;
    },
  },
  {
    text: 'Did the product page get slower on mobile?',
    tool: 'analyze_scenario',
    answer: answerOf('analyze_scenario', { scenarioId: 'Product page – mobile' }),
  },
  {
    text: 'What on the page is to blame?',
    tool: 'compare_hars',
    async answer(call) {
      const { examples } = await call<StudyAnswer>('analyze_scenario', { scenarioId: 'Product page – mobile' });
      const [before, after] = [examples?.before?.stepResultId, examples?.after?.stepResultId];
      if (before === undefined || after === undefined) throw new Error('The scenario of README has no change to explain; choose another.');
      return (await call<{ verdict: string }>('compare_hars', { before, after })).verdict;
    },
  },
  { text: 'Which pages break our speed budgets?', tool: 'check_speed_budgets', answer: answerOf('check_speed_budgets', {}) },
  {
    text: 'What is the tap rate of “Add to cart” in the app?',
    tool: 'get_zone_tap_rate',
    async answer(call) {
      const range = { startDate: '-28d', endDate: 'yesterday' };
      const table = await call<Table>('get_zone_tap_rate', { zoneId: 'Product screen / Add to cart', projectId: 1202, ...range });
      return `${spoken(numberIn(table, 'tapRate'))} % of users tapped it in the last 28 days.`;
    },
  },
  {
    text: 'Fetch the session exports of the last three days.',
    tool: 'sync_exports',
    answer: answerOf('sync_exports', { jobIds: ['Daily sessions'], since: '-2d' }),
  },
  {
    text: 'Sessions by browser, from those exports?',
    tool: 'query_export',
    async answer(call) {
      const sql = 'SELECT browser_name, count(*) AS sessions FROM data GROUP BY ALL ORDER BY sessions DESC LIMIT 3';
      return `${listed((await call<Table>('query_export', { jobId: 'Daily sessions', sql })).rows)}.`;
    },
  },
  {
    text: 'Does the daily export lack any days, and why?',
    tool: 'find_export_gaps',
    answer: answerOf('find_export_gaps', { jobId: 'Daily sessions' }),
  },
];

/** The answers of the built server on the emulated platform, as a table. */
async function questionsTable(): Promise<string> {
  const client = new Client({ name: 'documentation', version: '1.0.0' });
  const args = ['dist/main.js', '--demo', '--clock', ASKED_AT];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  try {
    const call: Call = async <T>(name: string, given: Record<string, unknown>) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: given });
      if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
      return structuredContent as T; // the shape is the tool's output schema, which the client has checked
    };
    const rows: string[][] = [];
    // In order: the export is fetched before it is queried.
    for (const { text, tool, answer } of questions) rows.push([text, await answer(call), `\`${tool}\``]);
    return markdownTable(['You ask', 'It answers', 'with'], rows);
  } finally {
    await client.close();
  }
}

function settingsTable(): string {
  const rows = Object.values<Setting>(settingDeclarations).map((setting) => {
    const flag = flagOf(setting);
    return [
      `\`${setting.variable}\``,
      flag === undefined ? '' : `\`--${flag}\``,
      setting.words,
      setting.default ?? setting.otherwise ?? '',
    ];
  });
  return markdownTable(['Variable', 'Flag', 'Meaning', 'Default'], rows);
}

/** The operation that a tool stands for; of one that answers with several, the scope that they need. */
function whatOf({ operation, scope }: AnyTool): string {
  return operation ? `\`${operation.method} ${operation.path}\`` : `scope \`${scope}\``;
}

/** The effect of a tool beside its answer. */
function effectOf({ annotations, fetches, confirmed }: AnyTool): string {
  if (annotations.readOnlyHint) return '';
  if (fetches) return 'writes files here';
  return confirmed ? 'writes, asks first' : 'writes';
}

function toolsTable(): string {
  return toolsets
    .map(({ name: toolset, description: words, tools }) => {
      const rows = tools.map((tool) => {
        const effect = effectOf(tool);
        return [`\`${tool.name}\``, shownHints(tool.description), whatOf(tool), effect];
      });
      return `## ${toolset}\n\n${words}\n\n${markdownTable(['Tool', 'What it does', 'Operation or scope', ''], rows)}`;
    })
    .join('\n\n');
}

function toolsetsTable(): string {
  const rows = toolsets.map(({ name, description, tools }) => [`\`${name}\``, description, String(tools.length)]);
  return markdownTable(['Toolset', 'What it is for', 'Tools'], rows);
}

function resourcesTable(): string {
  return markdownTable(
    ['Resource', 'What it holds'],
    resources.map((resource) => [`\`${resource.template}\``, shownHints(resource.description)]),
  );
}

function promptsTable(): string {
  const rows = prompts.map((prompt) => {
    const given = Object.entries(prompt.arguments).map(([argument, { required }]) =>
      required ? `\`${argument}\`` : `\`${argument}\` (optional)`,
    );
    return [`\`${prompt.name}\``, prompt.description, given.join(', ')];
  });
  return markdownTable(['Prompt', 'What it does', 'Arguments'], rows);
}

function commandsTable(): string {
  return markdownTable(
    ['Command', 'What it does'],
    Object.entries(commands).map(([command, words]) => [`\`${command}\``, words]),
  );
}

/** The columns that exports of the emulated platform can have, as `query_export` types and explains them, with those computed from them. */
function sqlColumnsTable(): string {
  const fieldRows = (view: string, fields: readonly { readonly name: string; readonly description: string }[]) => {
    const described = new Map(fields.map(({ name, description }) => [name, description]));
    const names = [...described.keys()];
    const columns = columnsOf([{ names, fields: names.map((fieldName) => ({ fieldName })), samples: new Map() }]);
    return columns.map((column) => {
      const { name, unit = '', from } = column;
      const about = from === undefined ? (meaningOf(name) ?? described.get(name) ?? '') : `computed from \`${from}\``;
      return [view, `\`${name}\``, typeOf(column), unit, about];
    });
  };
  const ofSessions = new Set(sessionFields.map(({ name }) => name));
  const own = viewFields.filter(({ name }) => !ofSessions.has(name));
  const both = viewFields.filter(({ name }) => ofSessions.has(name));
  const rest = sessionFields.filter(({ name }) => !both.some((field) => field.name === name));
  const rows = [...fieldRows('both', both), ...fieldRows('sessions', rest), ...fieldRows('views', own)];
  return markdownTable(['View', 'Column', 'Type', 'Unit', 'Meaning'], rows);
}

/** Where each derived part of the documents stands, and how it is made. */
const parts: Readonly<Record<string, Readonly<Record<string, () => string | Promise<string>>>>> = {
  'README.md': { questions: questionsTable, toolsets: toolsetsTable },
  'docs/commands.md': { commands: commandsTable },
  'docs/sql.md': { columns: sqlColumnsTable },
  'docs/settings.md': { settings: settingsTable },
  'docs/tools.md': { tools: toolsTable },
  'docs/resources-and-prompts.md': { resources: resourcesTable, prompts: promptsTable },
};

function fill(file: string, text: string, part: string, content: string): string {
  const between = new RegExp(`(<!-- ${part}: generated -->\n)[\\s\\S]*?(<!-- /${part} -->)`);
  if (!between.test(text)) throw new Error(`${file} has no markers for "${part}"`);
  return text.replace(between, (_, open: string, close: string) => `${open}\n${content}\n\n${close}`);
}

/** Documents with derived parts, by path: the whole text, made from what the file holds now. */
export const documents: Readonly<Record<string, (current: string) => Promise<string>>> = Object.fromEntries(
  Object.entries(parts).map(([file, makers]) => [
    file,
    async (current: string) => {
      let text = current;
      for (const [part, make] of Object.entries(makers)) text = fill(file, text, part, await make());
      return text;
    },
  ]),
);
