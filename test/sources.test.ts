import { describe, expect, it } from 'vitest';
import { filesBelow, textOf } from './support/sources.ts';

const product = filesBelow('src', 'tools').filter((path) => path.endsWith('.ts'));
const tests = filesBelow('test').filter((path) => path.endsWith('.ts') && !path.startsWith('test/samples/'));
const all = [...product, ...tests].map((path) => ({ path, text: textOf(path) }));
const ours = all.filter(({ path }) => !path.startsWith('test/'));
const toolFiles = ours.filter(({ path }) => path.startsWith('tools/') && !/(index|loaders)\.ts$/.test(path));
/** Files whose long lines are kept: regular expressions that list words, and would be read no better in pieces. */
const WIDE_FILES = new Set(['src/har/sanitise-url.ts']);
/** The width of the formatter, which breaks no texts and comments. */
const { lineWidth } = JSON.parse(textOf('.biome.json')).formatter;
const linesOf = (text: string) => text.trimEnd().split('\n').length;

/** Paths of the files in which the pattern occurs. */
function having(files: readonly { path: string; text: string }[], pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

/** An assertion of a type, in a line that is neither an import nor a comment. */
const ASSERTED =
  /^(?!\s*(?:\*|\/\*|import|export \{)).*[\w)\]}] as (?:[A-Z]\w*|\{|\(|(?:unknown|string|number|object|keyof|readonly|typeof)\b)/;

/** A line without its texts and its comment. */
const code = (line: string) => line.replace(/'(?:[^'\\]|\\.)*'|`[^`]*`/g, "''").replace(/\/\/.*$/, '');

it('files have at most 600 lines', () => {
  expect(all.filter(({ text }) => linesOf(text) > 600).map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
});

it('files are named in kebab-case', () => {
  expect(
    all
      .map(({ path }) => path)
      .filter((path) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.(test|long\.test|config|d))?\.ts$/.test(path)),
  ).toEqual([]);
});

it('files have no line over the width of the formatter', () => {
  const wide = all.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (line.length > lineWidth && !WIDE_FILES.has(path) ? [`${path}:${index + 1}`] : [])),
  );
  expect(wide, `break these lines at ${lineWidth}: a text by +, a template by \\ at the end of a line`).toEqual([]);
});

it('files leave nothing for later', () => {
  const marks = new RegExp(['TO', 'DO|FIX', 'ME|X', 'XX'].join(''));
  expect(having(all, marks)).toEqual([]);
  expect(having(all, new RegExp(`\\b(it|test|describe)\\.(${['only', 'skip', 'todo'].join('|')})\\b`))).toEqual([]);
});

it('types are never given up', () => {
  expect(having(all, /[:<|(,]\s*any\b(?!\s+\w)|\bas any\b|@ts-(ignore|nocheck|expect-error)/)).toEqual([]);
});

it('types are asserted only with a reason beside it', () => {
  const bare = ours.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    const isExplained = (at: number) => [lines[at], lines[at - 1], lines[at - 2]].some((line) => /\/\/|\*\//.test(line ?? ''));
    return lines.flatMap((line, at) => (ASSERTED.test(code(line)) && !isExplained(at) ? [`${path}:${at + 1}`] : []));
  });
  expect(bare, 'let a guard or an annotation say it, or say in a comment why it holds').toEqual([]);
});

it('types are classes only where they are errors', () => {
  const classes = ours.flatMap(({ path, text }) =>
    [...text.matchAll(/^\s*(?:export )?(?:default )?(?:abstract )?class (\w+)(?: extends (\w+))?/gm)].map(([, name, base = '']) => ({
      path,
      name,
      base,
    })),
  );
  expect(classes.length).toBeGreaterThan(0);
  expect(classes.filter(({ base }) => !base.endsWith('Error'))).toEqual([]);
});

it.each(toolFiles)('a tool file $path has one export, and leaves catching, formatting and settings to the boundary', ({ text }) => {
  expect(text.match(/^export /gm)).toEqual(['export ']);
  expect(text.match(/^export default define\w*Tool\(\{$/gm)).toHaveLength(1);
  expect(text.match(/\b(try|catch) ?[({]|process\.|\bconsole\.|JSON\.|\.toFixed/g)).toBeNull();
  expect(linesOf(text)).toBeLessThanOrEqual(100);
});

describe('names and comments of the product', () => {
  it('declare no type under a name that stands for more than three', () => {
    const declared = ours.flatMap(({ text }) => [...text.matchAll(/^(?:export )?(?:interface|type) (\w+)/gm)].map(([, name = '']) => name));
    const often = declared.filter((name, at) => declared.indexOf(name) === at && declared.filter((each) => each === name).length > 3);
    expect(often, 'name the newest after its subject').toEqual([]);
  });

  // Limits that are lowered with each that goes, and never raised.
  it('say what a thing is instead of beginning with "What"', () => {
    const comments = ours.flatMap(({ text }) => [...text.matchAll(/\/\*\*\s+(?:\* )?(\w+)/g)].map(([, first]) => first));
    expect(comments.length).toBeGreaterThan(2000);
    expect(comments.filter((first) => first === 'What').length).toBeLessThanOrEqual(20);
  });

  it('have a sentence on each export, endpoints and parameters aside, which describe themselves', () => {
    const bare = ours
      .filter(({ path }) => !['src/api/operations/metrics.ts', 'src/tooling/params.ts'].includes(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?<!\*\/)\n(?:export (?:const|(?:async )?function|interface|type|class) (\w+))/g)].map(
          ([, name]) => `${path}: ${name}`,
        ),
      );
    expect(bare.filter((each) => !each.endsWith(': tenth'))).toEqual([]);
  });
});
