import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import {
  INNER_ADDRESS,
  isInnerAddress,
  leadsInside,
  networkFailure,
  openConnections,
  outsideLookup,
  type Resolve,
  startIdleTimeout,
} from '../../src/api/connections.ts';
import { outlineOf } from '../../src/api/json.ts';
import { times } from '../support/times.ts';

describe('which limit a JSON text exceeds', () => {
  const limits = { maxDepth: 3, maxContainers: 5 };

  test.each([
    ['', undefined],
    ['[[[]]]', undefined],
    ['[[[[', 'depth'],
    ['{"a":{"b":{}}}', undefined],
    ['{"a":[{"b":{', 'depth'],
    ['[[],[],[],[]]', undefined],
    ['[[],[],[],[],[]]', 'containers'],
    ['[{},{},{},{},{}', 'containers'],
    ['[[[]],[[]]]', undefined],
    ['"[[[["', undefined],
    [String.raw`["\"[[[[", "\\", []]`, undefined],
    [String.raw`["\\", [[[[`, 'depth'],
    [String.raw`["\"", [[[[`, 'depth'],
    ['"[[[[', undefined],
    ['"', undefined],
    [String.raw`"\\`, undefined],
    ['}}}}[[[', undefined],
    [';[[[', undefined],
  ])('%s: %s', (text, expected) => {
    const bytes = Buffer.from(text);
    for (const pieces of [[bytes], Array.from(bytes, (byte) => Buffer.of(byte))]) expect(outlineOf(pieces, limits).excess).toBe(expected);
  });
});

test.each([
  ['0.255.255.255', '1.0.0.0'],
  ['10.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.63.255.255'],
  ['100.127.255.255', '100.128.0.0'],
  ['127.255.255.255', '128.0.0.0'],
  ['169.254.169.254', '169.253.255.255'],
  ['172.16.0.0', '172.15.255.255'],
  ['172.31.255.255', '172.32.0.0'],
  ['192.0.0.255', '192.0.1.0'],
  ['192.168.0.1', '192.169.0.0'],
  ['198.19.255.255', '198.20.0.0'],
  ['224.0.0.0', '223.255.255.255'],
  ['::1', '::1:0:0:1'],
  ['::ffff:10.0.0.1', '::ffff:11.0.0.1'],
  ['fd00::1', 'fe00::1'],
  ['fe80::1%eth0', '2600::1'],
  ['fec0::1', '2001:db8::1'],
  ['ff02::1', '2003::'],
  ['64:ff9b::1', '64:ff9b:2::1'],
  ['2002::1', '2001:4860:4860::8888'],
])('addresses of inner networks %s is one, %s is none', (inside, outside) => {
  expect([isInnerAddress(inside), isInnerAddress(outside)]).toEqual([true, false]);
});

test('addresses of inner networks what is no address counts as inner, and no name is looked up', () => {
  expect(['', 'example.com', '1.2.3', '1.2.3.4x'].map(isInnerAddress)).toEqual([true, true, true, true]);
  const leads = (address: string) => leadsInside(new URL(address));
  expect(['http://localhost:1/', 'http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.1/', 'http://[fd00::1]/'].map(leads)).toEqual(
    times(5, () => true),
  );
  expect(['http://example.com/', 'http://inner.example/', 'http://8.8.8.8/', 'http://[2600::1]/'].map(leads)).toEqual(
    times(4, () => false),
  );
});

