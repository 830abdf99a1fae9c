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

/** The end of the object that begins at `from` in a text, behind its brace; undefined where it does not end. */
function objectEnd(text: string, from: number): number | undefined {
  let depth = 0;
  for (const { 0: found, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    if (depth === 0) return from + index + 1;
  }
  return undefined;
}

/** The words with the project in each call that they print and that names none: as it stands, it would go to the default project. */
function callsOfProject(words: string, projectId: number): string {
  let shown = words;
  // From the last, because what stands before it keeps its place.
  for (const { index } of [...words.matchAll(/(?<=[a-z]_[a-z_]+ )\{"/g)].toReversed()) {
    const end = objectEnd(shown, index);
    if (end === undefined || /"projectIds?":/.test(shown.slice(index, end))) continue;
    shown = `${shown.slice(0, end - 1)},"projectId":"${projectId}"${shown.slice(end - 1)}`;
  }
  return shown;
}

/** The text with its hints at tools that are there, whose calls go to this project, and without those at an absent one. */
export function shownHints(text: string, absent: ReadonlySet<string> = new Set(), projectId?: number): string {
  let shown = text;
  // From the last that opens, because what it holds is plain.
  for (let at = shown.lastIndexOf(OPEN); at >= 0; at = shown.lastIndexOf(OPEN)) {
    const close = shown.indexOf(CLOSE, at);
    // A text that was cut ends in its hint.
    const end = close < 0 ? shown.length : close;
    const [head = '', otherwise = ''] = shown.slice(at + 1, end).split(OTHERWISE);
    const [tools = '', words = ''] = head.split(WORDS);
    const isOffered = !tools.split(' ').some((tool) => absent.has(tool));
    const own = isOffered ? words : otherwise;
    shown = `${shown.slice(0, at)}${projectId === undefined ? own : callsOfProject(own, projectId)}${shown.slice(end + 1)}`;
  }
  return shown === text ? text : shown.trim();
}
