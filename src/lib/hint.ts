import type { ToolName } from './tool-name.ts';

// Code points that Unicode keeps for the inside of a program: no text from outside holds them, because visibleText removes them.
const [OPEN, WORDS, OTHERWISE, CLOSE] = ['\ufdd0', '\ufdd1', '\ufdd2', '\ufdd3'] as const;

/**
 * Words of a text that send the reader to other tools: `shownHints` keeps them where the connection offers all these tools, and puts
 * `otherwise` in their place where it does not. A text with a hint may be joined to others and may stand in a hint itself.
 */
export function hint(tools: ToolName | readonly ToolName[], words: string, otherwise = ''): string {
  return `${OPEN}${[tools].flat().join(' ')}${WORDS}${words}${OTHERWISE}${otherwise}${CLOSE}`;
}

/** A hint at either of two tools, by name: `a or b`, or the one that there is. */
export function either(one: ToolName, other: ToolName): string {
  return `${hint(one, one)}${hint([one, other], ' or ')}${hint(other, other)}`;
}

/** The text with its hints at tools that are there, and without those at an absent one. */
export function shownHints(text: string, absent: ReadonlySet<string> = new Set()): string {
  let shown = text;
  // From the last that opens, because what it holds is plain.
  for (let at = shown.lastIndexOf(OPEN); at >= 0; at = shown.lastIndexOf(OPEN)) {
    const close = shown.indexOf(CLOSE, at);
    // A text that was cut ends in its hint.
    const end = close < 0 ? shown.length : close;
    const [head = '', otherwise = ''] = shown.slice(at + 1, end).split(OTHERWISE);
    const [tools = '', words = ''] = head.split(WORDS);
    const isOffered = !tools.split(' ').some((tool) => absent.has(tool));
    shown = `${shown.slice(0, at)}${isOffered ? words : otherwise}${shown.slice(end + 1)}`;
  }
  return shown === text ? text : shown.trim();
}
