import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { check, checkInput, checkProjectId, checkScopes, firstComplaints } from '../../src/api/check-input.ts';
import { ApiError } from '../../src/api/errors.ts';
import { operations } from '../../src/api/operations/index.ts';

const { listSegments, requestToken, sendEnrichments } = operations;

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  code: z.string().min(2).max(4).optional(),
  count: z.int().min(1).max(9).optional(),
  share: z.number().gt(0).lt(1).optional(),
  kind: z.enum(['desktop', 'mobile']).optional(),
  isOpen: z.boolean().optional(),
  ids: z.array(z.int()).min(1).max(3).optional(),
  pair: z.array(z.string()).min(2).optional(),
  range: z.strictObject({ from: z.string().describe('First day, e.g. -7d'), to: z.string().optional() }).optional(),
  fields: z.array(z.strictObject({ fieldName: z.string() })).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  either: z.union([z.literal('all'), z.int()]).optional(),
  own: z.string().min(3, 'own words').optional(),
  date: z.iso.date().optional(),
  even: z
    .number()
    .refine((value) => value % 2 === 0, 'expected an even number')
    .optional(),
});

/** What is said of an input; undefined where it is taken. */
function said(input: unknown, by: z.ZodType = schema): string | undefined {
  try {
    check(by, input);
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.kind === 'invalid' ? error.message : String(error);
  }
}

test.each([
  [{ name: '' }, 'name: must not be empty.'],
  [{ name: 5 }, 'name: expected string, received number.'],
  [{ name: 5.5 }, 'name: expected string, received fraction.'],
  [{ kind: [] }, 'kind: must be one of desktop, mobile.'],
  [{ range: [] }, 'range: expected object, received list.'],
  [{ name: {} }, 'name: expected string, received object.'],
  [{ name: true }, 'name: expected string, received true or false.'],
  [{ name: null }, 'name: is required (string).'],
  [{ code: 'a' }, 'code: must have at least 2 characters.'],
  [{ code: 'abcde' }, 'code: must have at most 4 characters.'],
  [{ count: 0 }, 'count: must be at least 1.'],
  [{ count: 10 }, 'count: must be at most 9.'],
  [{ count: 1.5 }, 'count: expected whole number, received fraction.'],
  [{ name: 2 ** 53 }, 'name: a number beyond 2^53 loses digits; pass it as text.'],
  [{ name: 2 ** 53 - 1 }, 'name: expected string, received number.'],
  [{ share: 0 }, 'share: must be more than 0.'],
  [{ share: 1 }, 'share: must be less than 1.'],
  [{ kind: 'tv' }, 'kind: must be one of desktop, mobile.'],
  [{ kind: null }, 'kind: is required (one of desktop, mobile).'],
  [{ isOpen: 'yes' }, 'isOpen: expected true or false, received string.'],
  [{ ids: [] }, 'ids: must hold at least 1 item.'],
  [{ ids: [1, 2, 3, 4] }, 'ids: must hold at most 3 items.'],
  [{ ids: [1, 'x'] }, 'ids[1]: expected number, received string.'],
  [{ ids: 5 }, 'ids: expected list, received number.'],
  [{ pair: ['a'] }, 'pair: must hold at least 2 items.'],
  [{ range: {} }, 'range.from: is required (string): First day, e.g. -7d.'],
  [{ range: 'x' }, 'range: expected object, received string.'],
  [{ fields: [{ fieldName: 'a' }, { fieldName: 1 }] }, 'fields[1].fieldName: expected string, received number.'],
  [{ labels: 'x' }, 'labels: expected object, received string.'],
  [{ labels: { a: 1 } }, 'labels.a: expected string, received number.'],
  [{ either: 'some' }, 'either: must be one of all, or expected number, received string.'],
  [{ either: null }, 'either: is required.'],
  [{ own: 'ab' }, 'own: own words.'],
  [{ even: 3 }, 'even: expected an even number.'],
  [{ date: 'x' }, 'date: Invalid ISO date.'],
  [{ name: '', count: 0 }, 'name: must not be empty; count: must be at least 1.'],
  ['text', 'input: expected object, received string.'],
  [undefined, 'input: is required (object).'],
  [{ range: { from: 'a', too: 1 } }, 'range.too: is not known here; did you mean to? There are to, from.'],
  [{ fields: [{ fieldName: 'a', fieldname: 1 }] }, 'fields[0].fieldname: is not known here; did you mean fieldName? There are fieldName.'],
])('%j: %s', (input, words) => expect(said(input)).toBe(words));