describe('names are resolved to public addresses', () => {
  const table: Record<string, string[]> = {
    'mixed.example': ['10.0.0.1', '8.8.8.8', '2600::1'],
    'inner.example': ['10.0.0.1', '10.0.0.2'],
    'base.example': ['192.168.1.1'],
    'split.example': ['192.168.1.1', '8.8.4.4'],
    'empty.example': [],
  };
  const resolve: Resolve = (hostname, _, callback) => {
    const found = table[hostname];
    if (!found) callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), undefined as never);
    else
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  const look = (hostname: string, { unlessInside, all = false }: { unlessInside?: string; all?: boolean } = {}) =>
    new Promise<unknown>((settle) => {
      outsideLookup(resolve, unlessInside)(hostname, { all }, (error, address, family) => {
        settle(error ? error.code : all ? address : [address, family]);
      });
    });

  test('one, or all', async () => {
    expect(await look('mixed.example')).toEqual(['8.8.8.8', 4]);
    expect(await look('mixed.example', { all: true })).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2600::1', family: 6 },
    ]);
  });

  test.each([
    ['inner.example', undefined, INNER_ADDRESS],
    ['empty.example', undefined, INNER_ADDRESS],
    ['nowhere.example', undefined, 'ENOTFOUND'],
    ['nowhere.example', 'base.example', 'ENOTFOUND'],
    ['inner.example', 'base.example', ['10.0.0.1', 4]],
    ['inner.example', '192.168.1.1', ['10.0.0.1', 4]],
    ['inner.example', '[::1]', ['10.0.0.1', 4]],
    ['inner.example', '8.8.8.8', INNER_ADDRESS],
    ['inner.example', 'split.example', INNER_ADDRESS],
    ['inner.example', 'empty.example', INNER_ADDRESS],
    ['inner.example', 'nowhere.example', INNER_ADDRESS],
    ['mixed.example', 'base.example', ['8.8.8.8', 4]],
  ])('%s beside a platform at %s', async (hostname, unlessInside, expected) => {
    expect(await look(hostname, unlessInside === undefined ? {} : { unlessInside })).toEqual(expected);
  });

  test('the refusal names the host', async () => {
    const error = await new Promise<Error | null>((settle) => outsideLookup(resolve)('inner.example', {}, settle));
    expect(error?.message).toBe('inner.example leads into this machine or the network behind it');
  });
});

describe('failures of the network', () => {
  const failing = (code: string, message = 'fetch failed') => Object.assign(new Error(message), { code });
  test.each([
    [failing('ECONNREFUSED'), 'x.example refused the connection.', true],
    [failing('ENOTFOUND'), 'The name of x.example could not be resolved.', true],
    [failing('EAI_AGAIN'), 'The name of x.example could not be resolved.', true],
    [failing('UND_ERR_CONNECT_TIMEOUT'), 'x.example did not take the connection in time.', true],
    [failing('ETIMEDOUT'), 'x.example did not take the connection in time.', true],
    [failing('CERT_HAS_EXPIRED'), 'The certificate of x.example is not accepted (CERT_HAS_EXPIRED).', false],
    [failing('ERR_SSL_WRONG_VERSION_NUMBER'), 'x.example does not speak TLS as expected (ERR_SSL_WRONG_VERSION_NUMBER).', true],
    [failing('NO_CERT_HERE'), 'The connection to x.example broke (NO_CERT_HERE).', true],
    [failing('HPE_INVALID_CONSTANT'), 'x.example answered something that is not HTTP.', true],
    [failing('X_HPE_'), 'The connection to x.example broke (X_HPE_).', true],
    [failing('X', 'unexpected HTTP/1.1 protocol'), 'x.example answered something that is not HTTP.', true],
    [Object.assign(new AggregateError([failing('ECONNREFUSED')], ''), {}), 'x.example refused the connection.', true],
    [Object.assign(new Error('fetch failed'), { cause: failing('ENOTFOUND') }), 'The name of x.example could not be resolved.', true],
    [Object.assign(new Error('odd'), { code: 5 }), 'The connection to x.example broke.', true],
    ['text', 'The connection to x.example broke.', true],
    [null, 'The connection to x.example broke.', true],
  ])('%s', (error, message, transient) => {
    expect(networkFailure(error, { host: 'x.example', outcomeUnknown: false })).toMatchObject({
      kind: 'down',
      message,
      transient,
      outcomeUnknown: false,
    });
  });

  test.each(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'])('%s', (code) => {
    const failure = networkFailure(failing(code), { host: 'x.example', outcomeUnknown: false });
    expect(failure).toMatchObject({ kind: 'down', transient: false, code });
    const remedy =
      'If an authority of your own signed it, such as that of a proxy which opens TLS, NODE_EXTRA_CA_CERTS has to name its PEM file.';
    expect(failure.message).toBe(`The certificate of x.example is not accepted (${code}). ${remedy}`);
  });

  test.each([
    [failing('ECONNREFUSED'), 'The proxy http://p:1 of ALL_PROXY refused the connection. It is on the way to x.example.', true],
    [failing('UND_ERR_INVALID_ARG', 'Proxy Authentication Required (407)'), 'The proxy http://p:1 of ALL_PROXY requires a user', false],
    [failing('UND_ERR_SOCKS5_AUTH_REJECTED'), 'The proxy http://p:1 of ALL_PROXY requires a user and a password: in its', false],
    [failing('UND_ERR_SOCKS5_REPLY_4', 'Host unreachable'), 'of ALL_PROXY did not connect to x.example (Host unreachable).', true],
  ])('%s of a proxy', (error, message, transient) => {
    const proxy = { origin: 'http://p:1', protocol: 'http:', variable: 'ALL_PROXY', signIn: undefined } as const;
    const failure = networkFailure(error, { host: 'x.example', outcomeUnknown: true, proxy });
    expect(failure.message).toContain(message);
    expect(failure).toMatchObject({
      kind: transient ? 'down' : 'settings',
      code: `ERR_PROXY_${error.code}`,
      transient,
      outcomeUnknown: true,
      saysWayOn: true,
    });
    const ofHost = networkFailure(failing('CERT_HAS_EXPIRED'), { host: 'x.example', outcomeUnknown: false, proxy });
    expect(ofHost.message).toBe('The certificate of x.example is not accepted (CERT_HAS_EXPIRED).');
  });

  test('a name that leads inside is not tried again, and the setting that allows it is named', () => {
    const failure = networkFailure(failing(INNER_ADDRESS), { host: 'x.example', outcomeUnknown: false });
    expect(failure).toMatchObject({ transient: false, code: INNER_ADDRESS });
    expect(failure.message).toBe(
      'x.example leads into this machine or the network behind it, so it was not called; if that is meant, ' +
        'WEB_ANALYTICS_ENDPOINT_DOMAINS allows it.',
    );
    expect(networkFailure({}, { host: 'x.example', outcomeUnknown: true })).toMatchObject({ code: undefined, outcomeUnknown: true });
  });
});

