import { refuse } from '../../api/errors.ts';

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
}

const EVENT = /^event\s*:\s*/i;
const PURCHASE = /^(purchases?|transactions?|orders?)$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A bar stands between choices where spaces surround it, or where what follows can only be another choice. */
const BETWEEN = /\s+\|\s+|\s*\|\s*(?=\/|event\s*:|purchase\b)/i;

function choiceOf(text: string, step: string, parameter: string): Choice {
  if (PURCHASE.test(text)) return { kind: 'purchase' };
  if (EVENT.test(text)) {
    const name = text.replace(EVENT, '');
    return name === '' ? refuse(`${parameter}: "${step}" names no event; write event:NAME.`) : { kind: 'event', name };
  }
  const pattern = text.replace(ADDRESS, '').replace(/#.*$/, '') || '/';
  if (/\?./.test(pattern))
    return refuse(`${parameter}: "${step}" has a query; a step is a path without one, here ${pattern.replace(/\?.*$/, '')}.`);
  return { kind: 'page', pattern: pattern.replace(/\?$/, '') };
}

/** A step from its text: a path with `*`, `event:NAME`, `purchase`, or several of them joined by ` | `; refuses an empty one. */
export function parseStep(text: string, parameter: string): Step {
  const [first, ...others] = text
    .trim()
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (first === undefined) return refuse(`${parameter}: a step is empty; write a path such as /cart, event:NAME or purchase.`);
  return { text: text.trim(), choices: [choiceOf(first, text, parameter), ...others.map((part) => choiceOf(part, text, parameter))] };
}

/** Whether some choice of a step is of a kind. */
export function hasKind({ choices }: Step, kind: Choice['kind']): boolean {
  return choices.some((choice) => choice.kind === kind);
}

/** Whether a page fulfils a step by one of its paths. */
export function isPageOf({ choices }: Step, path: string): boolean {
  return choices.some((choice) => choice.kind === 'page' && isLike(path, choice.pattern));
}

/** Whether a text is like a pattern in which `*` stands for any characters. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  let at = text.startsWith(first) ? first.length : -1;
  for (const part of rest) {
    const found = at < 0 ? -1 : text.indexOf(part, at);
    at = found < 0 ? -1 : found + part.length;
  }
  return at >= 0 && text.endsWith(last) && text.length - last.length >= at;
}

/** The steps that can only be pages; refuses the others, for filters and starts that are pages. */
export function pageSteps(texts: readonly string[], parameter: string): Step[] {
  return texts.map((text) => {
    const step = parseStep(text, parameter);
    if (!step.choices.every(({ kind }) => kind === 'page')) refuse(`${parameter}: "${text}" is no page; write a path such as /p/*.`);
    return step;
  });
}
