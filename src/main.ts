#!/usr/bin/env node
import module from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Both have to come before the rest is loaded. */
function prepareEngine(): void {
  // From Node 22.1 on compiled code is kept between starts. The types are those of Node 20.
  const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
  if (enableCompileCache) enableCompileCache();
  // Node 20 has one optimising compiler, and a costly one: called a quarter as often it takes a fifth off the processor time of answers.
  // A server of many callers is left to be fast from its first seconds on.
  else if (!process.argv.includes('--http')) setFlagsFromString('--interrupt-budget=270336');
}

prepareEngine();
const { run } = await import('./commands/run.ts');
await run(process.argv.slice(2));
