import { type ParseArgsConfig, parseArgs } from 'node:util';
import { typedKeys } from '../settings/setting.ts';
import { flagOf, isSwitch, type SettingName, SettingsError, settingDeclarations } from '../settings/settings.ts';
import { worldFlags } from './emulator.ts';

/** Commands by name; `serve` when none is named. */
export const commands = {
  serve: 'serve MCP over stdio, or with --http over Streamable HTTP (default)',
  demo: 'ask the embedded emulator a few questions through a real MCP client',
  emulator: 'run the emulated platform alone',
  doctor: 'check settings, optional parts, token, scopes and one call of each family',
  call: "call one tool: call <tool> '<json>'",
  report: 'write a report of a week or month for people: one HTML file, and Markdown',
  token: 'create, list or remove static tokens for callers of HTTP serving',
  credentials: 'add, list or remove platform credentials of callers of HTTP serving',
} as const;
/** Name of a command of the executable. */
export type CommandName = keyof typeof commands;

/** Those that take more words than their name. */
const WORDY: ReadonlySet<CommandName> = new Set<CommandName>(['call', 'token', 'credentials']);

/** The arguments of a command line, parsed. */
export interface CommandLine {
  readonly command: CommandName;
  readonly positionals: readonly string[];
  /** Texts by flag name; a switch is `true`. */
  readonly flags: Record<string, string | undefined>;
  readonly world: { seed?: string; clock?: string; size?: string; fault?: string[] };
  /** Of the emulator, which takes three more; that of HTTP serving is read with the settings. */
  readonly port: string | undefined;
  /** How `call` prints an answer. */
  readonly format: string | undefined;
  /** Options of `token create`. */
  readonly token: { readonly scopes: string | undefined; readonly validDays: string | undefined };
  /** Of `report`: its period, and where it is written. */
  readonly report: { readonly last: string | undefined; readonly out: string | undefined };
  /** `doctor` prints JSON. */
  readonly json: boolean;
  /** The command that help is wanted about; `all` where none is named. */
  readonly help: CommandName | 'all' | undefined;
  readonly version: boolean;
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values = Record<string, string | boolean | string[] | undefined>;

function settingOptions(): Options {
  const options: Options = {};
  for (const name of typedKeys(settingDeclarations)) {
    const flag = flagOf(settingDeclarations[name]);
    if (flag !== undefined) options[flag] = { type: isSwitch(settingDeclarations[name]) ? 'boolean' : 'string' };
  }
  return options;
}

function isCommand(text: string): text is CommandName {
  return Object.hasOwn(commands, text);
}

function parse(args: readonly string[]) {
  const extra: Options = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    format: { type: 'string' },
    json: { type: 'boolean' },
    last: { type: 'string' },
    out: { type: 'string' },
    scopes: { type: 'string' },
    'valid-days': { type: 'string' },
  };
  for (const [name, { type, ...rest }] of Object.entries(worldFlags)) extra[name] = { type, multiple: 'multiple' in rest };
  try {
    return parseArgs({ args: [...args], options: { ...settingOptions(), ...extra }, allowPositionals: true, strict: true });
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. --help lists the flags.`);
  }
}

/** Reads a command line; throws a `SettingsError` for an unknown command or flag. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  const [first = 'serve', ...rest] = positionals;
  if (!isCommand(first)) throw new SettingsError(`no command "${first}"; there are ${Object.keys(commands).join(', ')}`);
  const [stray] = WORDY.has(first) || values['help'] === true ? [] : rest;
  if (stray !== undefined)
    throw new SettingsError(`"${stray}" is not expected: ${first} takes only flags, and a switch such as --demo takes no value`);
  const topic = positionals.length === 0 ? 'all' : first;
  // Options are made of settings, so that their names are in no type.
  const { help, version, format, json, last, out, scopes, 'valid-days': validDays, ...named } = values as Values;
  const { seed, clock, size, fault, ...flags } = named;
  const text = (value: string | boolean | string[] | undefined) => (value === undefined ? undefined : String(value));
  return {
    command: first,
    positionals: rest,
    flags: Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, text(value)])),
    world: {
      ...(seed !== undefined && { seed: String(seed) }),
      ...(clock !== undefined && { clock: String(clock) }),
      ...(size !== undefined && { size: String(size) }),
      ...(Array.isArray(fault) && { fault }),
    },
    port: text(flags['port']),
    format: text(format),
    token: { scopes: text(scopes), validDays: text(validDays) },
    report: { last: text(last), out: text(out) },
    json: json === true,
    help: help === true ? topic : undefined,
    version: version === true,
  };
}

type HelpRow = readonly [left: string, words: string];

function settingRow(name: SettingName): HelpRow {
  const setting = settingDeclarations[name];
  const flag = flagOf(setting);
  const otherwise = 'otherwise' in setting ? setting.otherwise : undefined;
  const fallback = 'default' in setting ? setting.default : otherwise;
  return [
    flag === undefined ? setting.variable : `--${flag}`,
    `${setting.words}${fallback === undefined ? '' : ` (default: ${fallback})`}`,
  ];
}

const settingNames = typedKeys(settingDeclarations);
const worldRows = Object.entries(worldFlags).map(([name, { words }]): HelpRow => [`--${name}`, words]);
const SETTINGS = 'Settings (each flag has a variable, --time-zone is WEB_ANALYTICS_TIME_ZONE)';
const WORLD = 'The emulated world (with --demo)';

/** The help of a command beside its one line: its forms, then rows below headings. */
const manuals: Readonly<
  Record<CommandName, { readonly forms: readonly string[]; readonly parts: Readonly<Record<string, readonly HelpRow[]>> }>
> = {
  serve: { forms: ['[serve] [flags]'], parts: { [SETTINGS]: settingNames.map(settingRow), [WORLD]: worldRows } },
  demo: { forms: ['demo [flags]'], parts: { 'The emulated world': worldRows } },
  emulator: {
    forms: ['emulator [flags]'],
    parts: {
      'The emulated world': [...worldRows, ['--port', 'Port of the emulator; it uses the three after it too (default: free ones)']],
    },
  },
  doctor: {
    forms: ['doctor [--json] [flags]'],
    parts: { Output: [['--json', 'Prints all checks as one JSON object']], [SETTINGS]: settingNames.map(settingRow), [WORLD]: worldRows },
  },
  call: {
    forms: ["call <tool> '<arguments as JSON>' [flags]"],
    parts: {
      Output: [['--format', 'json (default), table, png for tools that draw, or junit for check_speed_budgets']],
      [SETTINGS]: settingNames.map(settingRow),
      [WORLD]: worldRows,
    },
  },
  report: {
    forms: ['report [--last week] [--out folder] [flags]'],
    parts: {
      'The report': [
        ['--last', 'week (default), month, quarter, or a number of days such as 14: the last complete ones'],
        ['--out', 'Folder for the two files (default: the current one)'],
      ],
      [SETTINGS]: settingNames.map(settingRow),
      [WORLD]: worldRows,
    },
  },
  token: {
    forms: ['token create <name> [--scopes read,write] [--valid-days 90]', 'token list', 'token remove <name>'],
    parts: {
      'A new token': [
        ['--scopes', 'What the token allows: read (default), or read,write'],
        ['--valid-days', 'Days until it expires (default: until it is removed)'],
      ],
      Settings: [settingRow('tokensFile')],
    },
  },
  credentials: {
    forms: ['credentials add <name>', 'credentials list', 'credentials remove <name>'],
    parts: {
      'A new credential': [['stdin', '{"clientId":"…","clientSecret":"…"}; asked for at a terminal']],
      Settings: (['credentialsFile', 'credentialsKey', 'tokensFile', 'issuer'] as const).map(settingRow),
    },
  },
};

const EXIT_CODES = 'Exit codes: 0 done or passed, 1 failed, 2 wrong command line, 3 a speed budget is broken';

function written(parts: Readonly<Record<string, readonly HelpRow[]>>): string[] {
  const lines = (rows: readonly HelpRow[]) => rows.map(([left, words]) => `  ${left.padEnd(26)} ${words}`);
  return Object.entries(parts).flatMap(([heading, rows]) => ['', `${heading}:`, ...lines(rows)]);
}

/** The text of `--help`, about all commands or one of them; made from the declarations. */
export function usage(command: CommandName | 'all' = 'all'): string {
  if (command !== 'all') {
    const { forms, parts } = manuals[command];
    const usages = forms.map((form, index) => `${index === 0 ? 'Usage:' : '      '} web-analytics-mcp ${form}`);
    const [initial = '', ...rest] = commands[command];
    return [...usages, '', `${initial.toUpperCase()}${rest.join('')}.`, ...written(parts), '', EXIT_CODES].join('\n');
  }
  const rows = Object.entries(commands).map(([name, words]): HelpRow => [name, words]);
  const parts = { Commands: rows, [SETTINGS]: settingNames.map(settingRow), 'The emulated world (--demo, demo and emulator)': worldRows };
  const more = 'web-analytics-mcp <command> --help says more about a command.';
  return ['Usage: web-analytics-mcp [command] [flags]', ...written(parts), '', more, EXIT_CODES].join('\n');
}
