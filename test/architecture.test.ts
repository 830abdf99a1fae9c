import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { filesBelow, textOf } from './support/sources.ts';

/** The layers from the ground up; each may import those of the line before it and what they may import. A part may also import itself. */
const LAYERS: readonly (readonly string[])[] = [
  ['lib'],
  ['api', 'sign-in'],
  ['statistics'],
  ['findings'],
  ['names', 'telemetry', 'settings', 'replicas', 'emulator'],
  ['har'],
  ['speed'],
  ['metrics'],
  ['exports'],
  ['journeys'],
  ['views'],
  ['tooling'],
  ['resources'],
  ['prompts', 'tools'],
  ['protocol'],
  ['roots'],
];

/** Parts that stand aside: who alone may import them, beside the roots. */
const ASIDE: Readonly<Record<string, readonly string[]>> = {
  emulator: [],
  replicas: [],
  settings: [],
  'sign-in': ['settings', 'protocol'],
  telemetry: ['tooling', 'protocol'],
  tools: [],
  prompts: [],
};

/** Whether the table of layers lets one part import another. */
function mayImport(importer: string, imported: string): boolean {
  if (imported === 'package.json') return importer === 'roots';
  const layerOf = (part: string) => LAYERS.findIndex((parts) => parts.includes(part));
  const isBelow = layerOf(imported) !== -1 && layerOf(imported) < layerOf(importer);
  return isBelow && (importer === 'roots' || (ASIDE[imported]?.includes(importer) ?? true));
}

/** Where each package may be imported: folders, or single files. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/server': ['src/protocol/'],
  '@modelcontextprotocol/node': ['src/protocol/http/'],
  '@modelcontextprotocol/client': ['src/commands/', 'src/generate/'],
  '@hono/node-server': ['src/emulator/'],
  hono: ['src/emulator/'],
  undici: ['src/api/http.ts', 'src/api/connections.ts'],
  keyv: ['src/api/tokens.ts'],
  '@keyv/redis': ['src/replicas/redis.ts'],
  'lru-cache': [
    'src/api/read-cache.ts',
    'src/api/tokens.ts',
    'src/emulator/',
    'src/lib/calendar.ts',
    'src/statistics/kept-fits.ts',
    'src/tooling/call-errors.ts',
    'src/tooling/confirmation.ts',
    'src/tooling/session.ts',
  ],
  '@clickhouse/client': ['src/exports/warehouse/connection.ts'],
  jose: ['src/sign-in/'],
  'prom-client': ['src/telemetry/'],
  '@opentelemetry/api': ['src/telemetry/opentelemetry.ts'],
  '@opentelemetry/resources': ['src/telemetry/opentelemetry.ts'],
  '@opentelemetry/sdk-trace-base': ['src/telemetry/opentelemetry.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/telemetry/opentelemetry.ts'],
  'lossless-json': ['src/api/'],
  'p-limit': [
    'src/lib/concurrency.ts',
    'src/tooling/name-lists.ts',
    'src/exports/find-export-gaps.ts',
    'src/exports/find-export-gaps.ts',
    'src/exports/',
  ],
  'fuse.js': ['src/names/'],
  tldts: ['src/har/'],
  'date-holidays': ['src/metrics/calendar/'],
  'simple-statistics': ['src/har/', 'src/metrics/', 'src/speed/', 'src/statistics/'],
  'third-party-web': ['src/har/'],
  echarts: ['src/views/'],
  '@resvg/resvg-js': ['src/views/'],
  '@duckdb/node-api': ['src/exports/query/', 'src/exports/convert/', 'src/exports/sql-worker.ts'],
  'temporal-polyfill': ['src/lib/'],
  zod: ['src/', 'tools/'],
};
/** Those that no bundle can hold. */
const NATIVE = ['@duckdb/node-api', '@resvg/resvg-js'];
/** Packages of types, which leave nothing in the product. */
const TYPES: typeof PACKAGES = { 'har-format': ['src/har/', 'src/emulator/world/speed/'] };

