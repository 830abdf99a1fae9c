/** Words that stand for the same kind of page, in paths and in names of steps. */
const KINDS: readonly (readonly string[])[] = [
  ['home', 'homepage', 'start', 'front', 'index', ''],
  ['product', 'products', 'p', 'pdp', 'item', 'items', 'dp', 'detail'],
  ['category', 'categories', 'c', 'plp', 'list', 'listing', 'catalog', 'catalogue'],
  ['search', 'results'],
  ['cart', 'basket', 'bag'],
  ['payment', 'pay'],
  ['address', 'delivery', 'shipping'],
  ['confirmation', 'thanks', 'success'],
  ['checkout'],
  ['article', 'articles', 'story'],
  ['help', 'faq', 'support'],
];

const kindOf = (word: string) => KINDS.find((kind) => kind.includes(word))?.[0] ?? word;
const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether the name of a step of a speed scenario is about a page: by the last word of its pattern, since steps have no address. */
export function touchesPage(pattern: string, stepName: string): boolean {
  const words = wordsOf(pattern.replaceAll(/\*| \(others\)$/g, ''));
  const page = kindOf(words.at(-1) ?? '');
  return wordsOf(stepName).some((word) => kindOf(word) === page);
}
