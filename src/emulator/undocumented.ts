import * as z from 'zod';
import type { Operation } from '../api/operation.ts';
import { isoDate } from '../api/params.ts';
import { unwrap } from '../api/unwrap.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Deployment } from './deployment.ts';

type AnswerMembers = Record<string, unknown>;
type Schema = z.core.$ZodType;

/** The two documented forms of a date: UTC with milliseconds and `Z`, or an offset `+hh:mm` (section 1). */
const DOCUMENTED_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3}Z|(\.\d{3})?[+-]\d{2}:\d{2})$/;

/** The value with each text that a schema stands for replaced by what `change` makes of it. */
function eachText(schemaOf: Schema, value: unknown, path: string, change: (schema: Schema, text: string, path: string) => string): unknown {
  const schema = unwrap(schemaOf, (each) => each === isoDate);
  if (typeof value === 'string') return change(schema, value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item, index) => eachText(schema.element, item, `${path}[${index}]`, change));
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const field: Schema | undefined = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    return [name, field ? eachText(field, member, path === '' ? name : `${path}.${name}`, change) : member];
  });
  return Object.fromEntries(members);
}

/** Where dates stand in an input that have another form than the documented ones. */
export function undocumentedDates({ input: schema }: Operation, input: AnswerMembers): string[] {
  const found: string[] = [];
  eachText(schema, input, '', (each, text, path) => {
    if (each === isoDate && !DOCUMENTED_DATE.test(text)) found.push(path);
    return text;
  });
  return found;
}

/** The input as a forgiving deployment reads it: without members that the reference does not list, and values in the reference's case. */
export function forgiven({ input: schema }: Operation, input: AnswerMembers, { letterCase, unknownMembers }: Deployment): AnswerMembers {
  const known = unknownMembers === 'refused' ? input : Object.fromEntries(Object.entries(input).filter(([name]) => name in schema.shape));
  if (letterCase === 'exact') return known;
  const cased = eachText(schema, known, '', (each, text) => {
    if (!(each instanceof z.ZodEnum)) return text;
    return String(each.options.find((option) => String(option).toLowerCase() === text.toLowerCase()) ?? text);
  });
  return isRecord(cased) ? cased : known;
}
