import { expect, it } from 'vitest';
import { pagesOfPaths, pathText, pathWords, startOf } from '../../../src/domain/journeys/paths.ts';

const paths = [
  { pages: ['/search'], sessions: 30 },
  { pages: ['/search', '/p/*'], sessions: 50 },
  { pages: ['/search', '/p/*', '/cart'], sessions: 20 },
];
const way = { depth: 2, direction: 'after', sessions: 100 } as const;
const said = (from: string, lone = 0, own = paths) => pathWords(pagesOfPaths(own, way), { ...way, from, place: startOf(own), lone });

it('the page is named on which visits end', () => {
  expect(said('/search')).toBe('The commonest page right after /search is /p/*: 70 of 100 sessions (70%). 30% end their visit on /search.');
});

it('visits end on the pattern of the page where several pages of it in a row are one', () => {
  expect(
    said('/c/tents', 0, [
      { pages: ['/c/*'], sessions: 40 },
      { pages: ['/c/*', '/cart'], sessions: 60 },
    ]),
  ).toMatch(/40% end their visit on \/c\/\*\.$/);
});

it('of entry pages, visits of several pages of one pattern are told apart from those of one page', () => {
  expect(said('entry', 26)).toMatch(/ 26% see only that page, 4% only several of one pattern\.$/);
  expect(said('entry', 30)).toMatch(/ 30% see only that page\.$/);
});

it('a path says where the visit ends within the depth', () => {
  expect(paths.map(({ pages }) => pathText(pages, way))).toEqual([
    '/search > (visit ends)',
    '/search > /p/* > (visit ends)',
    '/search > /p/* > /cart',
  ]);
  expect(pathText(['/cart'], { depth: 2, direction: 'before' })).toBe('/cart > (visit begins)');
});
