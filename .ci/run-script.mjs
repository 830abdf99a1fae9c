// Runs a TypeScript file of the project: node .ci/run-script.mjs src/generate.ts --check
import process from 'node:process';
import { buildScript } from './build.mjs';

const [entry, ...rest] = process.argv.slice(2);
process.argv = [process.argv[0] ?? 'node', entry ?? '', ...rest];
await import(await buildScript(entry ?? ''));
