/** The same data with each of its texts, the names of members included, changed; `change` must give the same for the same text. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  // Rows of a list have the same names.
  const names = new Map<string, string>();
  function changedName(name: string): string {
    const known = names.get(name) ?? change(name);
    names.set(name, known);
    return known;
  }
  function mapped(part: unknown): unknown {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(mapped);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [changedName(name), mapped(member)]));
  }
  return mapped(value);
}
