import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toolsets } from '../tools/index.ts';
import {
  bundleManifest,
  claudeMarketplace,
  claudePlugin,
  claudeSkills,
  geminiExtension,
  hostConfiguration,
  registryEntry,
} from './generate/packages.ts';
import { documents } from './generate/tables.ts';

/** The type that lets any layer name a tool: the layers below the tools cannot import them. */
function toolNameType(): string {
  const names = toolsets.flatMap(({ tools }) => tools.map(({ name }) => name));
  return [
    '// Written by npm run generate.',
    '',
    '/** The names of all tools. */',
    'export type ToolName =',
    ...names.map((name, at) => `  | '${name}'${at === names.length - 1 ? ';' : ''}`),
    '',
  ].join('\n');
}

const asJson = (make: () => object) => () => `${JSON.stringify(make(), null, 2)}\n`;

/** Derived files: how each is made from what it holds now. */
const files: Readonly<Record<string, (current: string) => string | Promise<string>>> = {
  'src/lib/tool-name.ts': toolNameType,
  ...documents,
  'manifest.json': asJson(bundleManifest),
  'server.json': asJson(registryEntry),
  'gemini-extension.json': asJson(geminiExtension),
  '.claude-plugin/plugin.json': asJson(claudePlugin),
  '.claude-plugin/marketplace.json': asJson(claudeMarketplace),
  'docs/examples/mcp.json': asJson(hostConfiguration),
  ...Object.fromEntries(Object.entries(claudeSkills()).map(([path, text]) => [path, () => text])),
};

function current(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const onlyCheck = process.argv.includes('--check');
for (const [file, make] of Object.entries(files)) {
  const [before, made] = [current(file), await make(current(file))];
  if (before === made) continue;
  if (onlyCheck) {
    process.stderr.write(`${file} is out of date; npm run generate writes it\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, made);
  }
}
