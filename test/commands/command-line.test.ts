import { describe, expect, it } from 'vitest';
import { type CommandName, commands, readCommandLine } from '../../src/commands/command-line.ts';
import { readWorldOptions } from '../../src/commands/emulator.ts';
import { examplesOf, help, usage } from '../../src/commands/help.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { flagOf, readSettings, settingDeclarations } from '../../src/settings/settings.ts';
import { unknownVariables } from '../../src/settings/unknown-variables.ts';

it('a command line serves when it names nothing', () => {
  expect(readCommandLine([])).toEqual({
    command: 'serve',
    positionals: [],
    flags: {},
    world: {},
    help: undefined,
    version: false,
  });
});

it('a command line takes flags in any place, and leaves the rest to the command', () => {
  const line = readCommandLine([
    '--time-zone',
    'Europe/Paris',
    'call',
    'list_goals',
    '{"projectId":1}',
    '--read-only',
    '--log-level=error',
  ]);
  expect(line).toMatchObject({ command: 'call', positionals: ['list_goals', '{"projectId":1}'] });
  expect(readSettings({}, line.flags)).toMatchObject({ timeZone: 'Europe/Paris', readOnly: true, logLevel: 'error' });
});

it('a command line shapes the emulated world', () => {
  const { world, flags } = readCommandLine([
    'emulator',
    '--seed',
    '7',
    '--clock',
    '2026-01-01T00:00:00Z',
    '--fault',
    'hang',
    '--fault',
    'reset',
    '--size',
    'big',
    '--port',
    '4000',
  ]);
  expect({ world, port: flags['port'] }).toEqual({
    world: { seed: '7', clock: '2026-01-01T00:00:00Z', size: 'big', fault: ['hang', 'reset'] },
    port: '4000',
  });
});

it.each([
  [['xyz'], 'no command "xyz"; there are serve, demo, emulator, doctor, call, report, token, credentials'],
  [['docter'], 'no command "docter"; did you mean doctor?'],
  [['help', 'tokn'], 'no command "tokn"; did you mean token?'],
  [['list_goals'], `no command "list_goals"; a tool is called by call list_goals '{…}'`],
  [['--tool-sets', 'x'], 'there is no flag --tool-sets; did you mean --toolsets?'],
  [['--no-demo'], 'there is no flag --no-demo; did you mean --demo?'],
  [['--dmeo'], 'there is no flag --dmeo; did you mean --demo?'],
  [['--startDate'], 'there is no flag --startDate; --help lists the flags of a command, --help settings all others'],
  [['-x'], 'there is no flag -x; --help lists the flags of a command, --help settings all others'],
  [['--time-zone'], '--time-zone needs a value: --time-zone <value>'],
  [['--time-zone', '--demo'], '--time-zone needs a value'],
  [['--demo=yes'], '--demo is a switch and takes no value; leave it out for no'],
  [['call', 'list_goals', '--last', 'week'], '--last is no flag of call (it is one of report); call --help lists those that it has'],
  [['demo', '--toolsets', 'core'], '--toolsets is no flag of demo; demo --help lists those that it has'],
  [['demo', '--port', '80'], '--port is no flag of demo'],
  [['token', 'list', '--seed', '7'], '--seed is no flag of token'],
  [['serve', 'now'], '"now" is not expected: serve takes only flags'],
  [['serve', '--raw-har', 'false'], '"false" is not expected: serve takes only flags, and a switch such as --demo takes no value'],
  [['--client-secret', 'x'], 'set WEB_ANALYTICS_CLIENT_SECRET or WEB_ANALYTICS_CLIENT_SECRET_FILE'],
])('a command line that cannot be read is refused: %j', (args, words) => {
  expect(() => readCommandLine(args)).toThrow(words);
});

