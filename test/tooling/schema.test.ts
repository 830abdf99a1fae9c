import { expect, it } from 'vitest';
import * as z from 'zod';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { inputJsonSchema, outputOf } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

it('the schema that a model reads keeps parameters whose names are keywords', () => {
  const { properties } = inputJsonSchema(
    z.strictObject({ id: z.string(), description: z.string(), pattern: z.string(), minLength: z.literal(1) }),
  );
  expect(Object.keys(properties as object)).toEqual(['id', 'description', 'pattern', 'minLength']);
});

it('an answer keeps documented members only, at every depth', () => {
  const record = z.looseObject({
    id: z.number(),
    inner: z.looseObject({ a: z.string() }).nullish(),
    list: z.array(z.looseObject({ b: z.number() })).optional(),
  });
  const words = { name: 'list_scenarios', title: 'A', description: 'B', searchHint: 'c', annotations: READ, operation: listScenarios };
  const tool = defineTool({ ...words, charted: true, input: z.strictObject({}), output: record, handler: async () => ({ id: 1 }) });
  const kept = (data: object) => outputOf(tool).parse(data);
  const loose = { id: 1, extra: 2, inner: { a: 'x', extra: 3 }, list: [{ b: 4, extra: 5 }] };
  expect(kept(loose)).toEqual({ id: 1, inner: { a: 'x' }, list: [{ b: 4 }] });
  const chart = { kind: 'bars', title: 'Visits' };
  expect(kept({ id: 1, inner: null, chart })).toEqual({ id: 1, inner: null, chart });
});
