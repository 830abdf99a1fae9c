import { describe, expect, it } from 'vitest';
import { pageCondition } from '../../src/journeys/sql-words.ts';
import { parseStep } from '../../src/journeys/step.ts';
import { withVisits } from '../../src/journeys/with-visits.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { worlds } from './visit-world.ts';

const world = sharedWorlds();
const [firstWorld = ''] = Object.keys(worlds);

/** Paths that a careless pattern would take for others. */
const PATHS = ['/', '/p/1', '/p/12', '/P/1', '/p', '/p_1', '/a%b', '/a1b', '/cart', "/it's", '/a\\b', '/screen/home'];

describe.each(engines)('on %s', (engine) => {
  it.each([
    ['/p/*', ['/p/1', '/p/12']],
    ['/p/1', ['/p/1']],
    ['/p_1', ['/p_1']],
    ['/a%b', ['/a%b']],
    ['/a*b', ['/a%b', '/a1b', '/a\\b']],
    ['*/1', ['/p/1', '/P/1']],
    ['/cart | /p/12', ['/cart', '/p/12']],
    ["/it's", ["/it's"]],
    ['/a\\b', ['/a\\b']],
    ['https://shop.example/cart', ['/cart']],
    ['https://shop.example', ['/']],
    ['*', PATHS],
  ])('the step %s is fulfilled by its pages alone', { tags: 'nightly' }, async (text, expected) => {
    const { workspace } = world(firstWorld);
    const found = await withVisits({}, { views: [] }, usesOf(workspace(engine)), ({ sql, select }) => {
      const rows = PATHS.map((path) => `SELECT ${sql.text(path)} AS path`).join(' UNION ALL ');
      const condition = pageCondition(parseStep(text, 'steps'), 'path', sql) ?? '';
      return select(`SELECT path FROM (${rows}) AS d WHERE ${condition}`);
    });
    expect(new Set(found.map(({ path }) => path))).toEqual(new Set(expected));
  });
});

it.each([
  ['', 'steps: a step is empty'],
  ['event:', 'names no event'],
  ['/search?q=tent', 'steps: "/search?q=tent" has a query; a step is a path without one, here /search.'],
])('a step %j is refused in a sentence', (text, words) => {
  expect(() => parseStep(text, 'steps')).toThrow(words);
});

it.each(['purchase', 'Purchases', 'transaction'])('a step %s is a transaction', (text) => {
  expect(parseStep(text, 'steps').choices).toEqual([{ kind: 'purchase' }]);
});
