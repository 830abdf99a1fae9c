/** A text to be found, by the name it is found under. */
export interface Indexed {
  readonly name: string;
  readonly text: string;
}

const K1 = 1.2;
const B = 0.75;

/** Words in lower case; `camelCase` and `snake_case` are several. No stems: a host may not know that sales are sold. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  );
}

/** Ranks texts for a query as search engines do (Okapi BM25), best first, those without a common word left out. */
export function createBm25(texts: readonly Indexed[]): (query: string) => string[] {
  const documents = texts.map(({ name, text }) => {
    const words = wordsOf(text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { name, counts, length: words.length };
  });
  const meanLength = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const rarity = (word: string) => {
    const holding = documents.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
  };
  return (query) => {
    const words = [...new Set(wordsOf(query))].map((word) => ({ word, weight: rarity(word) }));
    const scored = documents.map(({ name, counts, length }) => ({
      name,
      score: words.reduce((sum, { word, weight }) => {
        const count = counts.get(word) ?? 0;
        return sum + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meanLength));
      }, 0),
    }));
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ name }) => name);
  };
}
