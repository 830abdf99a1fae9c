/** Records of the beginning of a CSV text by RFC 4180, at most `limit`. */
export function csvRecords(text: string, limit: number): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let begun = false;
  const endCell = (): void => {
    cells.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length && records.length < limit; at += 1) {
    const sign = text.charAt(at);
    begun = true;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === ',') endCell();
    else if (sign === '\n') {
      endCell();
      records.push(cells);
      cells = [];
      begun = false;
    } else if (sign !== '\r') cell += sign;
  }
  if (begun && records.length < limit) {
    endCell();
    records.push(cells);
  }
  return records;
}
