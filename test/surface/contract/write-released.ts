import { readFileSync, writeFileSync } from 'node:fs';
import { listTools } from '../../../src/tooling/schema.ts';
import { toolsets } from '../../../tools/index.ts';
import { readable } from '../../support/readable.ts';
import { contractOf } from './classify.ts';

// Run once with each release, after its version is set: from then on changes are held against it.
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
writeFileSync('test/surface/contract/released.json', `${readable({ version, tools: listTools(toolsets).map(contractOf) })}\n`);