/** The layers as CONTRIBUTING shows them, from the ground up: the name of each part, and who alone imports it. */
function layersInPicture(): { name: string; onlyFrom?: string[] }[][] {
  const picture = /<!-- layers:.*-->\n\n```\n([^`]+)\n```/.exec(textOf('CONTRIBUTING.md'))?.[1] ?? '';
  const layers = picture.split('\n\n').map((layer) =>
    layer.split('\n').map((row) => {
      const [words = '', importers] = row.split('←');
      return { name: words.split(' ')[0] ?? '', ...(importers !== undefined && { onlyFrom: importers.trim().split(', ') }) };
    }),
  );
  return layers.toReversed();
}

/** Modules of Node that reach beyond the process; pure parts import none of them. */
const REACHING = /^node:(fs|fs\/promises|http|https|http2|net|tls|dns|dgram|child_process|worker_threads|cluster)$/;

interface Import {
  readonly from: string;
  /** Path of a file of the project, or the name of a package or built-in module. */
  readonly to: string;
  /** Whether it is loaded together with the file; not so types, nor what `import()` names. */
  readonly isEager: boolean;
}

const files = filesBelow('src', 'tools').filter((path) => path.endsWith('.ts'));
const imports = files.flatMap((from) => importsOf(from, textOf(from)));
const inner = imports.filter(({ to }) => isOfProject(to));
/** Files of subjects that ask the platform or take the context of a question. */
const asking = new Set(
  inner
    .filter(
      ({ from, to }) => /^src\/(har|speed|metrics|exports|journeys)\//.test(from) && /^src\/(names\/context|api\/client)\.ts$/.test(to),
    )
    .map(({ from }) => from),
);
const outer = imports.filter(({ to }) => !isOfProject(to));

/** All that `import`, `export … from` and `import(…)` name. */
function importsOf(from: string, text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...statements].map(([statement, named, bare, dynamic]) => ({
    from,
    to: targetOf(from, named ?? bare ?? dynamic ?? ''),
    isEager: dynamic === undefined && !/^(?:import|export) type\b/.test(statement),
  }));
}

function targetOf(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return decodeURIComponent(new URL(specifier, `file:///${from}`).pathname).slice(1);
}

function isOfProject(path: string): boolean {
  return path.startsWith('src/') || path.startsWith('tools/') || path === 'package.json';
}

/** The part that a file belongs to: its folder, `roots` for what is started, its name for a file that stands alone in `src`. */
function partOf(path: string): string {
  if (/^src\/(main\.ts$|generate(\.ts$|\/)|commands\/)/.test(path)) return 'roots';
  const [first = '', second = ''] = path.split('/');
  return first === 'src' ? second.replace(/\.ts$/, '') : first;
}

/** Chains of imports that come back to where they began. */
function cyclesIn(edges: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[][] = [];
  function visit(file: string, chain: readonly string[]): void {
    if (chain.includes(file)) found.push([...chain.slice(chain.indexOf(file)), file]);
    if (chain.includes(file) || done.has(file)) return;
    for (const imported of next.get(file) ?? []) visit(imported, [...chain, file]);
    done.add(file);
  }
  for (const file of next.keys()) visit(file, []);
  return found;
}

/** The folders of a part, beside each other, that an import leads between; undefined where a file of their parent takes part. */
function folderEdge({ from, to }: Pick<Import, 'from' | 'to'>): { from: string; to: string } | undefined {
  const [here, there] = [from.split('/'), to.split('/')];
  const apart = here.findIndex((name, at) => name !== there[at]);
  if (apart < 2 || apart >= here.length - 1 || apart >= there.length - 1) return undefined;
  return { from: here.slice(0, apart + 1).join('/'), to: there.slice(0, apart + 1).join('/') };
}