describe('the help', () => {
  const names = Object.keys(commands) as CommandName[];

  it('tells every command, and how to learn more', () => {
    const text = usage();
    for (const command of names) expect(text).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(text).toContain('--help settings lists them');
  });

  it('about settings tells every one, secrets by their variable', () => {
    const text = usage('settings');
    for (const setting of Object.values<Setting>(settingDeclarations)) {
      const flag = flagOf(setting);
      expect(text).toContain(`  ${flag === undefined ? setting.variable : `--${flag}`} `);
      expect(text).toContain(setting.words);
    }
    expect(text).toContain('(default: UTC)');
  });

  it('after a command is about that command alone', () => {
    expect(readCommandLine(['token', '--help']).help).toBe('token');
    expect(readCommandLine(['token', 'create', '-h']).help).toBe('token');
    expect(readCommandLine(['--help']).help).toBe('all');
    expect(readCommandLine(['help']).help).toBe('all');
    expect(readCommandLine(['help', 'report']).help).toBe('report');
    expect(readCommandLine(['--help', 'settings']).help).toBe('settings');
    expect(readCommandLine(['version']).version).toBe(true);
    const text = usage('token');
    expect(text).toMatch(/^Usage: web-analytics-mcp token create <name> .*\n {7}web-analytics-mcp token list\n/);
    expect(text).toContain('Create, list or remove static tokens for callers of HTTP serving.');
    for (const flag of ['--scopes', '--valid-days', '--tokens-file']) expect(text).toContain(`  ${flag} `);
    expect(text).not.toMatch(/--demo|--format|Commands:/);
    for (const command of names) expect(usage(command)).toContain(` ${command}`);
  });

  it('of a tool tells its arguments, those of objects inside too', async () => {
    expect(readCommandLine(['call', 'measure_impact', '--help'])).toMatchObject({ help: 'call', positionals: ['measure_impact'] });
    const text = await help('call', ['measure_impact']);
    expect(text).toMatch(/^Usage: web-analytics-mcp call measure_impact '<arguments as JSON>' \[flags\]\n/);
    expect(text).toContain('\n  conditions           list of object: ');
    expect(text).toContain('\n  conditions[].what    slow_page | js_error | ');
    expect(text).toMatch(/\n {2}conditions\[\]\.what .*, required/);
    await expect(help('call', ['measure_impac'])).rejects.toThrow('did you mean measure_impact?');
  });

  it.each(Object.keys(commands) as CommandName[])('of %s is twenty lines, with three examples that can be read', async (command) => {
    const text = usage(command);
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
    for (const example of examplesOf(command)) {
      expect(text).toContain(`web-analytics-mcp ${example}\n`);
      const [words = ''] = example.split(' < ');
      const args = (words.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
      const line = readCommandLine(args);
      expect(line.command).toBe(command);
      await readWorldOptions(line.world);
      readSettings({}, line.flags);
    }
    expect(unknownVariables(Object.fromEntries((text.match(/WEB_ANALYTICS_[A-Z_]+/g) ?? []).map((name) => [name, ''])))).toEqual([]);
  });
});

it('the emulated world is seed 1 on the clock of the machine when nothing is said', async () => {
  expect(await readWorldOptions({})).toEqual({ seed: 1, faults: [] });
});

it('the emulated world starts at the given instant, and goes on from there', async () => {
  const { clock } = await readWorldOptions({ clock: '2026-11-20T10:00:00Z' });
  expect((clock?.now() ?? 0) - Date.parse('2026-11-20T10:00:00Z')).toBeLessThan(1_000);
});

it.each([
  [{ seed: 'x' }, '--seed "x" is wrong: expected a whole number, such as 7'],
  [{ clock: 'noon' }, '--clock "noon" is wrong: expected an ISO date-time'],
  [{ fault: ['flood'] }, '"flood" is not a fault; expected one of '],
  [{ fault: ['hang:listAll'] }, '"listAll" is not an operation'],
])('the emulated world is refused: %j', async (flags, words) => {
  await expect(readWorldOptions(flags)).rejects.toThrow(words);
});
