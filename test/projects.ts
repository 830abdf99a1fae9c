import { basename, dirname, join } from 'node:path/posix';
import { filesBelow, textOf } from './support/sources.ts';

/** What a test file needs decides its project; so no list has to be kept. */
const PLATFORM = ['src/emulator/start-emulator.ts', 'test/support/stdio.ts', 'node:child_process', 'node:http', '@duckdb/node-api'];
/** Engines that a bare machine lacks; .ci/run installs them. */
const ENGINES = ['test/support/redis.ts', 'test/support/clickhouse/start.ts', 'test/views/browser.ts', 'test/conformance/suite.ts'];
/** Files that draw, kill or judge many, of which `npm run full` takes the full number. */
const SAMPLES = 'test/support/sample-size.ts';
/** In the text of a file some of whose tests `npm run full` alone takes. */
const NIGHTLY = /tags: 'nightly'|@module-tag nightly/;

/** What starts vitest. */
const CONFIGURATION = ['test/vitest.config.ts', 'test/projects.ts', 'test/support/typescript.mjs'];
/** Files that vitest loads with every test, beside its configuration. */
export const SETUP_FILES = ['test/support/property-seed.ts', 'test/support/check-places.ts'];
/** What a test that reads files loads: it may read any of them. */
const READS_FILES = ['node:fs', 'node:fs/promises'];

/** Modules whose code a file loads, resolved where they are files of the project; types are none. */
function importsOf(path: string): string[] {
  const statements = /^(?:import|export)(?! type)(?:[^;']*? from)? '([^']+)';|\bimport\('(\.[^']+)'\)/gm;
  const specifiers = [...textOf(path).matchAll(statements)].map(([, named, loaded]) => named ?? loaded ?? '');
  return specifiers.map((specifier) => (specifier.startsWith('.') ? join(dirname(path), specifier) : specifier));
}

/** Everything that a file reaches through imports, itself included. */
function createReach() {
  const known = new Map<string, readonly string[]>();
  const direct = (path: string): readonly string[] => {
    if (!path.endsWith('.ts')) return [];
    const imports = known.get(path) ?? importsOf(path);
    known.set(path, imports);
    return imports;
  };
  return (path: string): Set<string> => {
    const reached = new Set([path]);
    for (const each of reached) for (const next of direct(each)) reached.add(next);
    return reached;
  };
}

interface TestFile {
  readonly path: string;
  /** Everything that it loads. */
  readonly reach: ReadonlySet<string>;
}

/**
 * Whether a change of these files can change how a test ends: it reaches one of them, may read one, or depends on one as all tests do.
 * Types alone cannot: the compiler checks them.
 */
function affectedBy(changed: readonly string[], reachOf: (path: string) => ReadonlySet<string>): (test: TestFile) => boolean {
  const ofAll = new Set([...CONFIGURATION, ...SETUP_FILES.flatMap((path) => [...reachOf(path)])]);
  const isOfAll = (path: string) => ofAll.has(path) || !/^(?:src|tools|test|docs)\/|\.md$/.test(path);
  if (changed.some(isOfAll)) return () => true;
  const snapshotOf = (path: string) => join(dirname(path), '__snapshots__', `${basename(path)}.snap`);
  return ({ path, reach }) =>
    changed.some((each) => reach.has(each) || each === snapshotOf(path)) || READS_FILES.some((each) => reach.has(each));
}

const reachOf = createReach();
const files: readonly TestFile[] = filesBelow('test')
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path, reach: reachOf(path) }));

/**
 * The test files by project. `unit`: pure code, with `changed` only those that a change of these files affects; `product`: the platform,
 * processes or SQL; `long`: what needs an engine that .ci/run installs, and what is called `.long.test.ts`; `full`: what takes samples, in
 * their full size, and what has nightly tests.
 */
export function projects(changed?: readonly string[]): { unit: string[]; product: string[]; long: string[]; full: string[] } {
  const needs = (reach: ReadonlySet<string>, modules: readonly string[]) => modules.some((each) => reach.has(each));
  const isLong = ({ path, reach }: TestFile) => path.endsWith('.long.test.ts') || needs(reach, ENGINES);
  const bare = files.filter((file) => !isLong(file));
  const isAffected = changed ? affectedBy(changed, reachOf) : () => true;
  const pathsOf = (some: readonly TestFile[]) => some.map(({ path }) => path);
  return {
    unit: pathsOf(bare.filter(({ reach }) => !needs(reach, PLATFORM)).filter(isAffected)),
    product: pathsOf(bare.filter(({ reach }) => needs(reach, PLATFORM))),
    long: pathsOf(files.filter(isLong)),
    full: pathsOf(files.filter(({ path, reach }) => reach.has(SAMPLES) || NIGHTLY.test(textOf(path)))),
  };
}
