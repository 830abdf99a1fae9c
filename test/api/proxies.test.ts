import { describe, expect, test } from 'vitest';
import { type Environment, proxyFor } from '../../src/api/proxies.ts';

const originFor = (address: string, environment: Environment) => proxyFor(new URL(address), environment)?.origin;

describe('which proxy an address is reached through', () => {
  const all = { https_proxy: 'a:1', HTTPS_PROXY: 'b:1', all_proxy: 'c:1', ALL_PROXY: 'd:1', http_proxy: 'e:1', HTTP_PROXY: 'f:1' };
  const named = Object.keys(all);

  test.each([
    ['https://api.example/', named],
    ['http://api.example/', ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']],
  ])('%s: of several the first that is set', (address, order) => {
    const left: Environment = { ...all };
    const found = order.map((_, at) => {
      const emptied = Object.fromEntries(order.slice(0, at).map((name) => [name, at % 2 === 0 ? '' : ' ']));
      return proxyFor(new URL(address), { ...left, ...emptied })?.variable;
    });
    expect(found).toEqual(order);
    expect(originFor(address, Object.fromEntries(order.map((name) => [name, ''])))).toBeUndefined();
  });

  test.each(['https://localhost/', 'http://127.0.0.1:8080/', 'https://[::1]/', 'http://x.localhost/'])('%s: none', (address) => {
    expect(originFor(address, { ...all, HTTPS_PROXY: 'ftp://x' })).toBeUndefined();
  });

  test.each([
    ['proxy.example:3128', 'http://proxy.example:3128', undefined],
    [' http://proxy.example:3128/ ', 'http://proxy.example:3128', undefined],
    ['https://proxy.example', 'https://proxy.example', undefined],
    ['HTTP://10.0.0.1:8080', 'http://10.0.0.1:8080', undefined],
    ['http://[fd00::1]:3128', 'http://[fd00::1]:3128', undefined],
    ['socks5://proxy.example:1080', 'socks5://proxy.example:1080', undefined],
    ['socks5h://proxy.example', 'socks5://proxy.example', undefined],
    ['socks://proxy.example', 'socks5://proxy.example', undefined],
    ['http://anna@proxy.example:3128', 'http://proxy.example:3128', { username: 'anna', password: '' }],
    ['anna:p%40ss%3a@proxy.example:3128', 'http://proxy.example:3128', { username: 'anna', password: 'p@ss:' }],
    ['http://d%5Canna:100%@proxy.example:3128', 'http://proxy.example:3128', { username: 'd\\anna', password: '100%' }],
  ])('%s', (address, origin, signIn) => {
    expect(proxyFor(new URL('https://api.example/'), { HTTPS_PROXY: address })).toMatchObject({ origin, variable: 'HTTPS_PROXY', signIn });
  });

  test.each([
    ['http://', 'is not a valid address of a proxy'],
    ['://', 'is not a valid address of a proxy'],
    ['http://anna:can#ary@proxy.example:3128', 'is not a valid address of a proxy'],
    ['socks5://', 'is not the address of a proxy alone'],
    ['socks4://canary@proxy.example', 'names a proxy of the kind socks4, which is not supported'],
    ['ftp://canary@proxy.example', 'names a proxy of the kind ftp, which is not supported'],
    ['http://wpad/canary.dat', 'is not the address of a proxy alone'],
    ['http://anna:12/canary@proxy.example', 'is not the address of a proxy alone'],
  ])('%s is refused without showing it, where it is what applies', (address, reason) => {
    const failing = () => proxyFor(new URL('https://api.example/'), { https_proxy: address, NO_PROXY: 'other.example' });
    expect(failing).toThrow(`https_proxy ${reason}; expected http://host:port`);
    expect(failing).not.toThrow('canary');
    expect(originFor('https://api.example/', { https_proxy: address, NO_PROXY: 'example' })).toBeUndefined();
  });
});

test.each([
  ['api.example', 'https://api.example/', true],
  ['api.example', 'https://v2.API.example./', true],
  ['api.example', 'https://other-api.example/', false],
  ['.api.example', 'https://api.example/', true],
  ['*.api.example', 'https://v2.api.example/', true],
  ['API.Example.', 'https://api.example/', true],
  ['one.example, two.example\tthree.example', 'https://three.example/', true],
  ['*', 'https://api.example/', true],
  ['one.example,*', 'https://api.example/', true],
  ['api.example:443', 'https://api.example/', true],
  ['api.example:8443', 'https://api.example/', false],
  ['api.example:8443', 'https://api.example:8443/', true],
  ['*:8443', 'https://api.example:8443/', true],
  ['api.example:80', 'http://api.example/', true],
  ['10.1.2.3', 'https://10.1.2.3/', true],
  ['10.1.2.3', 'https://10.1.2.30/', false],
  ['2.3', 'https://10.1.2.3/', false],
  ['10.1.2.3:443', 'https://10.1.2.3/', true],
  ['10.1.2.3:80', 'https://10.1.2.3/', false],
  ['10.0.0.0/8', 'https://10.1.2.3/', true],
  ['10.0.0.0/8', 'https://11.1.2.3/', false],
  ['10.0.0.0/8', 'https://10.example/', false],
  ['0.0.0.0/0', 'https://11.1.2.3/', true],
  ['10.0.0.0/33', 'https://10.1.2.3/', false],
  ['10.0.0.0/x', 'https://10.1.2.3/', false],
  ['fd00::/8', 'https://[fd12::1]/', true],
  ['fd00::/8', 'https://[fe80::1]/', false],
  ['fd12:0::1', 'https://[fd12::1]/', true],
  ['[fd12::1]', 'https://[fd12::1]/', true],
  ['[fd12::1]:443', 'https://[fd12::1]/', true],
  ['[fd12::1]:8443', 'https://[fd12::1]/', false],
  ['::/0', 'https://10.1.2.3/', false],
  ['', 'https://api.example/', false],
  [',, ', 'https://api.example/', false],
  ['.', 'https://api.example/', false],
])('what NO_PROXY leaves out "%s" for %s: %s', (list, address, isExempt) => {
  expect(originFor(address, { HTTPS_PROXY: 'p:1', HTTP_PROXY: 'p:1', NO_PROXY: list }) === undefined).toBe(isExempt);
});

test('what NO_PROXY leaves out the lower-case variable counts before the other', () => {
  expect(originFor('https://api.example/', { HTTPS_PROXY: 'p:1', NO_PROXY: 'api.example', no_proxy: 'x.example' })).toBe('http://p:1');
  expect(originFor('https://api.example/', { HTTPS_PROXY: 'p:1', NO_PROXY: 'api.example', no_proxy: '' })).toBeUndefined();
});
