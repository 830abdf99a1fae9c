import { readFileSync, writeFileSync } from 'node:fs';
import { prompts } from '../../../src/prompts/index.ts';
import { resources } from '../../../src/resources/index.ts';
import { listTools } from '../../../src/tooling/schema.ts';
import { toolsets } from '../../../tools/index.ts';
import { readable } from '../../support/readable.ts';
import { contractOf } from './classify.ts';
import { offersOf } from './offers.ts';

// Run once with each release, after its version is set: from then on changes are held against it.
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const surface = { version, tools: listTools(toolsets).map(contractOf), ...offersOf(prompts, resources) };
writeFileSync('test/surface/contract/released.json', `${readable(surface)}\n`);
