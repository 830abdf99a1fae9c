import { describe, expect, it } from 'vitest';
import { commands, readCommandLine, usage } from '../../src/commands/command-line.ts';
import { readWorldOptions } from '../../src/commands/emulator.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { flagOf, readSettings, settingDeclarations } from '../../src/settings/settings.ts';

describe('a command line', () => {
  it('serves when it names nothing', () => {
    expect(readCommandLine([])).toEqual({
      command: 'serve',
      positionals: [],
      flags: {},
      world: {},
      port: undefined,
      token: {},
      report: {},
      json: false,
      help: undefined,
      version: false,
    });
  });

  it.each(Object.keys(commands))('names %s', (command) => {
    expect(readCommandLine([command, '--demo'])).toMatchObject({ command, flags: { demo: 'true' } });
  });

  it('takes flags in any place, and leaves the rest to the command', () => {
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

  it('shapes the emulated world', () => {
    const { world, port } = readCommandLine([
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
    expect({ world, port }).toEqual({
      world: { seed: '7', clock: '2026-01-01T00:00:00Z', size: 'big', fault: ['hang', 'reset'] },
      port: '4000',
    });
  });

  it.each([
    [['start'], 'no command "start"; there are serve, demo, emulator, doctor, call, report, token, credentials'],
    [['--tool-sets', 'x'], "Unknown option '--tool-sets'"],
    [['--time-zone'], '--time-zone'],
    [['serve', 'now'], '"now" is not expected: serve takes only flags'],
    [['serve', '--raw-har', 'false'], '"false" is not expected: serve takes only flags, and a switch such as --demo takes no value'],
    [['--client-secret', 'x'], "Unknown option '--client-secret'"],
  ])('that cannot be read is refused: %j', (args, words) => {
    expect(() => readCommandLine(args)).toThrow(words);
  });
});

describe('the help', () => {
  it('tells every command and every setting, secrets by their variable', () => {
    const text = usage();
    for (const command of Object.keys(commands)) expect(text).toMatch(new RegExp(`^  ${command} `, 'm'));
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
    const text = usage('token');
    expect(text).toMatch(/^Usage: web-analytics-mcp token create <name> .*\n {7}web-analytics-mcp token list\n/);
    expect(text).toContain('Create, list or remove static tokens for callers of HTTP serving.');
    for (const flag of ['--scopes', '--valid-days', '--tokens-file']) expect(text).toContain(`  ${flag} `);
    expect(text).not.toMatch(/--time-zone|--demo|--format|Commands:/);
    for (const command of Object.keys(commands) as (keyof typeof commands)[]) expect(usage(command)).toContain(` ${command}`);
  });
});

describe('the emulated world', () => {
  it('is seed 1 on the clock of the machine when nothing is said', async () => {
    expect(await readWorldOptions({})).toEqual({ seed: 1, faults: [] });
  });

  it('starts at the given instant, and goes on from there', async () => {
    const { clock } = await readWorldOptions({ clock: '2026-11-20T10:00:00Z' });
    expect((clock?.now() ?? 0) - Date.parse('2026-11-20T10:00:00Z')).toBeLessThan(1_000);
  });

  it.each([
    [{ seed: 'x' }, '--seed "x" is wrong: expected a whole number, such as 7'],
    [{ clock: 'noon' }, '--clock "noon" is wrong: expected an ISO date-time'],
    [{ fault: ['flood'] }, '"flood" is not a fault; expected one of '],
    [{ fault: ['hang:listAll'] }, '"listAll" is not an operation'],
  ])('is refused: %j', async (flags, words) => {
    await expect(readWorldOptions(flags)).rejects.toThrow(words);
  });
});
