import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { textOf } from './support/sources.ts';

const page = textOf('docs/threat-model.md');

/** Rows of the tables: what is tried, how it is held, and the tests that are named. */
const rows = page.split('\n').filter((line) => /^\| (?!---|What is tried)/.test(line));

it('the threat model fits on a few screens and names every kind of attacker', () => {
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(page.match(/^## /gm)?.length).toBeGreaterThanOrEqual(8);
  expect(rows.length).toBeGreaterThanOrEqual(25);
});

it.each(rows)('the threat model says by which tests it is held: %s', (line) => {
  const files = [...line.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((path) => !existsSync(path) || !/\b(it|test)(\.each)?\(/.test(textOf(path)))).toEqual([]);
});
