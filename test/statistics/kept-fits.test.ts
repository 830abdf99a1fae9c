import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fitChannel, inTurns, keptFit } from '../../src/statistics/kept-fits.ts';
import { times } from '../support/times.ts';

let made: unknown[] = [];
const hear = (name: unknown) => void made.push(name);

beforeEach(() => {
  made = [];
  fitChannel.subscribe(hear);
});

afterEach(() => {
  fitChannel.unsubscribe(hear);
  vi.restoreAllMocks();
});

const VALUES = [3, 1, 4, 1, 5];
const meanOf = (name: string, values: readonly number[], scale: number) =>
  keptFit(name, [values, scale], () => ({ mean: (scale * values.reduce((sum, value) => sum + value, 0)) / values.length }));

describe('a fit that is kept', () => {
  it('is made once for the same content, whichever list holds it', () => {
    const [first, ...others] = [VALUES, VALUES, [...VALUES]].map((values) => meanOf('once', values, 2));
    expect(first).toEqual({ mean: 5.6 });
    for (const other of others) expect(other).toBe(first);
    expect(made).toEqual(['once']);
  });

  it('is another one with another name, option or value, however little it differs', () => {
    const asked = [
      meanOf('one', VALUES, 1),
      meanOf('other', VALUES, 1),
      meanOf('one', VALUES, 1.0000000000000002),
      meanOf('one', [3, 1, 4, 1, 5.000000000000001], 1),
      meanOf('one', [3, 1, 4, 15], 1),
    ];
    expect(new Set(asked).size).toBe(5);
    expect(asked[2]?.mean).toBeGreaterThan(asked[0]?.mean ?? 0);
  });

  it('tells numbers that JSON cannot write from each other, and text from numbers', () => {
    const inputs = [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      undefined,
      1,
      '1',
      [1],
      { at: [Number.NaN] },
      { at: [null] },
    ];
    expect(inputs.map((input, at) => keptFit('exact', [input], () => at))).toEqual(inputs.map((_, at) => at));
  });

  it('cannot be changed', () => {
    const kept = keptFit('frozen', [VALUES], () => ({ parts: [{ height: 1 }] }));
    expect(() => Object.assign(kept.parts[0] ?? {}, { height: 2 })).toThrow(TypeError);
    expect(() => (kept.parts as unknown[]).push(1)).toThrow(TypeError);
  });

  it('may be nothing, and is not kept where it fails', () => {
    const nothing = () => keptFit('nothing', [VALUES], () => undefined);
    expect([nothing(), nothing()]).toEqual([undefined, undefined]);
    const fails = () =>
      keptFit('fails', [VALUES], () => {
        throw new RangeError('no');
      });
    expect(fails).toThrow('no');
    expect(fails).toThrow('no');
    expect(made).toEqual(['nothing']);
  });

  it('goes when there is no more room, the longest unused first', () => {
    const large = (at: number) => keptFit('large', [at], () => ({ at, values: new Float64Array(1_048_576) }));
    const count = 12;
    for (let at = 0; at < count; at += 1) {
      large(at);
      large(0);
    }
    expect(made).toHaveLength(count);
    expect(large(0).at).toBe(0);
    expect(large(count - 1).at).toBe(count - 1);
    expect(made).toHaveLength(count);
    expect(large(1).at).toBe(1);
    expect(made).toHaveLength(count + 1);
  });
});

/** A computation of so many fits, one of which asks for another. */
function sumOfFits(count: number, name: string): number {
  const values = times(count, (at) => keptFit(name, [at], () => 10 * at + keptFit(`inner ${name}`, [at], () => at)));
  return values.reduce((sum, value) => sum + value, 0);
}

it('a computation in turns lets others run before each fit that the turn has no time for, and comes to the same end', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
  const turns: number[] = [];
  const state = { hasEnded: false };
  const count = () => {
    turns.push(made.length);
    if (!state.hasEnded) setImmediate(count);
  };
  setImmediate(count);
  const sum = await inTurns(AbortSignal.any([]), () => sumOfFits(8, 'turns'));
  state.hasEnded = true;
  expect(sum).toBe(sumOfFits(8, 'turns'));
  expect(made).toHaveLength(16);
  // A fit with the one that it asked for, at most.
  expect(Math.max(...turns.map((fits, at) => fits - (turns[at - 1] ?? 0)))).toBeLessThanOrEqual(2);
});

it('a computation in turns gets on although what it fitted finds no room', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
  const large = () => times(4, (at) => keptFit('too large', [at], () => ({ at, values: new Float64Array(9_000_000) }))).map(({ at }) => at);
  expect(await inTurns(AbortSignal.any([]), large)).toEqual([0, 1, 2, 3]);
  expect(made).toHaveLength(4);
});

it('a computation in turns fails as the computation does, and with the reason of its signal', async () => {
  const fails = () => {
    throw new RangeError('no');
  };
  await expect(inTurns(AbortSignal.any([]), fails)).rejects.toThrow('no');
  await expect(inTurns(AbortSignal.abort(new Error('left')), () => 1)).rejects.toThrow('left');
});
