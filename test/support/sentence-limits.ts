/** An instant or day in words, which is one figure to a reader's eye and no amount. */
const DATES = /\d+ [A-Z][a-z]+( \d{4})?(, \d\d:\d\d UTC)?/g;

/** What a sentence has that no sentence may have: a part that was left empty. */
export const EMPTY_PART = /undefined|null|NaN|Infinity| {2}|\(\)|""|\s[,.;:]/;

/** How a sentence breaks the limits of a finding's sentence: 25 words, six figures beside its days, one pair of brackets, no empty part. */
export function breaches(sentence: string): string[] {
  const words = sentence.split(/\s+/).length;
  const figures = sentence.replaceAll(DATES, '').match(/\d[\d,.]*/g)?.length ?? 0;
  const brackets = sentence.match(/\(/g)?.length ?? 0;
  return [
    ...(words > 25 ? [`${words} words`] : []),
    ...(figures > 6 ? [`${figures} figures`] : []),
    ...(brackets > 1 ? [`${brackets} pairs of brackets`] : []),
    ...(EMPTY_PART.test(sentence) ? ['an empty part'] : []),
  ];
}
