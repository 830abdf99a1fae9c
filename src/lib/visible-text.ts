/**
 * Controls but white space, and characters that are not seen, turn the direction of what is read, or carry text that only a program reads.
 * The joiners U+200C and U+200D stay: Persian, Hindi and pictures of people are spelt with them.
 */
const INVISIBLE = new RegExp(
  [
    String.raw`(?!\s)\p{Cc}`,
    String.raw`[\ufdd0-\ufdef]`,
    String.raw`[\u034f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]`,
    String.raw`[\u{e0000}-\u{e01ef}]`,
  ].join('|'),
  'gu',
);

/** Printable ASCII and white space alone, as most texts are: looked at once, instead of twice. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/**
 * The text as a person sees it; a half of a character that stands alone becomes U+FFFD, because strict readers refuse the whole message for
 * it.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(INVISIBLE, '').toWellFormed();
}
