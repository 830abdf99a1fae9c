import { describe, expect, it } from 'vitest';
import { sanitiseTitle, sanitiseUrl, shortUrl } from '../../src/har/sanitise-url.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';

/** Addresses as careless sites make them, each with what must not be seen of it. */
const hostileAddresses: readonly (readonly [address: string, secret: string])[] = [
  // behind a word that announces a secret, in every spelling
  ['/reset%2Fabcdefghij', 'abcdefghij'],
  ['/reset%252Fabcdefghij', 'abcdefghij'],
  ['/reset%25252Fabcdefghij', 'abcdefghij'],
  ['/reset%2525252Fabcdefghij', 'abcdefghij'],
  ['/reset%5Cabcdefghij', 'abcdefghij'],
  ['/reset\\abcdefghij', 'abcdefghij'],
  ['/RESET/abcdefghij', 'abcdefghij'],
  ['/reset//abcdefghij', 'abcdefghij'],
  ['/password-reset/abcdefghij/confirm', 'abcdefghij'],
  ['/token/qwertyuiopasdf', 'qwertyuiopasdf'],
  ['/token/qwe', 'qwe'],
  ['/%74oken/hunter', 'hunter'],
  ['/tokens/hunter', 'hunter'],
  ['/auth/magic/hunter', 'hunter'],
  ['/invite/hunter', 'hunter'],
  ['/unsubscribe/hunter', 'hunter'],
  ['/session/open-sesame-please', 'sesame'],
  ['/verify/12', '/12'],
  ['/otp/493817', '493817'],
  ['/key=hunter', 'hunter'],
  ['/token;hunter', 'hunter'],
  ['/token:hunter', 'hunter'],
  ['/token,hunter', 'hunter'],
  ['/access_token/hunter', 'hunter'],
  // tokens of letters alone
  ['/a/xkqjzvbwpfgh', 'xkqjzvbwpfgh'],
  ['/a/bqxvzjkwqhtr.js', 'bqxvzjkwqhtr'],
  ['/a/aBcDeFgHiJkL', 'aBcDeFgHiJkL'],
  ['/a/HNTRWKDPLQSZ', 'HNTRWKDPLQSZ'],
  ['/a/welcome-xkqjzvbwpfgh', 'xkqjzvbwpfgh'],
  ['/a/xkqjzvbwpfgh%20', 'xkqjzvbwpfgh'],
  // digits, hex, UUID, JWT
  ['/a/0123456789abcdef0123456789abcdef', '0123456789abcdef'],
  ['/a/530E5FF1-7B5E-4441-B4C2-31F9C84F5ABA', '530E5FF1'],
  ['/a/530e5ff1%2D7b5e%2D4441%2Db4c2%2D31f9c84f5aba', '530e5ff1'],
  ['/a/eyJhbGciOiJub25lIn0.eyJzdWIiOjF9.x', 'eyJhbGci'],
  ['/a/eyJhbGciOiJub25lIn0%2EeyJzdWIiOjF9%2Ex', 'eyJhbGci'],
  ['/a/4111111111111111', '4111111111111111'],
  ['/a/4111-1111-1111-1111', '4111-1111'],
  ['/a/DE89370400440532013000', 'DE8937'],
  // people and deals
  ['/users/8213', '8213'],
  ['/users/jane', 'jane'],
  ['/user/jane-doe/settings', 'jane'],
  ['/u/jane', 'jane'],
  ['/profile/jane.doe', 'jane'],
  ['/members/42/orders', '/42'],
  ['/orders/A12', 'A12'],
  ['/order/8213', '8213'],
  ['/invoices/2026-0815', '0815'],
  ['/account/77/address', '/77'],
  ['/tracking/JD014', 'JD014'],
  ['/people/jane%40mail.example', 'jane'],
  ['/people/jane%2540mail.example', 'jane'],
  ['/p/jane%EF%BC%A0mail.example', 'jane'],
  ['/p/jane@mail.example', 'jane'],
  ['/p/mailto:jane@mail.example', 'jane'],
  ['/anv%C3%A4ndare/svensson', 'svensson'],
  ['/pacientes/../usuario/ana-maria', 'ana'],
  ['/membres/dupont', 'dupont'],
  ['/zam%C3%B3wienia/2024-118', '118'],
  ['/wachtwoord/abcdef', 'abcdef'],
  ['/usuarios/garcia-lopez', 'garcia'],
  ['/klant/jan.de-vries', 'vries'],
  ['/kunden/schmidt-anna', 'schmidt'],
  ['/passwort/abcdef', 'abcdef'],
  ['/invitaci%C3%B3n/luna', 'luna'],
  ['/rechnungen/2024-118', '118'],
  // telephone numbers
  ['/tel/+49%2030%201234567', '1234567'],
  ['/call/+4930901820', '4930901820'],
  ['/call/%2B4930901820', '4930901820'],
  ['/call/0049-30-901820', '901820'],
  ['/call/(030)901820', '901820'],
  ['/call/030%20901%20820', '901'],
  ['/call/5551234', '5551234'],
  ['/call/01.23.45.67.89', '23.45'],
  ['/call/555.123.4567', '4567'],
  ['/tel:+4930901820', '4930901820'],
  // queries
  ['/a?order=8213', '8213'],
  ['/a?id=7', '=7'],
  ['/a?page=jane', 'jane'],
  ['/a?v=hunter', 'hunter'],
  ['/a?hunter', 'hunter'],
  ['/a?q=1&&hunter', 'hunter'],
  ['/a?w=20%26token%3Dhunter', 'hunter'],
  ['/a?tel=%2B4930901820', '4930901820'],
  ['/a?x[hunterhunterhunterx1y2z3]=1', 'hunterhunter'],
  ['/a?jane%40mail.example=1', 'jane'],
  ['/a?lang=de;sid=hunter', 'hunter'],
  ['/a?w=20#hunter', 'hunter'],
  // addresses within addresses
  ['/go/https%3A%2F%2Ft.example%2F%3Fa%3Dhunter', 'hunter'],
  ['/go/https://u:hunter@t.example/', 'hunter'],
  ['/a;jsessionid=hunter/b', 'hunter'],
  ['/a%3Bjsessionid%3Dhunter/b', 'hunter'],
  ['/a%3Fsid=hunter', 'hunter'],
  ['/a%23hunterhunterhunter', 'hunter'],
  // what is not seen
  ['/tok\u200Ben/hunter', 'hunter'],
  ['/a/xkqjz\u200Bvbwpfgh', 'vbwpfgh'],
  ['/a/\u202Ehunter?sid=hunter', 'sid=hunter'],
];

