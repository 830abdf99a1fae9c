/** Two spellings of what may be one field: case, spaces, hyphens and underscores aside they are equal. */
const fold = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Warns of field names that differ only in spelling, among the new ones and from those that were sent before. */
export function spellingWords(names: readonly string[], earlier: readonly string[]): string[] {
  const known = new Map<string, { name: string; isEarlier: boolean }>();
  for (const name of earlier) known.set(fold(name), { name, isEarlier: true });
  const warned: string[] = [];
  for (const name of new Set(names)) {
    const other = known.get(fold(name));
    if (other && other.name !== name && !earlier.includes(name)) {
      const when = other.isEarlier ? ', which was sent before,' : '';
      warned.push(`"${name}" differs from "${other.name}"${when} only in spelling: the platform may keep them as two fields.`);
    }
    if (!other) known.set(fold(name), { name, isEarlier: false });
  }
  return warned;
}
