import * as z from 'zod';
import { addressFault } from '../lib/address.ts';
import { namesIn } from '../lib/sentences.ts';

/** The own keys of a record that was written out as one, by their types. */
export function typedKeys<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[]; // a record that was written out has no keys but those of its type
}

/** How one setting is checked and described; README, manifest, flags and `doctor` are made from it. */
export interface Declaration {
  readonly title: string;
  readonly words: string;
  /** Checks the text of a flag or variable and gives the value. */
  readonly schema: z.ZodType;
  /** The text that holds when nothing is given. */
  readonly default?: string;
  /** The effect of leaving the setting out, for the documents, where it has no default text. */
  readonly otherwise?: string;
  /** Never on the command line, never printed. */
  readonly secret?: true;
  /** How a host's form asks for it; left out: not asked for there. */
  readonly form?: 'string' | 'number' | 'boolean' | 'directory';
}

/** A setting as it is given. */
export interface Setting extends Declaration {
  /** Environment variable; the flag has the same words (`--time-zone`) unless the setting is secret. */
  readonly variable: string;
}

/** Settings with their variables, which have the words of their names: `timeZone` is WEB_ANALYTICS_TIME_ZONE. */
export function withVariables<const All extends Readonly<Record<string, Declaration>>>(all: All) {
  const named = Object.entries(all).map(([name, setting]) => {
    const variable = `WEB_ANALYTICS_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
    return [name, { ...setting, variable }];
  });
  // Object.fromEntries forgets the names.
  return Object.fromEntries(named) as { readonly [Name in keyof All]: All[Name] & Pick<Setting, 'variable'> };
}

/** Text that is not blank. */
export const words = z.string().trim().min(1);
/** An address that is called: https, or http on this machine. */
export function address(example: string) {
  return words.refine(
    (text) => addressFault(text) === undefined,
    `expected an https address (http only on loopback) without user, query or fragment, such as ${example}`,
  );
}
/** True or false, in the usual words. */
export const flag = z.stringbool({
  truthy: ['true', '1', 'yes', 'on'],
  falsy: ['false', '0', 'no', 'off'],
  error: 'expected true or false',
});
/** Names separated by commas. */
export const list = z
  .string()
  .transform(namesIn)
  .refine((items) => items.length > 0, 'expected names separated by commas');

/** A whole number within bounds; `unit` is for the message. */
export function count(min: number, max: number, unit = '') {
  const expected = `expected a whole number${unit && ` of ${unit}`} from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, expected).transform(Number).pipe(z.number().min(min, expected).max(max, expected));
}
