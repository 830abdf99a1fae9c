/** Longer words are no names. */
const LONGEST_WORD = 40;
/** Words that turn a name into its opposite. */
const NEGATIONS: ReadonlySet<string> = new Set([
  'no',
  'non',
  'not',
  'never',
  'without',
  'except',
  'excluding',
  'excl',
  'sans',
  'ohne',
  'kein',
  'nicht',
]);

/** How many letters of a word may be mistyped: none of a short one, and none where digits tell one thing from another. */
function mistakesIn(word: string): number {
  if (word.length < 4 || word.length > LONGEST_WORD || /\d/.test(word)) return 0;
  return word.length < 8 ? 1 : 2;
}

/** The next row of edits between the beginnings of two words, from the two rows before it; `i` letters of `one` are taken. */
function nextRow(one: string, other: string, i: number, above: readonly number[], before: readonly number[]): number[] {
  const row = [i];
  for (let j = 1; j <= other.length; j += 1) {
    const [letter, last] = [one[i - 1], other[j - 1]];
    const isSwapped = letter !== undefined && letter === other[j - 2] && last === one[i - 2];
    const at = (values: readonly number[], index: number) => values[index] ?? Number.POSITIVE_INFINITY;
    row.push(
      Math.min(
        at(above, j) + 1,
        at(row, j - 1) + 1,
        at(above, j - 1) + (letter === last ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      ),
    );
  }
  return row;
}

/** Letters that were left out, added, replaced, or swapped with their neighbour, between two words. */
function editsBetween(one: string, other: string): number {
  let [before, above]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) [before, above] = [above ?? [], nextRow(one, other, i, above ?? [], before ?? [])];
  return above?.[other.length] ?? Number.POSITIVE_INFINITY;
}

/** Whether a word is another one with few mistakes; the first letter is seldom mistyped, and telling. */
function isMistyped(word: string, typed: string): boolean {
  if (word === typed) return true;
  const most = Math.min(mistakesIn(word), mistakesIn(typed));
  return most > 0 && word[0] === typed[0] && Math.abs(word.length - typed.length) <= most && editsBetween(word, typed) <= most;
}

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

function areMistyped(words: readonly string[], typed: readonly string[]): boolean {
  return words.length === typed.length && words.every((word, at) => isMistyped(word, typed[at] ?? ''));
}

/** Whether a folded name is the folded text with few typing mistakes. */
export function isNearly(name: string, text: string): boolean {
  const typed = wordsOf(text);
  return typed.length > 0 && areMistyped(wordsOf(name), typed);
}

/** Whether a folded name holds the words of the folded text side by side, few letters mistyped, and no word that turns them round. */
export function holdsNearly(name: string, text: string): boolean {
  const [words, typed] = [wordsOf(name), wordsOf(text)];
  const at = words.findIndex((_, index) => areMistyped(words.slice(index, index + typed.length), typed));
  if (typed.join('').length < 3 || at === -1) return false;
  return words.every((word, index) => (index >= at && index < at + typed.length) || !NEGATIONS.has(word));
}

/** The value that all of these are; undefined where there is none or they differ. */
export function onlyOneOf(values: readonly string[]): string | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
