import type * as z from 'zod';
import type { Operation } from '../api/operation.ts';
import { decodeRequest, pathNames } from '../api/wire.ts';
import type { Deployment } from './deployment.ts';
import { Refusal } from './responses.ts';
import { forgiven, undocumentedDates } from './undocumented.ts';

/** The parts of a request that carry input. */
export interface RawInput {
  readonly params: Record<string, string>;
  readonly query: Record<string, string[]>;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** Refuses with 400 the way the platform refuses values. */
export function invalid(message: string): Refusal {
  return new Refusal(400, 'VALIDATION_ERROR', message);
}

/** The input of an operation from its path, query and body, before it is checked against its schema. */
export function rawInput(operation: Operation, raw: RawInput): Record<string, unknown> {
  const query = single(raw.query);
  const inPath = pathNames(operation.path).filter((name) => Object.hasOwn(query, name));
  if (operation.method === 'GET') {
    if (inPath.length > 0) throw invalid(`${inPath.join(', ')}: is part of the path; the query does not take it`);
    return decodeRequest(operation, raw.params, query);
  }
  if (Object.keys(query).length > 0)
    throw invalid(`${Object.keys(query).join(', ')}: a POST takes its input in the body, not in the query`);
  if (operation.base === 'enrichment' && raw.contentType?.startsWith('application/x-www-form-urlencoded')) return formInput(operation, raw);
  return decodeRequest(operation, raw.params, {}, jsonBody(raw));
}

function single(query: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => {
      if (values.length > 1) throw invalid(`${name}: is given ${values.length} times; several values are separated by commas`);
      return [name, values[0] ?? ''];
    }),
  );
}

function jsonBody({ contentType, body }: RawInput): Record<string, unknown> {
  if (!contentType?.startsWith('application/json')) throw invalid('the body must be JSON, with content-type application/json');
  const value = parsedJson(body, 'the body');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('the body must be a JSON object');
  return { ...value };
}

/** Form of an enrichment: `enrichments` holds the JSON of the array, the other fields are plain texts. */
function formInput(operation: Operation, raw: RawInput): Record<string, unknown> {
  const form = new URLSearchParams(raw.body);
  const fields = single(Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name)])));
  const { enrichments, ...rest } = fields;
  const input = decodeRequest(operation, raw.params, rest);
  return enrichments === undefined ? input : { ...input, enrichments: parsedJson(enrichments, 'enrichments') };
}

function parsedJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${where} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One sentence for all that is wrong with an input, field by field. */
export function worded(issues: readonly z.core.$ZodIssue[], operation: Operation): string {
  const known = Object.keys(operation.input.shape);
  return issues
    .map((issue) => {
      const field = issue.path.map(String).join('.');
      if (issue.code === 'unrecognized_keys') {
        const expected = field === '' ? `; expected ${known.length > 0 ? known.join(', ') : 'none'}` : '';
        return `${[field, issue.keys.join(', ')].filter(Boolean).join('.')}: no such parameter${expected}`;
      }
      if (issue.message.endsWith('received undefined')) return `${field}: is required`;
      return field === '' ? issue.message : `${field}: ${issue.message}`;
    })
    .join('; ');
}

/** The input of an operation, checked against its schema; a `Refusal` that names each field otherwise. */
export function checkedInput(operation: Operation, raw: RawInput, deployment: Deployment): Record<string, unknown> {
  const input = forgiven(operation, rawInput(operation, raw), deployment);
  const [date] = deployment.dates === 'documented' ? undocumentedDates(operation, input) : [];
  if (date !== undefined)
    throw invalid(`${date}: expected an ISO 8601 date in UTC with milliseconds (…T00:00:00.000Z), or with an offset +hh:mm`);
  const result = operation.input.safeParse(input);
  if (!result.success) throw invalid(worded(result.error.issues, operation));
  return result.data;
}
