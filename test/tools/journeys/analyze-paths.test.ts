import { beforeAll, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { refusal, useTools, whole } from '../support.ts';

const { call, assistant } = useTools();

beforeAll(() => fetchExports(assistant(), ['Daily views']));

it('says what people do after a page, products as one', async () => {
  const answer = await call('analyze_paths', { from: '/search', depth: 2, limit: 5 });
  expect(answer.text).toMatch(/^The commonest page right after \/search is \S+: [\d,]+ of [\d,]+ sessions \([\d.]+%\)\./);
  expect(whole(answer)).toMatchSnapshot();
});

it.each([
  [{ from: '/serach' }, 'from: no page of these visits is "/serach"; closest, with their views: /'],
  [{ from: 'event:search' }, 'from: "event:search" is no page; write a path such as /p/*.'],
  [{ from: 'entry', direction: 'before' }, 'direction: nothing comes before the entry page; use after.'],
])('%j is an error in a sentence', { tags: 'nightly' }, async (args, words) => {
  const { isError, text } = await call('analyze_paths', args);
  expect({ isError, text }).toEqual(refusal(words));
});

it('a purchase is the page that confirms it, a word the pages of that name, and the answer says so', { tags: 'nightly' }, async () => {
  const [bought, confirmed] = [
    await call('analyze_paths', { from: 'purchase', direction: 'before' }),
    await call('analyze_paths', { from: '/checkout/confirmation', direction: 'before' }),
  ];
  expect(bought.structured['pages']).toEqual(confirmed.structured['pages']);
  expect(bought.text).toContain('"purchase" is read as the pages */confirmation, ');
  const [word, path] = [await call('analyze_paths', { from: 'basket' }), await call('analyze_paths', { from: '/cart' })];
  expect(word.structured['paths']).toEqual(path.structured['paths']);
  expect(word.text).toContain('"basket" is read as the pages */basket, */basket/*, */cart');
});

it('all steps of a funnel that nobody saw are named at once', { tags: 'nightly' }, async () => {
  const { isError, text } = await call('analyze_funnel', { steps: ['product', 'foo', '/nix'] });
  expect(isError).toBe(true);
  expect(text.match(/^steps: no page of these visits is "[^"]+"/gm)).toEqual(
    ['foo', '/nix'].map((step) => `steps: no page of these visits is "${step}"`),
  );
});
