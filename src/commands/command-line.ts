import { type ParseArgsConfig, parseArgs } from 'node:util';
import { flagOf, isSwitch, type SettingName, SettingsError, settingDeclarations } from '../settings/settings.ts';
import { worldFlags } from './world-options.ts';

/** Commands by name; `serve` when none is named. */
export const commands = {
  serve: 'serve MCP over stdio, or with --http over Streamable HTTP (default)',
  demo: 'ask the embedded emulator a few questions through a real MCP client',
  emulator: 'run the emulated platform alone',
  doctor: 'check settings, token, scopes and one call of each family',
  call: "call one tool: call <tool> '<json>'",
  token: 'make, list or remove static tokens that let callers of HTTP serving in',
  credentials: 'add, list or remove platform credentials of single callers of HTTP serving',
} as const;
export type CommandName = keyof typeof commands;

/** Those that take more words than their name. */
const WORDY: ReadonlySet<CommandName> = new Set<CommandName>(['call', 'token', 'credentials']);

/** What a command line asks for. */
export interface CommandLine {
  readonly command: CommandName;
  readonly positionals: readonly string[];
  /** Texts by flag name; a switch is `true`. */
  readonly flags: Record<string, string | undefined>;
  readonly world: { seed?: string; clock?: string; fault?: string[] };
  /** Of the emulator, which takes three more; that of HTTP serving is read with the settings. */
  readonly port: string | undefined;
  /** How `call` prints an answer. */
  readonly format: string | undefined;
  /** What `token create` makes. */
  readonly token: { readonly scopes: string | undefined; readonly validDays: string | undefined };
  readonly help: boolean;
  readonly version: boolean;
}

type Options = NonNullable<ParseArgsConfig['options']>;
type Values = Record<string, string | boolean | string[] | undefined>;

function settingOptions(): Options {
  const options: Options = {};
  for (const name of Object.keys(settingDeclarations) as SettingName[]) {
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
  const [stray] = WORDY.has(first) ? [] : rest;
  if (stray !== undefined)
    throw new SettingsError(`"${stray}" belongs to nothing; ${first} takes flags alone, and a switch such as --demo no value`);
  const { help, version, format, scopes, 'valid-days': validDays, seed, clock, fault, ...flags } = values as Values;
  const text = (value: string | boolean | string[] | undefined) => (value === undefined ? undefined : String(value));
  return {
    command: first,
    positionals: rest,
    flags: Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, text(value)])),
    world: {
      ...(seed !== undefined && { seed: String(seed) }),
      ...(clock !== undefined && { clock: String(clock) }),
      ...(Array.isArray(fault) && { fault }),
    },
    port: text(flags['port']),
    format: text(format),
    token: { scopes: text(scopes), validDays: text(validDays) },
    help: help === true,
    version: version === true,
  };
}

/** The text of `--help`, made from the declarations. */
export function usage(): string {
  const width = 26;
  const row = (left: string, right: string) => `  ${left.padEnd(width)} ${right}`;
  const settings = Object.values(settingDeclarations).map((setting) => {
    const flag = flagOf(setting);
    const fallback = 'default' in setting ? setting.default : 'otherwise' in setting ? setting.otherwise : undefined;
    return row(
      flag === undefined ? setting.variable : `--${flag}`,
      `${setting.words}${fallback === undefined ? '' : ` (default: ${fallback})`}`,
    );
  });
  return [
    'Usage: web-analytics-mcp [command] [flags]',
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, words]) => row(name, words)),
    '',
    'Settings (each flag has a variable, --time-zone is WEB_ANALYTICS_TIME_ZONE):',
    ...settings,
    '',
    'The emulated world (--demo and emulator):',
    ...Object.entries(worldFlags).map(([name, { words }]) => row(`--${name}`, words)),
    row('--port', 'Port of the command emulator; it uses the three after it too'),
    '',
    'call:',
    row('--format', 'json (default), table, or junit for check_speed_budgets'),
    '',
    'token create <name>, token list, token remove <name>:',
    row('--scopes', 'What the token allows: read (default), or read,write'),
    row('--valid-days', 'Days until it expires (default: until it is removed)'),
    '',
    'credentials add <name>, credentials list, credentials remove <name>:',
    row('stdin', 'The credential of add: {"clientId":"…","clientSecret":"…"}; asked for at a terminal'),
    '',
    'Exit codes: 0 done or passed, 1 failed, 2 wrong command line, 3 a speed budget is broken',
  ].join('\n');
}
