import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listScenarios } from '../../src/api/operations/speed-analysis.ts';
import { inputJsonSchema, outputJsonSchema, outputOf } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

describe('the schema that a model reads', () => {
  it('says what the model needs and nothing else', () => {
    const input = z.strictObject({
      ref: z.string().trim().min(1).describe('Id or name'),
      device: z.enum(['all', 'mobile']).describe(''),
      limit: z.int().min(1).max(100).default(25),
      free: z.record(z.string(), z.unknown()).describe('Any fields').optional(),
      sql: z.string().max(20_000).describe('Default all').default('x'),
      names: z.array(z.string().min(1)).min(1).optional(),
    });
    expect(inputJsonSchema(input)).toEqual({
      type: 'object',
      properties: {
        ref: { type: 'string', description: 'Id or name' },
        device: { type: 'string', enum: ['all', 'mobile'] },
        limit: { type: 'integer', maximum: 100, description: 'Default 25' },
        free: { type: 'object', description: 'Any fields' },
        sql: { type: 'string', description: 'Default all' },
        names: { type: 'array', items: { type: 'string' } },
      },
      required: ['ref', 'device'],
      additionalProperties: false,
    });
  });

  it('keeps parameters whose names are keywords', () => {
    const { properties } = inputJsonSchema(
      z.strictObject({ id: z.string(), description: z.string(), pattern: z.string(), minLength: z.literal(1) }),
    );
    expect(Object.keys(properties as object)).toEqual(['id', 'description', 'pattern', 'minLength']);
  });

  it('does not join types that say more than their name', () => {
    const bounded = outputJsonSchema(
      z.strictObject({ a: z.union([z.int().max(9), z.string()]), b: z.union([z.string().max(3), z.null()]) }),
    );
    expect(bounded['properties']).toEqual({
      a: { anyOf: [{ type: 'integer', maximum: 9 }, { type: 'string' }] },
      b: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] },
    });
  });

  it('leaves answers open, because clients refuse members that they do not know', () => {
    expect(outputJsonSchema(z.object({ a: z.looseObject({ b: z.number().nullable() }) }))).toEqual({
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: { type: ['number', 'null'] } }, required: ['b'], additionalProperties: {} },
      },
      required: ['a'],
    });
  });

  it('says of answers what they always have, and leaves out what they may have', () => {
    const row = z.object({ id: z.number(), name: z.string().optional() });
    expect(outputJsonSchema(z.object({ rows: z.array(row), next: z.string().optional() }))).toEqual({
      type: 'object',
      properties: { rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } } },
      required: ['rows'],
    });
  });
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
