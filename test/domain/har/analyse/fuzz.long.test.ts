import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/api/errors.ts';
import { HAR_VIEWS } from '../../../../src/domain/har/answer/har-answer.ts';
import type { HarQuery } from '../../../../src/domain/har/answer/har-query.ts';
import { HarError, resourceTypes } from '../../../../src/domain/har/read/har-model.ts';
import { readHar } from '../../../../src/domain/har/read/read-har.ts';
import { sampleSize } from '../../../support/sample-size.ts';
import { BASE, changes, growthOf, mutate, shapes } from '../mutations.ts';
import { har } from '../sample.ts';
import { comparison, comparisonOf, everything, view, viewOf } from './views.ts';

const text = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('a.js', 'example', '…', '.', '[removed]'));
const amount = fc.oneof(fc.nat(5000), fc.double({ min: 0, noNaN: true }));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const queries: fc.Arbitrary<HarQuery> = fc.record({
  view: optional(fc.constantFrom(...HAR_VIEWS)),
  url: optional(text),
  type: optional(fc.constantFrom(...resourceTypes)),
  domain: optional(text),
  status: optional(fc.oneof(fc.nat(999), fc.constantFrom('0', '404', '2xx', '5XX'))),
  minDurationMs: optional(amount),
  minBytes: optional(amount),
  limit: optional(fc.integer({ min: 1, max: 500 })),
  cursor: optional(fc.base64String()),
});

/** The answer as text, or the words of an error; any other error is thrown. */
function answerOf(work: () => unknown): { answer: string } | { error: string } {
  try {
    return { answer: JSON.stringify(work()) };
  } catch (error) {
    if (error instanceof HarError || error instanceof ApiError) return { error: error.message };
    throw error;
  }
}

/** What is wrong with an answer or with the words of an error. */
function fault(result: ReturnType<typeof answerOf>): string | null {
  if ('error' in result) return /^(?:[A-Z]|cursor ).{15,}\.$/.test(result.error) ? null : result.error;
  return /NaN|Infinity|undefined|\[object/.exec(result.answer)?.[0] ?? null;
}

describe('a HAR with changed members', () => {
  it('gives every view, and each request by itself, or a worded error', { tags: 'nightly' }, () => {
    fc.assert(
      fc.property(changes, (change) => {
        expect(fault(answerOf(() => everything(mutate(change))))).toBeNull();
      }),
      { numRuns: sampleSize({ full: 500, short: 100 }) },
    );
  });

  it('gives an answer to any question, or a worded error', { tags: 'nightly' }, () => {
    fc.assert(
      fc.property(changes, queries, (change, query) => {
        expect(fault(answerOf(() => view(mutate(change), query)))).toBeNull();
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });

  it('has as many requests in the rows of a finding as the finding counts', () => {
    fc.assert(
      fc.property(changes, (change) => {
        const counts = answerOf(() => {
          const { findings = [], rows = [] } = view(mutate(change), { view: 'problems', limit: 100_000 });
          return findings.map(({ problem, requests }) => [problem, requests, rows.filter(([name]) => name === problem).length]);
        });
        const unequal = 'answer' in counts ? (JSON.parse(counts.answer) as [string, number, number][]) : [];
        expect(unequal.filter(([, requests, rows]) => requests !== rows)).toEqual([]);
      }),
      { numRuns: sampleSize({ full: 500, short: 100 }) },
    );
  });

  it('is compared with another one in both directions, or refused with words', () => {
    fc.assert(
      fc.property(changes, changes, (one, other) => {
        expect(fault(answerOf(() => comparison(mutate(one), BASE)))).toBeNull();
        expect(fault(answerOf(() => comparison(mutate(one), mutate(other))))).toBeNull();
      }),
      { numRuns: sampleSize({ full: 500, short: 100 }) },
    );
  });

  it('is the same file when it is compared with itself', { tags: 'nightly' }, () => {
    fc.assert(
      fc.property(changes, (change) => {
        const result = answerOf(() => {
          const { matched: _, ...changed } = comparison(mutate(change), mutate(change)).counts;
          return Object.values(changed).filter((count) => count > 0);
        });
        expect('answer' in result ? result.answer : '[]').toBe('[]');
      }),
      { numRuns: sampleSize({ full: 500, short: 100 }) },
    );
  });
});

describe('50,000 requests', () => {
  const most = sampleSize({ full: 50_000, short: 20_000 });

  it.each(shapes)('are read in every view and compared in a time that grows with their number: %s', { tags: 'nightly' }, (_shape, make) => {
    const workOf = (count: number) => {
      const file = har(Array.from({ length: count }, (_, index) => make(index, count)));
      return () => {
        const read = readHar(file);
        for (const name of HAR_VIEWS) expect(viewOf(read, { view: name }).view).toBe(name);
        expect(viewOf(read, { url: 'a.js' }).page?.matched).toBeLessThanOrEqual(count);
        expect(comparisonOf(read, { ...read, entries: read.entries.slice(1) }).counts).toMatchObject({ matched: count - 1, removed: 1 });
      };
    };
    // Ten times the entries take about ten times as long; a search in the square takes a hundred.
    expect(growthOf(workOf(most / 10), workOf(most), 40)).toBeLessThan(40);
  });
});
