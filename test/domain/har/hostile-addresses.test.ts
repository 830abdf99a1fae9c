import { describe, expect, it } from 'vitest';
import { sanitiseTitle, sanitiseUrl, shortUrl } from '../../../src/domain/har/sanitise-url.ts';
import { hostileAddresses, ordinaryPaths } from './hostile-addresses.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';

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
