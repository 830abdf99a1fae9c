import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { HEADERS, openRawSession, post, post2026, send, sharedService } from '../../support/http.ts';
import { sampleSize } from '../../support/sample-size.ts';

const service = sharedService();

/** Messages that are nearly right: known names in the wrong places, values of any kind. */
const word = fc.constantFrom(
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  '_meta',
  'name',
  'arguments',
  'uri',
  'requestId',
  'notifications',
);
const known = fc.constantFrom(
  '2.0',
  'initialize',
  'tools/call',
  'tools/list',
  'resources/read',
  'subscriptions/listen',
  'server/discover',
  'notifications/cancelled',
  'list_goals',
);
const leaf = fc.oneof(known, fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const { body } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('body'), fc.array(tie('value'), { maxLength: 3 })),
  body: fc.dictionary(word, tie('value'), { maxKeys: 6 }),
}));
const message = fc.oneof(
  body,
  fc.record({ jsonrpc: fc.constant('2.0'), id: leaf, method: known, params: body }),
  fc.array(body, { maxLength: 3 }),
);

it('whatever is sent is refused or answered, never a fault of the server, and the next caller is served', async () => {
  const { url } = service();
  const session = await openRawSession(url);
  const modern = { 'mcp-protocol-version': '2026-07-28' };
  await fc.assert(
    fc.asyncProperty(message, fc.constantFrom({}, session, modern), async (value, headers) => {
      const patience = AbortSignal.timeout(5_000);
      // A stream may stay open: what counts is how it began.
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...HEADERS, ...headers },
        body: JSON.stringify(value),
        signal: patience,
      });
      await response.body?.cancel();
      expect([200, 202, 400, 404, 406, 429]).toContain(response.status);
    }),
    { numRuns: sampleSize({ full: 200, short: 40 }) },
  );
  expect((await post(url, { id: 'after', method: 'tools/list' }, await openRawSession(url))).status).toBe(200);
  expect((await post2026(url, 'tools/list')).status).toBe(200);
  expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200);
});
