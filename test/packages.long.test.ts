import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { makeBundle, systems } from '../.ci/bundle.mjs';
import { releaseNotes } from '../.ci/release-notes.mjs';
import about from '../package.json' with { type: 'json' };
import { markdownTable } from '../src/lib/text-table.ts';
import { prompts } from '../src/prompts/index.ts';
import type { Setting } from '../src/settings/setting.ts';
import { settingDeclarations } from '../src/settings/settings.ts';
import { START } from './support/emulator.ts';
import { temporaryFolder } from './support/folder.ts';
import { filesBelow, textOf } from './support/sources.ts';
import { freshBundle } from './support/stdio.ts';

const run = promisify(execFile);
const json = (path: string): unknown => JSON.parse(textOf(path));
const isWindows = process.platform === 'win32';

beforeAll(freshBundle);

/** Code, and dates of holidays that ask to be named: the notices and docs/licences.md name them. */
const HOLIDAYS = '(ISC AND CC-BY-3.0)';

/** Licences that allow every use and ask for their text; MPL-2.0 asks besides for the source of changed files, of which there are none. */
const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'MPL-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  HOLIDAYS,
]);

/** The page of the documents that lists what the package is made of. */
function licencesPage(rows: readonly (readonly string[])[]): string {
  return `# Licences

The product itself is under the [MIT licence](../LICENSE). The package holds code of these, with their texts in \
\`licenses.txt\` and their versions in \`sbom.spdx.json\` beside the executable. \
The font of pictures, DejaVu Sans, has its licence beside it.

${markdownTable(['Package', 'Licence', 'How it comes'], rows)}

[Documents](README.md)
`;
}

it('the package holds the product and no source, in at most 8 MB', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run(isWindows ? 'npm.cmd' : 'npm', args, { shell: isWindows });
  const [packed] = z
    .array(z.object({ unpackedSize: z.number(), files: z.array(z.object({ path: z.string() })) }))
    .parse(JSON.parse(stdout));
  const paths = packed?.files.map(({ path }) => path) ?? [];
  const needed = [
    'dist/main.js',
    'dist/sql-process.js',
    'dist/views/chart.html',
    'dist/views/overview.html',
    'dist/views/view.js',
    'dist/fonts/DejaVuSans.ttf',
    'dist/licenses.txt',
    'LICENSE',
  ];
  expect(paths).toEqual(expect.arrayContaining(needed));
  expect(paths.filter((path) => !/^(dist\/|package\.json$|server\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(path))).toEqual([]);
  expect(packed?.unpackedSize).toBeLessThan(8e6);
});

it('the package builds before it is packed, from a clone that has nothing yet', () => {
  expect(about.scripts.prepack).toBe('node .ci/setup.mjs');
});

