import { expect, it } from 'vitest';
import { groupPages } from '../../src/journeys/page-groups.ts';
import { pagesOfPaths, pathText, pathWords } from '../../src/journeys/paths.ts';
import { times } from '../support/times.ts';

const products = times(300, (index) => ({ path: `/p/${1000 + index}`, views: 300 - index }));
const shop = [
  { path: '/', views: 9_000 },
  { path: '/cart', views: 3_000 },
  { path: '/checkout/address', views: 900 },
  { path: '/checkout/payment', views: 700 },
  { path: '/c/tents', views: 800 },
  { path: '/c/shoes', views: 950 },
];

it('pages as groups are lists of siblings as one, and pages of their own', () => {
  const groups = groupPages([...shop, ...products], 12);
  expect(groups.map(({ pattern }) => pattern)).toEqual([
    '/p/*',
    '/',
    '/cart',
    '/c/shoes',
    '/checkout/address',
    '/c/tents',
    '/checkout/payment',
  ]);
  expect(groups[0]?.views).toBe(products.reduce((sum, { views }) => sum + views, 0));
});

it('pages as groups join ids in the middle of a path', () => {
  const users = times(20, (id) => ['orders', 'profile'].map((page) => ({ path: `/user/${id}/${page}`, views: 10 }))).flat();
  expect(groupPages([...shop, ...users], 20).map(({ pattern }) => pattern)).toEqual(
    expect.arrayContaining(['/user/*/orders', '/user/*/profile', '/cart']),
  );
});

it('pages as groups are no more than asked for: the most numerous siblings are put together first', () => {
  const guides = ['knots', 'maps', 'boots', 'stoves'].map((name) => ({ path: `/guide/${name}`, views: 400 }));
  expect(groupPages([...shop, ...guides, ...products], 9).map(({ pattern }) => pattern)).toContain('/guide/*');
  expect(groupPages([...shop, ...products], 3)).toHaveLength(3);
});

it('a pattern that does not count all pages that are like it is called the others', () => {
  const popular = [
    { path: '/p/1', views: 60_000 },
    { path: '/p/sale', views: 3_000 },
    { path: 'Home screen', views: 500 },
  ];
  const names = groupPages([...shop, ...products, ...popular], 12).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['/p/1', '/p/sale', '/p/* (others)', 'Home screen', '/']));
  expect(groupPages([...shop, ...products], 12).map(({ name }) => name)).toContain('/p/*');
});

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
