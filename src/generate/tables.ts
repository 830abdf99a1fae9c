import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toolsets } from '../../tools/index.ts';
import { commands } from '../commands/command-line.ts';
import { sessionFields, viewFields } from '../emulator/world/exports/fields.ts';
import { columnOf, columnsOf, meaningOf, promisedColumns, typeOf } from '../exports/query/columns.ts';
import { shownHints } from '../lib/hint.ts';
import { markdownTable } from '../lib/text-table.ts';
import { prompts } from '../prompts/index.ts';
import { resources } from '../resources/index.ts';
import type { Setting } from '../settings/setting.ts';
import { flagOf, settingDeclarations } from '../settings/settings.ts';
import type { AnyTool } from '../tooling/tool.ts';

/** The instant at which the questions of README are asked; the emulated world is the same whenever that is. */
const ASKED_AT = '2026-11-20T10:00:00Z';
/** Sentences of an answer that are quoted; the rest is for whoever asks. */
const QUOTED = 2;

/** A question of README, and how many sentences of its answer are quoted. */
interface Turn {
  readonly text: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly quoted?: number;
}

/** The dialogues of README by who asks. The answers are the product's own words: nothing is put together here. */
const dialogues: Readonly<Record<string, readonly Turn[]>> = {
  'An analyst': [
    {
      text: 'Why did our conversion rate drop?',
      tool: 'compare_metrics',
      args: { metrics: ['conversionRate'], startDate: '-14d', endDate: 'yesterday' },
    },
    {
      text: 'How many visits will we have in the next seven days?',
      tool: 'query_metrics',
      args: { metrics: ['visits'], startDate: '+1d', endDate: '+7d', expected: true },
    },
  ],
  'A performance engineer': [
    { text: 'Which pages break our speed budgets?', tool: 'check_speed_budgets', args: {}, quoted: 1 },
    {
      text: 'What should we mend first on the product page, on phones?',
      tool: 'analyze_har',
      args: { scenarioId: 'Product page – mobile' },
      quoted: 1,
    },
  ],
  'A data engineer': [
    { text: 'Does the daily export lack any days?', tool: 'find_export_gaps', args: { jobId: 'Daily sessions' } },
    {
      text: 'Download the session exports of the last three days.',
      tool: 'sync_exports',
      args: { jobIds: ['Daily sessions'], since: '-2d' },
    },
  ],
};

/** The first sentences as they stand, with an ellipsis where more follow. */
function beginningOf(answer: string, most: number): string {
  // Brackets that name requests are no part of a quotation.
  const sentences = answer.split(/(?<=[.!?])\s+(?=[\p{Lu}\d"“(])/u);
  const quoted = sentences.slice(0, most).join(' ');
  return sentences.length > most ? `${quoted} …` : quoted;
}

/** What the built server on the emulated platform answers. */
async function dialoguesText(): Promise<string> {
  const client = new Client({ name: 'documentation', version: '1.0.0' });
  const args = ['dist/main.js', '--demo', '--clock', ASKED_AT];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
  const answered = async ({ text, tool, args: asked, quoted = QUOTED }: Turn) => {
    const { structuredContent = {}, content } = await client.callTool({ name: tool, arguments: asked });
    const { answer } = structuredContent as { answer?: string }; // so all of these tools declare it
    if (answer === undefined) throw new Error(`${tool} has no sentence for README: ${JSON.stringify(content)}`);
    return `> ${text}\n\n${beginningOf(answer, quoted)} (\`${tool}\`)`;
  };
  try {
    const parts: string[] = [];
    for (const [who, turns] of Object.entries(dialogues)) {
      parts.push(`**${who}**`);
      for (const turn of turns) parts.push(await answered(turn));
    }
    return parts.join('\n\n');
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
    const columns = columnsOf([promisedColumns(names.map((fieldName) => ({ fieldName }))).map(columnOf)]);
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
  'README.md': { dialogues: dialoguesText },
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
