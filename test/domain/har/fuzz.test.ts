import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarError } from '../../../src/domain/har/read/har-model.ts';
import { readHar } from '../../../src/domain/har/read/read-har.ts';
import { sanitiseHar } from '../../../src/domain/har/sanitise/sanitise-har.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { digestOf } from './analyse/views.ts';
import { harSchema } from './har-schema.ts';
import { BASE, changes, mutate } from './mutations.ts';

/** What became of a file: faults of the copy, a summary, or the words of an error; any other error is thrown. */
function analyse(file: unknown): { issues?: unknown; summary?: string; error?: string } {
  try {
    const read = readHar(file);
    return { issues: harSchema.safeParse(sanitiseHar(read)).error?.issues, summary: JSON.stringify(digestOf(read)) };
  } catch (error) {
    if (error instanceof HarError) return { error: error.message };
    throw error;
  }
}

function expectAnswer({ issues, summary = '', error = 'A sentence of words.' }: ReturnType<typeof analyse>): void {
  expect(issues).toBeUndefined();
  expect(summary).not.toMatch(/NaN|Infinity|undefined/);
  expect(error).toMatch(/^[A-Z].{15,}\.$/);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('any file', () => {
  it('with changed members gives a valid copy and a summary, or a worded error', { tags: 'nightly' }, () => {
    fc.assert(
      fc.property(changes, (change) => {
        const file = mutate(change);
        const answer = analyse(file);
        expectAnswer(answer);
        expect(analyse(JSON.stringify(file))).toEqual(answer);
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });

  it('as cut or stained text gives a result or an error with the place', () => {
    fc.assert(
      fc.property(fc.nat(BASE.length), fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(5), (position, stain, removed) => {
        const text = BASE.slice(0, position) + stain + BASE.slice(position + removed);
        const answer = analyse(text);
        expectAnswer(answer);
        expect(/position \d+ \(line \d+, column \d+\)/.test(answer.error ?? '')).toBe(!isJson(text));
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });

  it('of any text or value gives a result or a worded error', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json(), fc.anything());
    fc.assert(
      fc.property(anything, (input) => {
        const { summary, error } = analyse(input);
        expect(summary ?? error).toMatch(/.{15,}/);
      }),
    );
  });

  it('nested 200,000 deep is read or refused', () => {
    const depth = 200_000;
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    expect(analyse(`{"log":{"entries":[],"_x":${deep}}}`).summary).toContain('"requests":0');
    expect(analyse(`{"log":{"entries":${deep}}}`).error).toMatch(/^No entry of the HAR file/);
    expect(analyse(`{"log":{"entries":${deep.slice(0, -depth)}`).error).toMatch(
      /see position 10016 .* where an end to 10000 levels of nesting is expected/,
    );
  });
});
