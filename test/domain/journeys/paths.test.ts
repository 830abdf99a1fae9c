import { expect, it } from 'vitest';
import { pagesOfPaths, pathText, pathWords } from '../../../src/domain/journeys/paths.ts';

const paths = [
  { pages: ['/search'], sessions: 30 },
  { pages: ['/search', '/p/*'], sessions: 50 },
  { pages: ['/search', '/p/*', '/cart'], sessions: 20 },
];
const way = { depth: 2, direction: 'after', sessions: 100 } as const;
const said = (from: string) => pathWords(pagesOfPaths(paths, way), { ...way, from });

it('the page is named on which visits end', () => {
  expect(said('/search')).toBe('The commonest page right after /search is /p/*: 70 of 100 sessions (70%). 30% end their visit on /search.');
  expect(said('entry')).toBe('The commonest page right after the entry page is /p/*: 70 of 100 sessions (70%). 30% see only that page.');
});

it('a path says where the visit ends within the depth', () => {
  expect(paths.map(({ pages }) => pathText(pages, way))).toEqual([
    '/search > (visit ends)',
    '/search > /p/* > (visit ends)',
    '/search > /p/* > /cart',
  ]);
  expect(pathText(['/cart'], { depth: 2, direction: 'before' })).toBe('/cart > (visit begins)');
});
