import { toolsets } from '../../tools/index.ts';
import { commands } from '../commands/command-line.ts';
import { sessionFields, viewFields } from '../emulator/world/exports/fields.ts';
import { markdownTable } from '../lib/text-table.ts';
import { prompts } from '../prompts/index.ts';
import { resources } from '../resources/index.ts';
import { flagOf, type Setting, settingDeclarations } from '../settings/settings.ts';
import type { AnyTool } from '../tooling/tool.ts';
import { meaningOf } from '../workspace/query/column-types.ts';
import { columnsOf, typeOf } from '../workspace/query/columns.ts';
import { questionsTable } from './questions.ts';

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

function toolsTable(): string {
  return toolsets
    .map(({ name: toolset, description: words, tools }) => {
      const rows = tools.map((tool) => {
        const effect = tool.annotations.readOnlyHint ? '' : tool.confirmed ? 'writes, asks first' : 'writes';
        return [`\`${tool.name}\``, tool.description, whatOf(tool), effect];
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
    resources.map((resource) => [`\`${resource.template}\``, resource.description]),
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
  const rowsOf = (view: string, fields: readonly { readonly name: string; readonly description: string }[]) => {
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
  const rows = [...rowsOf('both', both), ...rowsOf('sessions', rest), ...rowsOf('views', own)];
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
