const LINE_END = 0x0a;
const QUOTE = 0x22;

/** Counts records while bytes go by. */
export interface RowCounter {
  add(chunk: Uint8Array): void;
  /** Records so far, the header of CSV not counted; a last line needs no end. */
  rows(): number;
}

function lineEndsIn(chunk: Uint8Array): number {
  let found = 0;
  for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) found += 1;
  return found;
}

/** Counts the records of JSON lines or CSV; undefined for a format whose records cannot be told. */
export function createRowCounter(format: string): RowCounter | undefined {
  const isCsv = format.toUpperCase() === 'CSV';
  if (!isCsv && format.toUpperCase() !== 'JSONL') return undefined;
  let [ends, last, isQuoted] = [0, LINE_END, false];
  /** A quoted cell of CSV may hold line ends. */
  function unquotedEndsIn(chunk: Uint8Array): number {
    let found = 0;
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_END && !isQuoted) found += 1;
    }
    return found;
  }
  return {
    add(chunk) {
      ends += isCsv ? unquotedEndsIn(chunk) : lineEndsIn(chunk);
      last = chunk.at(-1) ?? last;
    },
    rows: () => Math.max(0, ends + (last === LINE_END ? 0 : 1) - (isCsv ? 1 : 0)),
  };
}
