import { expect, test } from 'vitest';
import { digest, loggedRequestId } from '../../src/telemetry/call-watch.ts';

test('an id stands in logs as operators can compute it', () => {
  // printf token:alice | sha256sum
  expect(digest('token:alice')).toBe('142cf5f743a9');
});

test.each([
  [7, 7],
  ['7', '7'],
  ['0b8f4a0e-9f4e-4b0c-8d4e-2f1f6a0f7a11', '0b8f4a0e-9f4e-4b0c-8d4e-2f1f6a0f7a11'],
  ['request of Anna', digest('request of Anna')],
  ['7\n{"level":"error"}', digest('7\n{"level":"error"}')],
  ['1'.repeat(21), digest('1'.repeat(21))],
])('a request id %j is written as %j', (id, written) => {
  expect(loggedRequestId(id)).toBe(written);
});
