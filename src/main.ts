#!/usr/bin/env node
import { name, version } from './commands/about.ts';
import { readCommandLine, usage } from './commands/command-line.ts';
import { readWorldOptions } from './commands/world-options.ts';
import { readSettings, SettingsError } from './settings/settings.ts';

async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args);
  if (line.help || line.version) {
    process.stdout.write(`${line.help ? usage(line.help) : version}\n`);
    return 0;
  }
  const world = await readWorldOptions(line.world);
  if (line.command === 'emulator') return (await import('./commands/emulator.ts')).emulator(world, line.port);
  if (line.command === 'demo') return (await import('./commands/demo/demo.ts')).demo(line.world);
  const settings = readSettings(process.env, line.flags);
  if (line.command === 'doctor') return (await import('./commands/doctor.ts')).doctor(settings, world, line.json);
  if (line.command === 'call') return (await import('./commands/call.ts')).call(settings, world, line.positionals, line.format);
  if (line.command === 'token') return (await import('./commands/token.ts')).token(settings, line.positionals, line.token);
  if (line.command === 'credentials') return (await import('./commands/credentials.ts')).credentials(settings, line.positionals);
  return (await import('./commands/serve.ts')).serve(settings, world);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const words = error instanceof SettingsError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${name}: ${words}\n`);
  process.exitCode = error instanceof SettingsError ? 2 : 1;
}
