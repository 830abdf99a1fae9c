/** JSON with one line for each list or record that fits, so that a reviewer reads rows as rows. */
export function readable(value: unknown, indent = ''): string {
  const line = JSON.stringify(value) ?? 'undefined';
  if (line.length + indent.length <= 140 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item: unknown) => inner + readable(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${readable(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}
