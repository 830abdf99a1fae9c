import { expect, test } from 'vitest';
import { createRateLimit, RATE_LIMITED } from '../../src/tooling/call-errors.ts';
import { manualClock } from '../support/clock.ts';

/** A limit with a count of what it lets through. */
function limited(perMinute: number) {
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  const limit = createRateLimit({ clock, perMinute });
  const passes = (calls: number, principal = 'anna'): number => {
    let passed = 0;
    for (let call = 0; call < calls; call += 1) {
      try {
        limit.admit(principal);
        passed += 1;
      } catch {
        // counted by what is missing
      }
    }
    return passed;
  };
  return { clock, limit, passes };
}

test('a limit of 60 calls a minute lets 60 through at once and one more each second, never more than 60 together', async () => {
  const { clock, passes } = limited(60);
  expect(passes(100)).toBe(60);
  await clock.advance(999);
  expect(passes(1)).toBe(0);
  await clock.advance(1);
  expect(passes(5)).toBe(1);
  await clock.advance(10_000);
  expect(passes(100)).toBe(10);
  await clock.advance(3_600_000);
  expect(passes(100)).toBe(60);
});

test('a limit of 60 calls a minute is counted for each principal', () => {
  const { passes } = limited(60);
  expect([passes(100, 'anna'), passes(100, 'ben')]).toEqual([60, 60]);
});

test('a limit of 60 calls a minute says when the next call is due, which then passes', async () => {
  const { clock, limit, passes } = limited(60);
  passes(60);
  await clock.advance(400);
  expect(() => limit.admit('anna')).toThrow(
    expect.objectContaining({
      kind: 'busy',
      code: RATE_LIMITED,
      retryAfterMs: 600,
      message: expect.stringContaining('60 calls a minute'),
    }),
  );
  await clock.advance(600);
  expect(passes(2)).toBe(1);
});

test('a limit of 60 calls a minute gives nothing for a clock that is set back, and nothing twice', async () => {
  const { clock, passes } = limited(60);
  passes(60);
  clock.jump(-3_600_000);
  expect(passes(10)).toBe(0);
  await clock.advance(2_000);
  expect(passes(10)).toBe(2);
});

test('a limit of one call a minute is one', async () => {
  const { clock, passes } = limited(1);
  expect(passes(3)).toBe(1);
  await clock.advance(59_999);
  expect(passes(1)).toBe(0);
  await clock.advance(1);
  expect(passes(1)).toBe(1);
});
