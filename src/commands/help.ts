import { isRecord } from '../lib/is-record.ts';
import { type Setting, typedKeys } from '../settings/setting.ts';
import { flagOf, type SettingName, settingDeclarations } from '../settings/settings.ts';
import { homepage, name } from './about.ts';
import { toolNamed } from './call.ts';
import { enabledTools, listedTools } from './catalogue.ts';
import { type CommandName, commands, type HelpTopic, ownFlags, WITHOUT_SETTINGS } from './command-line.ts';

type HelpRow = readonly [left: string, words: string];

function settingRow(setting: SettingName): HelpRow {
  const declaration: Setting = settingDeclarations[setting];
  const flag = flagOf(declaration);
  const fallback = declaration.default ?? declaration.otherwise;
  return [
    flag === undefined ? declaration.variable : `--${flag}`,
    `${declaration.words}${fallback === undefined ? '' : ` (default: ${fallback})`}`,
  ];
}

const flagRow = (flag: keyof typeof ownFlags): HelpRow => [`--${flag}`, ownFlags[flag].words];
const worldRows = (['seed', 'clock', 'size', 'fault'] as const).map(flagRow);
const IN_THE_DEMO: HelpRow = ['--seed, --clock, …', 'With --demo, shape the emulated world: emulator --help'];
const demoRows = [settingRow('demo'), IN_THE_DEMO];

interface Manual {
  readonly forms: readonly string[];
  /** Three command lines behind the name of the executable. */
  readonly examples: readonly [string, string, string];
  readonly rows: readonly HelpRow[];
}

/** The help of a command beside its one line. */
const manuals: Readonly<Record<CommandName, Manual>> = {
  serve: {
    forms: ['[serve] [flags]'],
    examples: ['--demo', '--toolsets core --read-only --time-zone Europe/Paris', 'serve --http --port 8000 --demo'],
    rows: [...(['http', 'toolsets', 'readOnly'] as const).map(settingRow), ...demoRows],
  },
  demo: {
    forms: ['demo [flags]'],
    examples: ['demo', 'demo --clock 2026-11-20T10:00:00Z', 'demo --seed 7'],
    rows: worldRows,
  },
  emulator: {
    forms: ['emulator [flags]'],
    examples: ['emulator', 'emulator --port 4000 --seed 7', 'emulator --size big --fault slow'],
    rows: [...worldRows, ['--port', 'Port of the emulator; it uses the three after it too (default: free ones)']],
  },
  doctor: {
    forms: ['doctor [--json] [flags]'],
    examples: ['doctor', 'doctor --demo', 'doctor --json'],
    rows: [flagRow('json'), ...demoRows],
  },
  call: {
    forms: ["call <tool> '<arguments as JSON>' [flags]"],
    examples: [
      'call --demo',
      `call get_site_visits '{"startDate":"last_week","endDate":"last_week"}' --demo`,
      'call check_speed_budgets --format table --demo',
    ],
    rows: [flagRow('format'), ...demoRows],
  },
  report: {
    forms: ['report [--last week] [--out folder] [flags]'],
    examples: ['report --demo', 'report --last month --out reports', 'report --last 14 --time-zone Europe/Paris'],
    rows: [flagRow('last'), flagRow('out'), ...demoRows],
  },
  token: {
    forms: ['token create <name> [--scopes read,write] [--valid-days 90]', 'token list', 'token remove <name>'],
    examples: [
      'token create alice --tokens-file tokens.json',
      'token list --tokens-file tokens.json',
      'token remove alice --tokens-file tokens.json',
    ],
    rows: [flagRow('scopes'), flagRow('valid-days'), settingRow('tokensFile')],
  },
  credentials: {
    forms: ['credentials add <name>', 'credentials list', 'credentials remove <name>'],
    examples: [
      'credentials add alice --tokens-file tokens.json < credential.json',
      'credentials list',
      'credentials remove alice --tokens-file tokens.json',
    ],
    rows: [
      ['stdin of add', '{"clientId":"…","clientSecret":"…"}; asked for at a terminal'],
      ...(['credentialsFile', 'credentialsKey', 'tokensFile'] as const).map(settingRow),
    ],
  },
};

