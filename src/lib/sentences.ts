/** Where a sentence ends: a stop before a capital letter, a digit or a quotation mark. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[\p{Lu}\d"“])/u;

/** A text in its sentences. */
export function sentencesOf(text: string): string[] {
  return text.split(SENTENCE_END).filter((sentence) => sentence !== '');
}

/** Intervals, which the answer has, and what stands in brackets behind a sentence. */
const BESIDE_TITLES = /\. \(.*$|\.$| \([\d.]+%: [^)]*\)/gs;

/** The first sentence of a text as a title. */
export const headlineOf = (text: string) => (sentencesOf(text)[0] ?? '').replaceAll(BESIDE_TITLES, '');

/** A sentence without its numbers: those that differ in a number alone say the same. */
export const gistOf = (sentence: string) => sentence.replaceAll(/\d+/g, '#');

/** The first of all sentences that say the same but for their numbers. */
export const onceByGist = (sentences: readonly string[]) => [
  ...new Map(sentences.toReversed().map((sentence) => [gistOf(sentence), sentence])).values(),
];

/** The same text with a capital letter in front. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The same text with a small letter in front. */
export const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The names that commas part in a text; none is empty. */
export function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The first of some texts, and how many there are more: `a, b and 3 more`. */
export function firstOf(texts: readonly (string | number)[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}

/** Those of some parts that are there: `present(isOld && 'It is old.', name)`. */
export function present<Part>(...parts: readonly (Part | false | '' | null | undefined)[]): Part[] {
  return parts.filter((part): part is Part => part != null && part !== false && part !== '');
}

/** The first group of the first of some patterns that a text fits. */
export function foundIn(text: string, ...patterns: readonly RegExp[]): string | undefined {
  return patterns.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])[0];
}