describe('imports', () => {
  it('are all read: each names a file that exists', () => {
    expect(inner.length).toBeGreaterThan(300);
    expect(inner.filter(({ to }) => !existsSync(new URL(`../${to}`, import.meta.url)))).toEqual([]);
    const sample =
      "import a from 'a';\nimport {\n  b,\n} from './b.ts';\nimport 'c';\nexport type { D } from '../d.ts';\nconst e = await import('e');";
    const read = importsOf('src/x/y.ts', sample);
    expect(read.map(({ to }) => to)).toEqual(['a', 'src/x/b.ts', 'c', 'src/d.ts', 'e']);
    expect(read.map(({ isEager }) => isEager)).toEqual([true, true, true, false, false]);
  });

  it('go only where the table allows', () => {
    const wrong = inner.filter(({ from, to }) => {
      const [importer, imported] = [partOf(from), partOf(to)];
      return importer !== imported && !mayImport(importer, imported);
    });
    expect(wrong).toEqual([]);
  });

  it('are drawn in CONTRIBUTING as the table has them', () => {
    const expected = LAYERS.map((parts) =>
      parts.map((name) => ({ name, ...(ASIDE[name] && { onlyFrom: ['roots', ...ASIDE[name]].toSorted() }) })),
    );
    const byName = (parts: { name: string }[]) => parts.toSorted((a, b) => a.name.localeCompare(b.name));
    const drawn = layersInPicture().map((parts) =>
      parts.map(({ name, onlyFrom }) => ({ name, ...(onlyFrom && { onlyFrom: onlyFrom.toSorted() }) })),
    );
    expect(drawn.map(byName)).toEqual(expected.map(byName));
  });

  it('of a start over stdio are those it needs: of packages the SDK, zod and lru-cache, no schema of a tool, nothing that asks', () => {
    const loaded = new Set(['src/main.ts', 'src/commands/run.ts', 'src/commands/serve.ts']);
    for (const file of loaded) for (const { from, to, isEager } of imports) if (from === file && isEager) loaded.add(to);
    const packages = outer.filter(({ to }) => loaded.has(to) && !to.startsWith('node:')).map(({ to }) => to);
    expect([...new Set(packages)].toSorted()).toEqual([
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/stdio',
      'lru-cache',
      'zod',
    ]);
    expect(
      [...loaded].filter(
        (path) => asking.has(path) || /^(src\/(views|emulator|replicas)\/|tools\/(?!loaders)|src\/tooling\/(schema|params))/.test(path),
      ),
    ).toEqual([]);
  });

  it('of what asks the platform or takes its context are made, in a subject, by what does so too', () => {
    const ofSubjects = inner.filter(({ from, isEager }) => /^src\/(har|speed|metrics)\//.test(from) && isEager);
    expect(ofSubjects.length).toBeGreaterThan(300);
    expect(ofSubjects.filter(({ from, to }) => asking.has(to) && !asking.has(from))).toEqual([]);
  });

  it('of tools are none of another tool or toolset', () => {
    expect(
      inner.filter(({ from, to }) => to.startsWith('tools/') && from.startsWith('tools/') && !/(index|loaders)\.ts$/.test(from)),
    ).toEqual([]);
  });

  it('form no cycle, types included', () => {
    expect(cyclesIn(inner)).toEqual([]);
    const sample = ['ab', 'bc', 'cb'].map(([from = '', to = '']) => ({ from, to }));
    expect(cyclesIn(sample)).toEqual([['b', 'c', 'b']]);
  });

  it('form no cycle of folders that stand beside each other', () => {
    expect(cyclesIn(inner.flatMap((edge) => folderEdge(edge) ?? []))).toEqual([]);
    expect(folderEdge({ from: 'src/a/b/c.ts', to: 'src/a/d/e/f.ts' })).toEqual({ from: 'src/a/b', to: 'src/a/d' });
    expect(folderEdge({ from: 'src/a/b/c.ts', to: 'src/a/d.ts' })).toBeUndefined();
  });
});

describe('packages', () => {
  /** `@scope/name` or `name`, without the path inside the package. */
  const packageOf = (specifier: string) =>
    specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
  const isBuiltin = (specifier: string) => builtinModules.includes(specifier.replace(/^node:/, ''));

  it('are imported only where their place is', () => {
    const wrong = outer.filter(
      ({ from, to }) => !isBuiltin(to) && !{ ...PACKAGES, ...TYPES }[packageOf(to)]?.some((place) => from.startsWith(place)),
    );
    expect(wrong).toEqual([]);
  });

  it('are none that an installation brings along, but native ones: everything else is bundled', () => {
    expect(about).not.toHaveProperty('dependencies');
    expect(about).not.toHaveProperty('peerDependencies');
    expect(Object.keys(about.optionalDependencies)).toEqual(NATIVE);
    expect(NATIVE.filter((name) => !PACKAGES[name])).toEqual([]);
  });

  it('that have a place are known to the lock file', () => {
    expect(Object.keys({ ...about.devDependencies, ...about.optionalDependencies })).toEqual(expect.arrayContaining(Object.keys(PACKAGES)));
  });

  it('of Node are named as such, and pure parts reach for nothing outside the process', () => {
    expect(outer.filter(({ to }) => isBuiltin(to) && !to.startsWith('node:'))).toEqual([]);
    const pure = outer.filter(({ from }) =>
      /^(src\/(lib|statistics|findings|names|har|speed|metrics|journeys|resources|prompts)|tools)\//.test(from),
    );
    expect(pure.filter(({ to }) => REACHING.test(to))).toEqual([]);
  });
});

it('lets only roots read the environment, proxies aside', () => {
  const readers = files.filter((path) => /\bprocess\.env\b/.test(textOf(path)));
  expect(readers.filter((path) => partOf(path) !== 'roots')).toEqual(['src/api/connections.ts']);
});
