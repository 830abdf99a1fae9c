import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { json, openClient, openStub, SECRET, text, tokenBody } from '../support/stub-platform.ts';

const { listSegments } = operations;

describe('secrets', () => {
  test('never appear in an error or a log line, whoever echoes them', async () => {
    const lines: string[] = [];
    const echo = [SECRET, encodeURIComponent(SECRET), Buffer.from(`client-1:${SECRET}`).toString('base64'), 'Bearer opaque-canary-token'];
    for (const status of [200, 400, 500]) {
      for (const body of [
        { success: false, errorMessage: echo.join(' '), errorCode: SECRET },
        { [SECRET]: echo },
        echo.join(),
        `<title>${SECRET}</title>`,
      ]) {
        const answer = typeof body === 'string' ? text(status, body) : json(status, body);
        for (const place of ['me', 'token', 'answers'] as const) {
          const stub = await openStub(place === 'answers' ? { answers: [answer] } : { [place]: answer });
          if (place !== 'token') stub.token = json(200, tokenBody(stub, { access_token: 'opaque-canary-token' }));
          const client = openClient(stub, { log: (_, line) => lines.push(line), random: () => 0 });
          const error: unknown = await (place === 'me' ? client.credential() : client.call(listSegments, {})).catch(
            (reason: unknown) => reason,
          );
          const seen = inspect(error, { depth: 9 }) + JSON.stringify(error);
          for (const canary of ['canary', 'Y2FuYXJ5', 'secret+7f3a9c', '7f3a9c']) expect(seen).not.toContain(canary);
          await client.close();
        }
      }
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toMatch(/canary|7f3a9c|opaque/);
  });

  test('are removed from any text, tokens too', async () => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { access_token: 'opaque-canary-token' }));
    const client = openClient(stub);
    await client.authenticate();
    expect(client.redact(`a ${SECRET} b opaque-canary-token c`)).toBe('a [redacted] b [redacted] c');
    expect(JSON.stringify(await client.authenticate())).not.toContain('canary');
  });
});
