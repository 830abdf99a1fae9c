import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/evidence/reference-facts.md';

/** A row: `| section | fact | `file`: title of the test |`. */
const rows = readFileSync(join(root, PAGE), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, section, fact, file, title] = /^\| (\S+) \| (.+?) \| `([^`]+)`: (.+) \|$/.exec(line) ?? [];
    return section && fact && file && title ? [{ section, fact, file, title }] : [];
  });

it('every section of the reference that states facts has some, each once', () => {
  const sections = new Set(rows.map(({ section }) => section));
  for (const section of ['1', '2.1', '2.2', '2.3', '2.4', '3', '4.1', '4.2', '4.3', '4.4', '4.5', '5', '6', '7', '8', '9'])
    expect(sections).toContain(section);
  expect(rows.length).toBeGreaterThanOrEqual(120);
  expect(new Set(rows.map(({ section, fact }) => `${section} ${fact}`)).size).toBe(rows.length);
});

it('every test that a fact names exists', () => {
  const lost = rows.filter(({ file, title }) => {
    const path = join(root, file);
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
  });
  expect(lost.map(({ fact, file, title }) => `${fact}: ${file} has no "${title}"`)).toEqual([]);
});
