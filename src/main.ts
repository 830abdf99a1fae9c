#!/usr/bin/env node
import module from 'node:module';

// From Node 22.1 on compiled code is kept between starts; this has to come before the rest is loaded. The types are those of Node 20.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { run } = await import('./commands/run.ts');
await run(process.argv.slice(2));