/** The command lines that the help of a command shows, without the name of the executable. */
export function examplesOf(command: CommandName): readonly string[] {
  return manuals[command].examples;
}

const EXIT_CODES = 'Exit codes: 0 done or passed, 1 failed, 2 wrong command line, 3 a speed budget is broken, 4 a part of a report failed';
const SETTINGS = `\
Settings are flags or variables (--time-zone, WEB_ANALYTICS_TIME_ZONE): --help settings lists them, and
  ${homepage.replace(/#.*/, '')}/blob/main/docs/settings.md`;

function section(heading: string, rows: readonly HelpRow[]): string[] {
  return ['', `${heading}:`, ...rows.map(([left, words]) => `  ${left.padEnd(20)} ${words}`)];
}

function usageOf(command: CommandName): string[] {
  const { forms, examples, rows } = manuals[command];
  const [initial = '', ...rest] = commands[command];
  return [
    ...forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} ${name} ${form}`),
    '',
    `${initial.toUpperCase()}${rest.join('')}.`,
    '',
    'Examples:',
    ...examples.map((example) => `  ${name} ${example}`),
    ...section('Flags', rows),
    '',
    ...(WITHOUT_SETTINGS.has(command) ? [] : [SETTINGS]),
    EXIT_CODES,
  ];
}

function typeWords({ enum: values, anyOf, items, type }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(values)) return values.join(' | ');
  if (Array.isArray(anyOf)) return anyOf.filter(isRecord).map(typeWords).join(' or ');
  if (isRecord(items)) return `list of ${typeWords(items)}`;
  return typeof type === 'string' ? type : 'any';
}

/** The arguments of an object of a JSON Schema, with those of objects inside. */
function argumentRows({ properties, required, items }: Readonly<Record<string, unknown>>, prefix = ''): HelpRow[] {
  if (isRecord(items)) return argumentRows(items, `${prefix}[]`);
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([key, schema]): HelpRow[] => {
    if (!isRecord(schema)) return [];
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const need = Array.isArray(required) && required.includes(key) ? ', required' : '';
    const words = typeof schema['description'] === 'string' ? `: ${schema['description']}` : '';
    return [[path, `${typeWords(schema)}${need}${words}`], ...argumentRows(schema, path)];
  });
}

/** The text of `--help`, about everything, the settings or one command; made from the declarations. */
export function usage(topic: HelpTopic = 'all'): string {
  if (topic === 'settings') {
    const heading = 'Settings (each flag has a variable, --time-zone is WEB_ANALYTICS_TIME_ZONE; secrets have a variable alone)';
    return section(heading, typedKeys(settingDeclarations).map(settingRow)).slice(1).join('\n');
  }
  if (topic !== 'all') return usageOf(topic).join('\n');
  return [
    `Usage: ${name} [command] [flags]`,
    ...section('Commands', Object.entries(commands)),
    '',
    `To begin: "${name} demo" shows answers without an account, "${name} doctor" checks your settings.`,
    `"${name} <command> --help" shows examples and flags of a command, "${name} call <tool> --help" the arguments of a tool.`,
    SETTINGS,
    EXIT_CODES,
  ].join('\n');
}

/** The same text; behind `call` with the name of a tool, the words and arguments of it that an assistant sees. */
export async function help(topic: HelpTopic, [toolName]: readonly string[]): Promise<string> {
  if (topic !== 'call' || toolName === undefined) return usage(topic);
  const all = await listedTools();
  const { description, inputSchema } = toolNamed(toolName, all, enabledTools(all, { toolsets: ['all'], readOnly: false }));
  const rows = section('Arguments', argumentRows(inputSchema));
  return [`Usage: ${name} call ${toolName} '<arguments as JSON>' [flags]`, '', description, ...rows].join('\n');
}
