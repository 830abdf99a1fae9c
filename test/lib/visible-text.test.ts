import { expect, test } from 'vitest';
import { visibleText } from '../../src/lib/visible-text.ts';

test.each([
  ['what turns the direction', 'Sale\u202Egpj.exe \u2066x\u2069', 'Salegpj.exe x'],
  ['what has no width', 'a\u200Bb\u2060c\uFEFFd\u00ADe\u034Ff', 'abcdef'],
  ['controls, which a terminal obeys', 'a\u0000b\u0007c\u001B[31m\u009Bd', 'abc[31md'],
  ['text that only a program reads', 'Checkout\u{E0049}\u{E0067}\u{E01EF}', 'Checkout'],
  ['letters without a form', 'a\u115F\u3164\uFFA0b', 'ab'],
])('%s is left out', (_, text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

test.each(['Ünïcode ß 東京', 'می\u200Cخواهم', '👩\u200D👩\u200D👧 ❤\uFE0F', 'two\nlines\tand a tab', 'क्\u200Dष'])(
  '%j stays as it is',
  (text) => {
    expect(visibleText(text)).toBe(text);
  },
);

test('a half of a character that stands alone is replaced: strict readers of JSON would refuse the whole message', () => {
  expect(visibleText('a\uD83Db\uDC69')).toBe('a\uFFFDb\uFFFD');
});
