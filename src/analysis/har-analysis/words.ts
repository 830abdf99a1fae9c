/** `1 request`, `2 requests`. */
export function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}

/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function someOf(names: readonly string[], shown: number): string {
  const more = names.length - shown;
  const listed = names.slice(0, shown).join(', ');
  return more > 0 ? `${listed} and ${more} more` : listed;
}
