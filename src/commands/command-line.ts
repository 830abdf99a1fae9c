import { type ParseArgsConfig, parseArgs } from 'node:util';
import { suggestion } from '../lib/nearest.ts';
import { type Setting, typedKeys } from '../settings/setting.ts';
import { flagOf, isSwitch, SettingsError, settingDeclarations } from '../settings/settings.ts';
import { worldFlags } from './emulator.ts';

/** Commands by name; `serve` when none is named. */
export const commands = {
  serve: 'serve MCP over stdio, or with --http over Streamable HTTP (default)',
  demo: 'ask the embedded emulator a few questions through a real MCP client',
  emulator: 'run the emulated platform alone',
  doctor: 'check settings, optional parts, token, scopes and one call of each family',
  call: 'call one tool and print its answer; without a name, list the tools',
  report: 'write a report of a week or month for people: one HTML file, and Markdown',
  token: 'create, list or remove static tokens for callers of HTTP serving',
  credentials: 'add, list or remove platform credentials of callers of HTTP serving',
} as const;
/** Name of a command of the executable. */
export type CommandName = keyof typeof commands;

/** Those that take more words than their name. */
const WORDY: ReadonlySet<CommandName> = new Set<CommandName>(['call', 'token', 'credentials']);
/** Those that read no settings: they start an emulated world and nothing else. */
export const WITHOUT_SETTINGS: ReadonlySet<CommandName> = new Set<CommandName>(['demo', 'emulator']);

/** A flag that is no setting. */
interface OwnFlag {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  readonly words: string;
  /** The commands that read it; absent: all. */
  readonly of?: readonly CommandName[];
}

const inWorld = (flag: Omit<OwnFlag, 'of'>): OwnFlag => ({ ...flag, of: ['serve', 'demo', 'emulator', 'doctor', 'call', 'report'] });

/** Flags beside those of the settings. */
export const ownFlags = {
  help: { type: 'boolean', short: 'h', words: 'Shows this text' },
  version: { type: 'boolean', short: 'v', words: 'Shows the version' },
  format: { type: 'string', words: 'json (default), table, png for tools that draw, or junit for check_speed_budgets', of: ['call'] },
  json: { type: 'boolean', words: 'Prints all checks as one JSON object', of: ['doctor'] },
  last: { type: 'string', words: 'week (default), month, quarter, or a number of days such as 14: the last complete ones', of: ['report'] },
  out: { type: 'string', words: 'Folder for the two files (default: the current one)', of: ['report'] },
  scopes: { type: 'string', words: 'What the token allows: read (default), or read,write', of: ['token'] },
  'valid-days': { type: 'string', words: 'Days until it expires (default: until it is removed)', of: ['token'] },
  seed: inWorld(worldFlags.seed),
  clock: inWorld(worldFlags.clock),
  size: inWorld(worldFlags.size),
  fault: inWorld(worldFlags.fault),
} as const satisfies Record<string, OwnFlag>;

/** Subjects of `--help`. */
export type HelpTopic = CommandName | 'settings' | 'all';

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

/** A sentence about a flag that nothing has, with the one that was meant; secrets have none. */
function unknownFlag(rawName: string, known: readonly string[]): string {
  const settings: readonly Setting[] = Object.values(settingDeclarations);
  const variable = `WEB_ANALYTICS_${rawName.slice(2).toUpperCase().replaceAll('-', '_')}`;
  const secret = settings.find((setting) => setting.secret && setting.variable === variable);
  if (secret) return `${rawName} is no flag, because others could read it: set ${secret.variable} or ${secret.variable}_FILE`;
  const meant = suggestion(
    rawName,
    known.map((name) => `--${name}`),
    '--help lists the flags of a command, --help settings all others',
  );
  return `there is no flag ${rawName}; ${meant}`;
}

/** Reads flags and words; throws a `SettingsError` for a flag that does not exist, lacks its value or has one too many. */
function parse(args: readonly string[]) {
  const own = Object.entries(ownFlags).map(([name, { words: _, of: __, ...flag }]: [string, OwnFlag]) => [name, flag] as const);
  const options: Options = { ...settingOptions(), ...Object.fromEntries(own) };
  // Not strict, because its messages are about positional arguments and dashes.
  const { values, positionals, tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined) throw new SettingsError(unknownFlag(rawName, Object.keys(options)));
    if (type === 'boolean' && value !== undefined)
      throw new SettingsError(`${rawName} is a switch and takes no value; leave it out for no`);
    if (type === 'string' && (value === undefined || (!inlineValue && value.startsWith('-') && !/^-\d/.test(value))))
      throw new SettingsError(`${rawName} needs a value: ${rawName} <value>`);
  }
  return { values: values as Values, positionals }; // each value has been checked against the type of its option
}

/** Refuses a flag that the command does not read: it would have no effect. */
function requireOwn(command: CommandName, given: readonly string[]): void {
  const rest: Readonly<Record<string, OwnFlag>> = ownFlags;
  const isRead = (name: string) => {
    if (Object.hasOwn(rest, name)) return rest[name]?.of?.includes(command) ?? true;
    return !WITHOUT_SETTINGS.has(command) || name === 'demo' || (name === 'port' && command === 'emulator');
  };
  const idle = given.find((name) => !isRead(name));
  if (idle === undefined) return;
  const readers = rest[idle]?.of;
  const where = readers === undefined ? '' : ` (it is one of ${readers.join(', ')})`;
  throw new SettingsError(`--${idle} is no flag of ${command}${where}; ${command} --help lists those that it has`);
}

/** The command that the first word names. */
function commandOf(word: string): CommandName {
  if (isCommand(word)) return word;
  const isTool = /^[a-z]+(_[a-z]+)+$/.test(word);
  throw new SettingsError(
    isTool
      ? `no command "${word}"; a tool is called by call ${word} '{…}'`
      : `no command "${word}"; ${suggestion(word, Object.keys(commands))}`,
  );
}

function topicOf(word: string | undefined): HelpTopic {
  if (word === undefined) return 'all';
  return word === 'settings' ? word : commandOf(word);
}

/** Reads a command line; throws a `SettingsError` for an unknown command or flag. */
export function readCommandLine(args: readonly string[]) {
  const { values, positionals: words } = parse(args);
  // As many programs have it: "help report" for "report --help".
  const [asked, positionals] = words[0] === 'help' ? [true, words.slice(1)] : [values['help'] === true, words];
  const isVersion = values['version'] === true || words[0] === 'version';
  const help = asked ? topicOf(positionals[0]) : undefined;
  const [first = 'serve', ...rest] = help === 'settings' || isVersion ? [] : positionals;
  const command = commandOf(first);
  const [stray] = asked || WORDY.has(command) ? [] : rest;
  if (stray !== undefined)
    throw new SettingsError(`"${stray}" is not expected: ${command} takes only flags, and a switch such as --demo takes no value`);
  if (!asked && !isVersion) requireOwn(command, Object.keys(values));
  const { help: _, version: __, fault, ...texts } = values;
  const flags: Record<string, string | undefined> = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, String(value)]));
  return {
    command,
    positionals: rest,
    /** Texts by flag name; a switch is `true`. */
    flags,
    /** Of the emulated world, which `demo` hands on. */
    world: { seed: flags['seed'], clock: flags['clock'], size: flags['size'], ...(Array.isArray(fault) && { fault }) },
    /** The subject that help is wanted about; `all` where nothing is named. */
    help,
    version: isVersion,
  };
}
