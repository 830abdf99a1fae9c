import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostOf } from '../../../src/domain/har/read/addresses.ts';
import { sanitiseText, sanitiseUrl, shortUrl } from '../../../src/domain/har/sanitise/sanitise-url.ts';

const HEX = '0123456789abcdef0123456789abcdef';

describe('sanitiseUrl', () => {
  it.each([
    ['user info and fragment', 'https://me:pw@www.shop.example:8443/a#secret', 'https://www.shop.example:8443/a'],
    ['user info with an @ in the password', 'https://me:p@w@www.shop.example/', 'https://www.shop.example/'],
    ['query values', 'https://s.example/?q=shoes&sid=12', 'https://s.example/?q=[removed]&sid=[removed]'],
    ['a query without a name', 'https://s.example/?c2VjcmV0', 'https://s.example/?[removed]'],
    ['a secret as a name', `https://s.example/?${HEX}=1&a@b.c=2`, 'https://s.example/?[removed]=[removed]&[removed]=[removed]'],
    [
      'a harmless name with another value',
      'https://s.example/?w=20&page=jane&v=123456',
      'https://s.example/?w=20&page=[removed]&v=[removed]',
    ],
    ['versions, languages, booleans', 'https://s.example/?v=1.2.3&lang=pt-BR&crop=true', 'https://s.example/?v=1.2.3&lang=pt-BR&crop=true'],
    ['a JWT in the path', 'https://s.example/eyJhbGciOiJub25lIn0.eyJzdWIiOjF9.x/a', 'https://s.example/[removed]/a'],
    ['hex in a file name', `https://s.example/app-${HEX}.min.js`, 'https://s.example/[removed].min.js'],
    ['a UUID', 'https://s.example/s/530e5ff1-7b5e-4441-b4c2-31f9c84f5aba', 'https://s.example/s/[removed]'],
    ['random letters', 'https://s.example/i/aB3dE5gH7jK9mN1p', 'https://s.example/i/[removed]'],
    ['an e-mail address', 'https://s.example/u/jane%40mail.example/', 'https://s.example/u/[removed]/'],
    ['an e-mail address encoded twice', 'https://s.example/u/jane%2540mail.example', 'https://s.example/u/[removed]'],
    ['a nested address', 'https://s.example/go/https%3A%2F%2Ft.example%2F%3Fa%3D1', 'https://s.example/go/[removed]'],
    ['matrix parameters', 'https://s.example/list;jsessionid=AB12;w=3', 'https://s.example/list;jsessionid=[removed];w=3'],
    ['what follows a telling segment', 'https://s.example/reset-password/ab12', 'https://s.example/reset-password/[removed]'],
    ['but not a page there', 'https://s.example/auth/login', 'https://s.example/auth/login'],
    [
      'words',
      'https://s.example/the-quick-brown-fox-jumps-over-2-lazy-dogs.html',
      'https://s.example/the-quick-brown-fox-jumps-over-2-lazy-dogs.html',
    ],
    ['a token in the host', `https://${HEX}.cdn.example/a`, 'https://removed.cdn.example/a'],
    ['a body in the address', 'data:image/png;base64,iVBORw0KGgo=', 'data:image/png,[removed]'],
    ['a blob', 'blob:https://s.example/530e5ff1', 'blob:[removed]'],
    ['a broken address', 'https://a b:pw/x', 'https://removed.invalid/'],
    ['an unknown scheme', 'jane:pw@s.example/a', '[removed]'],
    ['a relative address', '../a/b?code=1', '../a/b?code=[removed]'],
    ['a word that is no address', 'secret', '[removed]'],
    ['broken encoding', 'https://s.example/%E0%A4%A/x', 'https://s.example/[removed]/x'],
    ['line breaks that browsers ignore', `https://s.example/${HEX.slice(0, 16)}\n${HEX.slice(16)}`, 'https://s.example/[removed]'],
  ])('%s', (_what, url, expected) => {
    expect(sanitiseUrl(url)).toBe(expected);
  });

  it('gives a web address for a web address, with the same host, and is its own result', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const safe = sanitiseUrl(url);
        expect(URL.canParse(safe)).toBe(true);
        expect(hostOf(safe)?.length).toBe(hostOf(url)?.length);
        expect(sanitiseUrl(safe)).toBe(safe);
      }),
    );
  });

  it('hides any secret as a query value, password or fragment', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
    fc.assert(
      fc.property(secret, fc.constantFrom('token', 'v', 'page', 'q', 'lang'), (text, name) => {
        const url = `https://u:${text}@s.example/a?${name}=${text}&${text}#${text}`;
        expect(sanitiseUrl(url)).not.toContain(text);
        expect(shortUrl(url)).not.toContain(text);
      }),
    );
  });

  it.each([
    ['https://s.example/reset%2Fabcdefghij', 'abcdefghij'],
    ['https://s.example/reset%252Fabcdefghij', 'abcdefghij'],
    ['https://s.example/token/qwertyuiopasdf', 'qwertyuiopasdf'],
    ['https://s.example/invite/hunter', 'hunter'],
    ['https://s.example/session/open-sesame-please', 'sesame'],
  ])('a secret of letters alone behind a word that announces it is masked: %s', (url, secret) => {
    expect(sanitiseUrl(url)).not.toContain(secret);
  });

  it.each([
    'https://s.example/password/reset',
    'https://s.example/auth/login',
    'https://s.example/session/v2/status',
    'https://s.example/auth/main.js',
  ])('while the steps of a site stay: %s', (url) => {
    expect(sanitiseUrl(url)).toBe(url);
  });

  it('what is not seen, or turns the direction of a text, is left out', () => {
    expect(sanitiseText('Sale\u202Egpj.exe \u200Bnow\u2066 \u0007today')).toBe('Salegpj.exe now today');
  });

  it('stays linear on hostile input', { timeout: 60_000 }, () => {
    const hostile = (size: number) => [
      'a'.repeat(size),
      '/;=%'.repeat(size / 4),
      `https://s.example/${'a-'.repeat(size / 2)}`,
      `?${'&='.repeat(size / 2)}`,
      '@'.repeat(size),
      '-eyJ'.repeat(size / 4),
      ' a:'.repeat(size / 3),
    ];
    const timeMs = (size: number) => {
      const texts = hostile(size);
      const started = performance.now();
      for (const url of texts) expect(typeof sanitiseUrl(url) === 'string' && typeof sanitiseText(url) === 'string').toBe(true);
      return performance.now() - started;
    };
    // Eight times as much takes 64 times as long where the work is quadratic. Other work on the machine only slows a try: the quickest
    // counts.
    const ratios = Array.from({ length: 5 }, () => timeMs(200_000) / timeMs(25_000));
    expect(Math.min(...ratios)).toBeLessThan(32);
  });
});
