import { describe, expect, it } from 'vitest';
import { commands, readCommandLine, usage } from '../../src/commands/command-line.ts';
import { readWorldOptions } from '../../src/commands/world-options.ts';
import { flagOf, readSettings, type Setting, settingDeclarations } from '../../src/settings/settings.ts';

describe('a command line', () => {
  it('serves when it names nothing', () => {
    expect(readCommandLine([])).toEqual({
      command: 'serve',
      positionals: [],
      flags: {},
      world: {},
      port: undefined,
      token: {},
      help: false,
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
      '--port',
      '4000',
    ]);
    expect({ world, port }).toEqual({ world: { seed: '7', clock: '2026-01-01T00:00:00Z', fault: ['hang', 'reset'] }, port: '4000' });
  });

  it.each([
    [['start'], 'no command "start"; there are serve, demo, emulator, doctor, call, token, credentials'],
    [['--tool-sets', 'x'], "Unknown option '--tool-sets'"],
    [['--time-zone'], '--time-zone'],
    [['serve', 'now'], '"now" belongs to nothing; serve takes flags alone'],
    [['serve', '--raw-har', 'false'], '"false" belongs to nothing; serve takes flags alone, and a switch such as --demo no value'],
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
    [{ fault: ['flood'] }, '"flood" is no fault; there are '],
    [{ fault: ['hang:listAll'] }, '"listAll" is no operation'],
  ])('is refused: %j', async (flags, words) => {
    await expect(readWorldOptions(flags)).rejects.toThrow(words);
  });
});
