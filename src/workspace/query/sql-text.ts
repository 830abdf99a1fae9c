/** A name as SQL writes it, whatever stands in it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL writes it. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of texts as SQL writes it. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}
