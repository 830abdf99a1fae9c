import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { productIcons, toolsetIcons } from '../../src/protocol/server.ts';
import { toolsets } from '../../tools/index.ts';

const svgOf = (src: string) => decodeURIComponent(src.slice('data:image/svg+xml,'.length));

/** Characters of RFC 3986, and escapes alone beside them. */
const URI = /^(?:[\w.~:/?@!$&'()*+,;=-]|%[\dA-F]{2})+$/;

it('the icon of the product is the one of the packages', () => {
  expect(productIcons[0]?.src).toMatch(URI);
  const file = readFileSync('assets/icon.svg', 'utf8').replaceAll(/>\s+</g, '><').trim();
  expect(svgOf(productIcons[0]?.src ?? '')).toBe(file.replaceAll('"', "'"));
});

it('every toolset has a small icon that needs no other address', () => {
  const icons = toolsets.map(({ name }) => toolsetIcons(name)?.[0]?.src ?? name);
  for (const src of icons) {
    expect(src).toMatch(URI);
    expect(svgOf(src)).toMatch(
      /^<svg xmlns='http:\/\/www\.w3\.org\/2000\/svg' viewBox='0 0 24 24'><path fill='#16a34a' d='[^']+'\/><\/svg>$/,
    );
    expect(src.length).toBeLessThan(250);
  }
  expect(new Set(icons).size).toBe(toolsets.length);
});
