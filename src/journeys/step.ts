import { refuse } from '../api/errors.ts';
import { likeness } from './page-groups.ts';

/** One way in which a step is fulfilled; in `pattern` and `name` a `*` stands for any characters. */
export type Choice =
  | { readonly kind: 'page'; readonly pattern: string }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'purchase' };

/** One point of a visit: any of the choices. */
export interface Step {
  /** As it was given. */
  readonly text: string;
  readonly choices: readonly [Choice, ...Choice[]];
  /** The pages that its words are read as, where it is no path. */
  readonly readAs?: string;
}

const EVENT = /^event\s*:\s*/i;
const PURCHASE = /^(purchases?|transactions?|orders?)$/i;
/** Behind the pattern of a group of pages in an answer. */
const OTHERS = / \(others\)$/;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A bar stands between choices where spaces surround it, or where what follows can only be another choice. */
const BETWEEN = /\s+\|\s+|\s*\|\s*(?=\/|event\s*:|purchase\b)/i;

/** A word or several, as people say them for a page: no path, and no pattern of one. */
const WORDS = /^[\p{L}\d]+(?:[ -][\p{L}\d]+)*$/u;
/** Words behind the name of a page. */
const PAGE_WORDS = /[ -](pages?|screens?)$/i;
const CART = ['cart', 'basket', 'bag'];
/** Usual paths of pages that shops name otherwise than people do. */
const USUAL_PATHS: Readonly<Record<string, readonly string[]>> = {
  product: ['/p/*', ...paths('products').slice(1)],
  products: ['/p/*', ...paths('product').slice(1)],
  category: ['/c/*'],
  home: ['/'],
  homepage: ['/', ...paths('home')],
  ...Object.fromEntries(CART.map((word) => [word, CART.filter((other) => other !== word).flatMap(paths)])),
};
/** Paths of the page that confirms an order: the exports do not say when in a visit a purchase was. */
const CONFIRMATION = [...paths('confirmation'), '*/thank-you*', '*/order-complete*'];

/** The paths with a part of this name. */
function paths(part: string): string[] {
  return [`*/${part}`, `*/${part}/*`];
}

/** The pages that words stand for: one of that very name, as screens have, those with such a part in their path, and usual ones. */
function pagesCalled(text: string): string[] | undefined {
  if (!WORDS.test(text) || PURCHASE.test(text)) return undefined;
  const name = text.replace(PAGE_WORDS, '').toLowerCase().replaceAll(' ', '-');
  return [...new Set([text, ...paths(name), ...(USUAL_PATHS[name] ?? [])])];
}

function choiceOf(text: string, step: string, parameter: string): Choice {
  if (PURCHASE.test(text)) return { kind: 'purchase' };
  if (EVENT.test(text)) {
    const name = text.replace(EVENT, '');
    return name === '' ? refuse(`${parameter}: "${step}" names no event; write event:NAME.`) : { kind: 'event', name };
  }
  const pattern = text.replace(ADDRESS, '').replace(/#.*$/, '').replace(OTHERS, '') || '/';
  if (/\?./.test(pattern))
    return refuse(`${parameter}: "${step}" has a query; a step is a path without one, here ${pattern.replace(/\?.*$/, '')}.`);
  return { kind: 'page', pattern: pattern.replace(/\?$/, '') };
}

/** A step from its text: a path with `*`, `event:NAME`, `purchase`, or several of them joined by ` | `; refuses an empty one. */
export function parseStep(text: string, parameter: string): Step {
  const parts = text
    .trim()
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ part, pages: pagesCalled(part) }));
  const [first, ...others] = parts.flatMap(
    ({ part, pages }): Choice[] => pages?.map((pattern) => ({ kind: 'page', pattern })) ?? [choiceOf(part, text, parameter)],
  );
  if (first === undefined) return refuse(`${parameter}: a step is empty; write a path such as /cart, event:NAME or purchase.`);
  const read = parts.flatMap(({ pages = [] }) => pages.slice(1));
  return { text: text.trim(), choices: [first, ...others], ...(read.length > 0 && { readAs: read.join(', ') }) };
}

/** A sentence for each step that is no path: as which pages its words are read. */
export function readAsWords(steps: readonly Step[]): string[] {
  return steps.flatMap(({ text, readAs }) => (readAs === undefined ? [] : `"${text}" is read as the pages ${readAs}; a path is exact.`));
}

/** Whether some choice of a step is of a kind. */
export function hasKind({ choices }: Step, kind: Choice['kind']): boolean {
  return choices.some((choice) => choice.kind === kind);
}

/** Whether a page fulfils a step by one of its paths. */
export function isPageOf({ choices }: Step, path: string): boolean {
  return choices.some((choice) => choice.kind === 'page' && likeness(choice.pattern)(path));
}

/** A step that can only be a page, for filters and starts that are pages; refuses another. */
export function pageStep(text: string, parameter: string): Step {
  const step = parseStep(text, parameter);
  // The page that confirms an order, in place of the purchase.
  if (step.choices.every(({ kind }) => kind === 'purchase'))
    return { ...parseStep(CONFIRMATION.join(' | '), parameter), text: step.text, readAs: CONFIRMATION.join(', ') };
  if (!step.choices.every(({ kind }) => kind === 'page')) refuse(`${parameter}: "${text}" is no page; write a path such as /p/*.`);
  return step;
}

/** The same of several. */
export function pageSteps(texts: readonly string[], parameter: string): Step[] {
  return texts.map((text) => pageStep(text, parameter));
}
