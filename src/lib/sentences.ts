/** Where a sentence ends: a stop before a capital letter or a quotation mark. */
const SENTENCE_END = /(?<=[.!?])\s+(?=[\p{Lu}"“])/u;

/** A text in its sentences. */
export function sentencesOf(text: string): string[] {
  return text.split(SENTENCE_END).filter((sentence) => sentence !== '');
}
