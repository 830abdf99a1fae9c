import { setFlagsFromString } from 'node:v8';
import { ApiError } from '../api/errors.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { unknownVariables } from '../settings/unknown-variables.ts';
import { logOf, name, version } from './about.ts';
import { readCommandLine } from './command-line.ts';
import { emulator, readWorldOptions } from './emulator.ts';

/**
 * Lets V8 optimise code after four times as many calls. The only optimising compiler of Node 20 is costly: this takes a fifth off the
 * processor time of answers. Newer ones have a cheaper compiler in between, and a server of many callers is to be fast from its first
 * seconds on.
 */
function optimiseLate(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=270336');
}

async function dispatch(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args);
  if (line.help || line.version) {
    process.stdout.write(`${line.help ? await (await import('./help.ts')).help(line.help, line.positionals) : version}\n`);
    return 0;
  }
  const { command, positionals, flags } = line;
  const world = await readWorldOptions(line.world);
  if (command === 'emulator') return emulator(world, flags['port']);
  if (command === 'demo') return (await import('./demo/demo.ts')).demo(line.world);
  const settings = readSettings(process.env, flags);
  if (!settings.http) optimiseLate();
  // doctor says it among its checks.
  if (command !== 'doctor') for (const words of unknownVariables(process.env)) logOf(settings)('warn', words);
  if (command === 'doctor') return (await import('./doctor.ts')).doctor(settings, world, flags['json'] !== undefined);
  if (command === 'call') return (await import('./call.ts')).call(settings, world, positionals, flags['format']);
  if (command === 'report') return (await import('./report/report.ts')).report(settings, world, { last: flags['last'], out: flags['out'] });
  if (command === 'token')
    return (await import('./token.ts')).token(settings, positionals, { scopes: flags['scopes'], validDays: flags['valid-days'] });
  if (command === 'credentials') return (await import('./credentials.ts')).credentials(settings, positionals);
  return (await import('./serve.ts')).serve(settings, world);
}

/** A reader that has read enough (`doctor | head -3`) closes the pipe: the rest is not printed, and the command ends as it would have. */
function tolerateClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Runs the command line and sets the exit code of the process; what went wrong is one line on stderr. */
export async function run(args: readonly string[]): Promise<void> {
  process.stdout.on('error', tolerateClosedPipe);
  try {
    process.exitCode = await dispatch(args);
  } catch (error) {
    process.stderr.write(`${name}: ${failureText(error)}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 1;
  }
}

/** A failure of a file or an address of this machine, which names it: no room, no right, no such folder. */
function isOfFiles(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** A fault that a person can mend in its own words; any other failure with the place in the code. */
function failureText(error: unknown): string {
  if (error instanceof SettingsError || error instanceof ApiError || isOfFiles(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
