import type { Shape, Type } from '../samples/reference-fields.ts';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/;

const isIso = (value: unknown) => typeof value === 'string' && ISO.test(value) && !Number.isNaN(Date.parse(value));
const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);

const matches: Record<Type, (value: unknown) => boolean> = {
  number: isNumber,
  integer: Number.isSafeInteger,
  string: (value) => typeof value === 'string',
  'string or null': (value) => value === null || typeof value === 'string',
  iso: isIso,
  'iso or null': (value) => value === null || isIso(value),
  anything: () => true,
};

/**
 * What of `value` is not as `reference` says, one sentence each; empty arrays are reported too where `filled` lacks them, as
 * nothing was compared.
 */
export function differences(
  value: unknown,
  reference: Shape,
  at = 'payload',
): { wrong: string[]; filled: Set<string>; empty: Set<string> } {
  const found = { wrong: [] as string[], filled: new Set<string>(), empty: new Set<string>() };
  compare(value, reference, at);
  return found;

  function compare(actual: unknown, expected: Shape, path: string): void {
    if (typeof expected === 'string') {
      if (!matches[expected](actual)) found.wrong.push(`${path}: expected ${expected}, found ${JSON.stringify(actual)}`);
    } else if (isList(expected)) {
      if (!Array.isArray(actual)) found.wrong.push(`${path}: expected an array, found ${JSON.stringify(actual)}`);
      else compareItems(actual, expected[0], `${path}[]`);
    } else if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      found.wrong.push(`${path}: expected an object, found ${JSON.stringify(actual)}`);
    } else compareFields(new Map(Object.entries(actual)), expected, path);
  }

  function compareItems(items: readonly unknown[], item: Shape, path: string): void {
    (items.length > 0 ? found.filled : found.empty).add(path);
    for (const each of items) compare(each, item, path);
  }

  function compareFields(actual: ReadonlyMap<string, unknown>, expected: { readonly [field: string]: Shape }, path: string): void {
    const known = new Map(Object.entries(expected).map(([name, shape]) => [name.replace('?', ''), shape]));
    for (const name of actual.keys()) if (!known.has(name)) found.wrong.push(`${path}.${name}: no such field in the reference`);
    for (const [name, shape] of known) {
      if (actual.has(name)) compare(actual.get(name), shape, `${path}.${name}`);
      else if (!Object.hasOwn(expected, `${name}?`)) found.wrong.push(`${path}.${name}: is missing`);
    }
  }
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
