import { describe, expect, test } from 'vitest';
import type { Http } from '../../src/api/http.ts';
import { failure } from '../support/failure.ts';
import { openClient, tokenBody } from '../support/stub-platform.ts';

const PUBLIC = 'https://auth.example.com';

/** A token service that names this endpoint; everything that is sent is kept. */
function naming(endpoint: string) {
  const sent: string[] = [];
  const http: Http = {
    async send({ url }) {
      sent.push(url);
      const body = url.endsWith('/token')
        ? tokenBody({ endpoint, tokenRequests: [] })
        : { scopes: 'metrics', permissions: { projects: [] } };
      return { status: 200, retryAfter: undefined, pieces: [Buffer.from(JSON.stringify(body))] };
    },
    close: async () => undefined,
  };
  return { http, sent };
}

describe('an endpoint that a public authentication server names', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://localhost:6379',
    'https://127.0.0.1',
    'https://10.0.0.5',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254/latest',
    'https://100.64.0.1',
    'https://0.0.0.0',
    'https://[::1]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://[::ffff:10.0.0.5]',
    'https://2130706433',
    'https://0x7f.1',
    'https://017700000001',
    'https://[64:ff9b::a00:5]',
  ])('is refused when it leads inside: %s', async (endpoint) => {
    const { http, sent } = naming(endpoint);
    const error = await failure(openClient({ url: PUBLIC }, { http }).authenticate());
    expect([error.kind, error.message]).toEqual(['forbidden', expect.stringContaining('leads into this machine or the network behind it')]);
    expect(error.message).toContain('WEB_ANALYTICS_ENDPOINT_DOMAINS allows it');
    expect(sent.every((url) => url.startsWith(PUBLIC))).toBe(true);
  });

  test('is taken when it lies outside, when the operator lists it, or when the server itself is inside', async () => {
    const taken = async (url: string, endpoint: string, endpointDomains?: readonly string[]) =>
      (await openClient({ url }, { http: naming(endpoint).http, endpointDomains }).authenticate()).endpoint;
    expect(await taken(PUBLIC, 'https://8.8.8.8')).toBe('https://8.8.8.8');
    expect(await taken(PUBLIC, 'https://10.0.0.5', ['10.0.0.5'])).toBe('https://10.0.0.5');
    expect(await taken('https://10.0.0.2', 'https://10.0.0.5')).toBe('https://10.0.0.5');
  });
});
