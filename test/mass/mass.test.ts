import { expect, it } from 'vitest';
import landed from './landed.json' with { type: 'json' };
import { codeFiles, measureMass, roomsOf } from './measure.ts';
import { tokensOf } from './tokens.ts';

/** So far may the code stay below what landed before the figure is renewed; it spares changes beside each other a conflict. */
const SLACK = 2000;

it.each([
  ['const a = b.c(1_000.5e-3) ?? d?.e;', 14],
  ["import type { A, B } from './c.ts';", 10],
  ['const map: Map<string, Set<number>> = x >= 1 ? y : z;', 21],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the code is the sample
  ['const a = `b ${c.map((d) => `${d}}`)} e`;', 5],
  ["const a = /['\"`/]{2}/g.test(b) ? c / d / e : '/*';", 29],
  ["'it\\'s // no comment';", 2],
  ['class A extends B { #c = 1; }', 10],
])('tokens of code of %s', (code, tokens) => {
  expect(tokensOf(code)).toBe(tokens);
});

it('tokens of code are the same with comments, in other lines and with what the formatter adds there', () => {
  const short = "type A = 'b' | 'c';\nconst d = { e: f(g, 'a long text'), h: [1] };";
  const long =
    "/** Of `A. */\ntype A =\n  // the first's\n  | 'b'\n  | 'c';\nconst d = {\n  e: f(\n    g,\n" +
    "    'a ' +\n      'long ' +\n      'text',\n  ),\n  h: [\n    1,\n  ],\n};\n";
  expect(tokensOf(long)).toBe(tokensOf(short));
  expect(tokensOf(`${short} i();`)).toBe(tokensOf(short) + 4);
});

it('the mass of the code is counted in one room for each file', () => {
  expect(codeFiles.product.map((path) => [path, roomsOf(path).length]).filter(([, rooms]) => rooms !== 1)).toEqual([]);
});

it('the mass of the code only shrinks', () => {
  const { product, test } = measureMass();
  for (const [what, now, before] of [
    ['src and tools', product.tokens, landed.product],
    ['test', test.tokens, landed.test],
  ] as const) {
    expect(now, `${what} grew: take code away, or raise test/mass/landed.json by hand and say why`).toBeLessThanOrEqual(before);
    expect(now, `${what} shrank: npm run mass -- -u`).toBeGreaterThan(before - SLACK);
  }
});
