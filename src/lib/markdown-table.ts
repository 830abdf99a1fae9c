/** A table in Markdown; bars in cells are escaped, line ends become spaces. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`; // biome-ignore format: one thought
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
