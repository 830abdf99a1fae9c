/** The own keys of a record that was written out as one, by their types. */
export function typedKeys<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[]; // a record that was written out has no keys but those of its type
}