/** Paths as sites have them, which have to stay as they are. */
const ordinaryPaths: readonly string[] = [
  '/',
  '/checkout/payment',
  '/products/shoes/running-shoes-42',
  '/2026/11/20/black-friday-offers.html',
  '/archive/2026-11-20',
  '/de/Datenschutzerklaerung',
  '/wiki/Donaudampfschifffahrt',
  '/rechtschreibung/geschwindigkeit',
  '/assets/main.4f3a2b.js',
  '/static/js/vendor.js',
  '/fonts/open-sans-v15-latin-regular.woff2',
  '/img/hero-1200x600.jpg',
  '/api/v2/products',
  '/scripttemplates/202409.1.0/banner.js',
  '/lib/1.12.4/jquery.js',
  '/api/cart',
  '/users/login',
  '/account/settings',
  '/orders/history',
  '/orders/list',
  '/client/app.js',
  '/news/2024-05-17/hello',
  '/lib/4.17.21.3/x.js',
  '/password/reset',
  '/auth/login',
  '/session/v2/status',
  '/auth/main.js',
  '/customer/service',
  '/search/women-shoes',
  '/sv/kundtjänst/köpvillkor',
  '/jp/%E6%9D%B1%E4%BA%AC',
  '/recommendations/getRecommendations',
  '/responsibility/sustainability',
];

const SITE = 'https://www.shop.example';

it.each(hostileAddresses)('nothing of a secret is seen in %s', (address, secret) => {
  const shown = [
    sanitiseUrl(SITE + address),
    sanitiseUrl(address),
    shortUrl(SITE + address),
    sanitiseTitle(SITE + address),
    sanitiseTitle(`${SITE}${address} today`),
  ];
  for (const each of shown) expect(each).not.toContain(secret);
  expect(sanitiseUrl(shown[0] ?? '')).toBe(shown[0]);
});

describe('what a page is called stays readable', () => {
  it.each(ordinaryPaths)('%s', (path) => {
    expect(sanitiseUrl(SITE + path)).toBe(SITE + path);
  });

  /** Segments of the paths of a recording, as they are and as they are shown. */
  function segmentsOf(name: string): [string, string][] {
    const { log } = JSON.parse(readRecorded(name).replace(/^\uFEFF/, '')) as { log: { entries: { request: { url: string } }[] } };
    const pathOf = (url: string) => /^https?:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';
    return log.entries.flatMap(({ request: { url } }) => {
      const shown = pathOf(sanitiseUrl(url)).split('/');
      return pathOf(url)
        .split('/')
        .map((segment, index): [string, string] => [segment, shown[index] ?? '']);
    });
  }

  it('nine of ten segments in recordings', () => {
    const all = RECORDED_FILES.flatMap(segmentsOf).filter(([segment]) => segment !== '');
    const kept = all.filter(([segment, shown]) => segment === shown);
    expect(kept.length / all.length).toBeGreaterThan(0.9);
  });
});
