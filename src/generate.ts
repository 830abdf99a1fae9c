import { readFileSync, writeFileSync } from 'node:fs';
import { toolsets } from '../tools/index.ts';
import { description, license, name, version } from './commands/about.ts';
import { commands } from './commands/command-line.ts';
import { markdownTable } from './lib/text-table.ts';
import { prompts } from './prompts/index.ts';
import { resources } from './resources/index.ts';
import { flagOf, type Setting, settingDeclarations } from './settings/settings.ts';
import type { AnyTool } from './tooling/tool.ts';

const settings: readonly Setting[] = Object.values(settingDeclarations);

function settingsTable(): string {
  const rows = settings.map((setting) => {
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
      return `**${toolset}**: ${words}\n\n${markdownTable(['Tool', 'What it does', 'Operation or scope', ''], rows)}`;
    })
    .join('\n\n');
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

/** Parts of README.md by the name of their markers. */
const readmeParts: Record<string, () => string> = {
  commands: commandsTable,
  tools: toolsTable,
  resources: resourcesTable,
  prompts: promptsTable,
  settings: settingsTable,
};

function readme(text: string): string {
  return Object.entries(readmeParts).reduce((before, [part, make]) => {
    const between = new RegExp(`(<!-- ${part}: generated -->\n)[\\s\\S]*?(<!-- /${part} -->)`);
    if (!between.test(before)) throw new Error(`README.md has no markers for "${part}"`);
    return before.replace(between, (_, open: string, close: string) => `${open}\n${make()}\n\n${close}`);
  }, text);
}

function userConfig(): [string, object][] {
  return settings
    .filter(({ form }) => form !== undefined)
    .map((setting) => [
      flagName(setting),
      {
        type: setting.form,
        title: setting.title,
        description: setting.words,
        required: false,
        ...(setting.secret && { sensitive: true }),
        ...(setting.default !== undefined && { default: formDefault(setting) }),
      },
    ]);
}

function formDefault({ form, default: text = '' }: Setting): string | number | boolean {
  if (form === 'boolean') return text === 'true';
  return form === 'number' ? Number(text) : text;
}

/** `time_zone` for `WEB_ANALYTICS_TIME_ZONE`: how a bundle's form calls a setting. */
function flagName({ variable }: Setting): string {
  return variable.replace('WEB_ANALYTICS_', '').toLowerCase();
}

function manifest(): string {
  const asked = settings.filter(({ form }) => form !== undefined);
  const content = {
    manifest_version: '0.3',
    name,
    display_name: 'Web Analytics',
    version,
    description,
    author: { name: 'The web-analytics-mcp authors' },
    license,
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/dist/main.js'],
        env: Object.fromEntries(asked.map((setting) => [setting.variable, `\${user_config.${flagName(setting)}}`])),
      },
    },
    tools: toolsets.flatMap(({ tools }) => tools.map((tool) => ({ name: tool.name, description: tool.description }))),
    compatibility: { runtimes: { node: '>=20.18.1' } },
    user_config: Object.fromEntries(userConfig()),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Derived files: how each is made from what it holds now. */
const files: Record<string, (current: string) => string> = { 'README.md': readme, 'manifest.json': manifest };

function current(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const onlyCheck = process.argv.includes('--check');
const stale = Object.entries(files).filter(([file, make]) => make(current(file)) !== current(file));
for (const [file, make] of stale) {
  if (onlyCheck) process.stderr.write(`${file} is out of date; npm run generate writes it\n`);
  else writeFileSync(file, make(current(file)));
}
process.exitCode = onlyCheck && stale.length > 0 ? 1 : 0;