it('the package brings the licences of all that it holds', () => {
  const notices = readFileSync('dist/licenses.txt', 'utf8');
  for (const name of ['zod', 'undici', '@keyv/redis', '@opentelemetry/api', 'echarts', '@modelcontextprotocol/server'])
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+`, 'm'));
  const sbom = z
    .object({ packages: z.array(z.object({ name: z.string() })) })
    .parse(JSON.parse(readFileSync('dist/sbom.spdx.json', 'utf8')));
  const held = sbom.packages.map(({ name }) => name);
  expect(held).toContain('undici');
  expect(held.filter((name) => /^(vitest|esbuild|@biomejs|playwright)/.test(name))).toEqual([]);
});

it('the package holds packages under licences that ask for no more than to be named, as docs/licences.md lists them', async () => {
  const shape = z.object({ packages: z.array(z.object({ name: z.string(), versionInfo: z.string(), licenseDeclared: z.string() })) });
  const { packages } = shape.parse(json('dist/sbom.spdx.json'));
  const held = packages.filter(({ name }) => name !== about.name);
  const native = Object.keys(about.optionalDependencies).map((name) => {
    const { license } = z.object({ license: z.string() }).parse(json(`node_modules/${name}/package.json`));
    return { name, licenseDeclared: license, how: 'optional, installed beside it' };
  });
  const all = [...held.map((each) => ({ ...each, how: 'bundled' })), ...native];
  const unknown = all.filter(({ licenseDeclared }) => !PERMISSIVE.has(licenseDeclared));
  expect(unknown).toEqual([]);
  const rows = [...new Map(all.map((each) => [`${each.name} ${each.how}`, each])).values()].map(({ name, licenseDeclared, how }) => [
    name,
    licenseDeclared,
    how,
  ]);
  await expect(licencesPage(rows)).toMatchFileSnapshot('../docs/licences.md');
});

it('the package has release notes for its version, and for no other', () => {
  expect(releaseNotes(`v${about.version}`, about.version, textOf('CHANGELOG.md'))).toMatch(/^### Added\n\n- /);
  expect(() => releaseNotes('v99.0.0', about.version, textOf('CHANGELOG.md'))).toThrow('The tag is v99.0.0');
  expect(() => releaseNotes('v1.2.3', '1.2.3', '## 1.2.30\n\n- x')).toThrow('no section "## 1.2.3"');
});

const manifestShape = z.object({
  name: z.string(),
  version: z.string(),
  icon: z.string(),
  tools: z.array(z.object({ name: z.string() })),
  server: z.object({ mcp_config: z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }) }),
  user_config: z.record(z.string(), z.object({ sensitive: z.boolean().optional() })),
  compatibility: z.object({ platforms: z.array(z.string()) }),
});

/** Secrets that a form asks for. */
const secrets = Object.values<Setting>(settingDeclarations).flatMap(({ secret, form, variable }) => (secret && form ? [variable] : []));

const system = `${process.platform}-${process.arch}`;

it('the bundle of this system unpacked elsewhere and started by its manifest, lists its tools, draws a chart and answers SQL', {
  tags: 'nightly',
}, async () => {
  expect(systems).toContain(system);
  const folder = join(temporaryFolder(), 'unpacked elsewhere');
  mkdirSync(folder);
  await run(process.execPath, [resolve('node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), 'unpack', resolve(makeBundle(system)), folder]);
  const manifest = manifestShape.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  expect([manifest.version, manifest.compatibility.platforms]).toEqual([about.version, [process.platform]]);
  expect(readFileSync(join(folder, manifest.icon)).subarray(1, 4).toString()).toBe('PNG');

  // A field that a person leaves empty reaches the server as it stands in the manifest.
  const { command, args, env } = manifest.server.mcp_config;
  const given = { ...env, WEB_ANALYTICS_DEMO: 'true', PATH: process.env['PATH'] ?? '' };
  const inPlace = args.map((arg) => arg.replace('${__dirname}', folder));
  const client = new Client({ name: 'host', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({ command, args: [...inPlace, '--clock', START], env: given, cwd: folder, stderr: 'ignore' }),
  );
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));

  const call = (name: string, given2: Record<string, unknown>) => client.callTool({ name, arguments: given2 });
  const charted = await call('query_metrics', {
    metrics: ['visits'],
    startDate: '-7d',
    endDate: 'yesterday',
    breakdown: ['day'],
    chart: true,
  });
  expect(charted.content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }));
  await call('sync_exports', { jobIds: ['Daily sessions'], since: '-2d' });
  const answer = await call('query_export', { jobId: 'Daily sessions', sql: 'SELECT count(*) AS sessions FROM data' });
  expect(answer.structuredContent).toMatchObject({ rows: [[expect.any(Number)]] });
});

it('the bundle of this system keeps secrets as such: the form hides what a setting calls secret', () => {
  const { user_config: fields } = manifestShape.parse(json('manifest.json'));
  const hidden = Object.entries(fields).flatMap(([name, { sensitive }]) => (sensitive ? [`WEB_ANALYTICS_${name.toUpperCase()}`] : []));
  expect(hidden).toEqual(secrets);
});

const entryShape = z.object({
  name: z.string(),
  description: z.string().max(100),
  version: z.string(),
  packages: z.array(
    z.object({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string(),
      environmentVariables: z.array(z.object({ name: z.string(), isSecret: z.boolean().optional() })),
    }),
  ),
  remotes: z.array(
    z.object({ type: z.literal('streamable-http'), url: z.string(), headers: z.array(z.object({ isSecret: z.literal(true) })) }),
  ),
});

it('the entry of the registry is of this package and version, within the limits of the registry, and marks secrets', () => {
  const { name, version, packages, remotes } = entryShape.parse(json('server.json'));
  expect([name, version]).toEqual([about.mcpName, about.version]);
  expect(packages).toHaveLength(1);
  expect(packages[0]).toMatchObject({ identifier: about.name, version: about.version });
  expect(packages[0]?.environmentVariables.flatMap((each) => (each.isSecret ? [each.name] : []))).toEqual(secrets);
  expect(remotes).toHaveLength(1);
});

describe('the plugin and the extension', () => {
  it('start the published package, carry its version, and ask for the demo or a credential, in that order', () => {
    const server = { command: 'npx', args: ['-y', about.name] };
    for (const file of ['.claude-plugin/plugin.json', 'gemini-extension.json'])
      expect(json(file)).toMatchObject({ name: about.name, version: about.version, mcpServers: { 'web-analytics': server } });
    const demo = {
      userConfig: { demo: { default: false } },
      mcpServers: { 'web-analytics': { env: { WEB_ANALYTICS_DEMO: '${user_config.demo}' } } },
    };
    expect(json('.claude-plugin/plugin.json')).toMatchObject(demo);
    const asked = 'DEMO AUTH_URL CLIENT_ID CLIENT_SECRET TIME_ZONE'.split(' ').map((name) => ({ envVar: `WEB_ANALYTICS_${name}` }));
    expect(json('gemini-extension.json')).toMatchObject({ settings: asked });
    expect(json('.claude-plugin/marketplace.json')).toMatchObject({ plugins: [{ name: about.name, version: about.version }] });
  });

  it('bring three skills, each a prompt of the server', () => {
    const skills = filesBelow('.claude-plugin').filter((path) => path.endsWith('SKILL.md'));
    expect(skills).toHaveLength(3);
    for (const path of skills) {
      const text = textOf(path);
      expect(text).toMatch(/^---\nname: [a-z-]+\ndescription: ".{20,}"\n---\n/);
      expect(prompts.some(({ title }) => text.includes(`# ${title}\n`))).toBe(true);
      expect(text).not.toMatch(/undefined|\[object/);
    }
  });
});
