/**
 * The same data with each of its texts, the names of members included, changed; `change` must give the same for the same text. What holds
 * no text that changes is given back as it is, so that data without any costs no copy; a member that is undefined is left out.
 */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  // Rows of a list have the same names.
  const names = new Map<string, string>();
  function changedName(name: string): string {
    const known = names.get(name) ?? change(name);
    names.set(name, known);
    return known;
  }
  function mappedRecord(record: object): object {
    const all = Object.entries(record);
    const members = all.filter(([, part]) => part !== undefined);
    let isChanged = members.length < all.length;
    for (const member of members) {
      const [name, part] = member;
      member[0] = changedName(name);
      member[1] = mapped(part);
      isChanged ||= member[0] !== name || member[1] !== part;
    }
    return isChanged ? Object.fromEntries(members) : record;
  }
  function mappedList(list: readonly unknown[]): readonly unknown[] {
    const changed = list.map(mapped);
    return changed.every((part, index) => part === list[index]) ? list : changed;
  }
  function mapped(part: unknown): unknown {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return mappedList(part);
    return typeof part === 'object' && part !== null ? mappedRecord(part) : part;
  }
  return mapped(value);
}