test('members that are not known are answered with the parts of what they mean', () => {
  const days = { baselineStartDate: z.string().optional(), baselineEndDate: z.string().optional() };
  expect(said({ baseline: '2026-11-01' }, z.strictObject({ ...days, day: z.string().optional() }))).toBe(
    'baseline: is not known here; did you mean baselineStartDate and baselineEndDate? There are baselineEndDate, baselineStartDate, day.',
  );
  expect(said({ baseline: '2026-11-01' }, z.strictObject({ ...days, baseline: z.enum(['previous', 'last']) }))).toBe(
    'baseline: must be one of previous, last; see also baselineStartDate and baselineEndDate.',
  );
});

test('members that are not known are named with the nearest first, or with all where none is near', () => {
  const small = z.strictObject({ startDate: z.string().optional(), device: z.string().optional() });
  expect(said({ startdate: 'x' }, small)).toBe('startdate: is not known here; did you mean startDate? There are startDate, device.');
  expect(said({ qqqqqq: 1, zzzzzz: 2 }, small)?.split('; ')).toEqual([
    'qqqqqq: is not known here',
    expect.stringMatching(/^there are (startDate, device|device, startDate)$/),
    'zzzzzz: is not known here',
    expect.stringMatching(/^there are (startDate, device|device, startDate)\.$/),
  ]);
  expect(said({ a: 1 }, z.strictObject({}))).toBe('a: is not known here; nothing is taken.');
});

test('of a long list of complaints the first twenty are named', () => {
  const complaints = (count: number) => Array.from({ length: count }, (_, index) => `c${index + 1}`);
  expect(firstComplaints(complaints(20))).toEqual(complaints(20));
  expect(firstComplaints(complaints(21))).toEqual([...complaints(20), 'and 1 more']);
  expect(firstComplaints(complaints(50)).slice(-2)).toEqual(['c20', 'and 30 more']);
  expect(firstComplaints([])).toEqual([]);
});

test.each([
  [undefined, true],
  [7, true],
  [0, false],
  [-1, false],
  [1.5, false],
])('%s as a project id: %s', (projectId, isFine) => {
  const asked = () => checkProjectId(projectId);
  const words = isFine ? undefined : `projectId: expected a positive integer, got ${projectId}.`;
  let found: string | undefined;
  try {
    asked();
  } catch (error) {
    found = error instanceof Error ? error.message : 'no error';
  }
  expect(found).toBe(words);
});

test('scopes are sorted, once each, and refused by name', () => {
  expect(checkScopes('metrics  data-export metrics')).toEqual(['data-export', 'metrics']);
  expect(() => checkScopes('metrix')).toThrow(/^scope: .+\.$/);
  expect(() => checkScopes('')).toThrow(/^scope: /);
});

describe('the project of an input', () => {
  const enrichments = [{ sessionId: '1', score: 3 }];

  test('is that of the input, else the chosen one, where the operation takes one', () => {
    expect(checkInput(listSegments, { projectId: 5 }, 7)).toEqual({ projectId: 5 });
    expect(checkInput(listSegments, {}, 7)).toEqual({ projectId: 7 });
    expect(checkInput(listSegments, {})).toEqual({});
    const asked = { client_id: 'a', client_secret: 'b', grant_type: 'client_credentials', scope: 'metrics' };
    expect(checkInput(requestToken, asked, 7)).toEqual(asked);
  });

  test('of enrichment may be open until the token names it', () => {
    expect(checkInput(sendEnrichments, { enrichments })).toEqual({ enrichments });
    expect(checkInput(sendEnrichments, { enrichments }, 7)).toEqual({ projectId: 7, enrichments });
    expect(() => checkInput(sendEnrichments, { enrichments: [] })).toThrow('enrichments: must hold at least 1 item.');
    expect(() => checkInput(sendEnrichments, { enrichments, projectId: 'x' })).toThrow('projectId: expected');
  });
});