test('a timeout of silence ends what is silent, starts again with each sign, and stops without a trace', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { signal } = new AbortController();
    const timeout = startIdleTimeout({ idleTimeoutMs: 100, signal });
    vi.advanceTimersByTime(99);
    timeout.refresh();
    vi.advanceTimersByTime(99);
    expect([timeout.signal.aborted, timeout.hasExpired()]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    expect([timeout.signal.aborted, timeout.hasExpired()]).toEqual([true, true]);
    const stopped = startIdleTimeout({ idleTimeoutMs: 100, signal });
    stopped.stop();
    vi.advanceTimersByTime(1_000);
    expect(stopped.signal.aborted).toBe(false);
    timeout.stop();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

test('a timeout of silence hands on the reason of the caller, which is no expiry', () => {
  const enough = new Error('enough');
  const controller = new AbortController();
  const timeout = startIdleTimeout({ signal: controller.signal });
  timeout.refresh();
  controller.abort(enough);
  expect([timeout.signal.reason, timeout.hasExpired()]).toEqual([enough, false]);
  expect(startIdleTimeout({ idleTimeoutMs: 5, signal: controller.signal }).signal.reason).toBe(enough);
  timeout.stop();
});

test('connections to each proxy are kept, and those of addresses that need none are the direct ones', async () => {
  const environment = { HTTPS_PROXY: 'p.example:1', HTTP_PROXY: 'socks5://q.example', NO_PROXY: 'direct.example' };
  const connections = await openConnections({ environment });
  const route = (address: string) => connections.route(new URL(address));
  const [tunnel, socks, direct] = ['https://x.example/', 'http://x.example/', 'https://direct.example/'].map(route);
  expect(new Set([tunnel?.dispatcher, socks?.dispatcher, direct?.dispatcher]).size).toBe(3);
  expect([tunnel?.proxy, socks?.proxy?.variable, direct?.proxy]).toEqual([undefined, 'HTTP_PROXY', undefined]);
  expect(route('https://y.example/').dispatcher).toBe(tunnel?.dispatcher);
  expect(route('http://localhost/').dispatcher).toBe(direct?.dispatcher);
  await connections.close();
});
