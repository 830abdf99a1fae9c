const WORD = String.raw`[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d(?:[eE][+-]\d|[\w.])*`;
const TEXT = String.raw`'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"`;
/** Signs of several characters; none begins with two >, which also close two lists of types. */
const SIGN = String.raw`=>|\.{3}|[=!]==?|\?\.(?!\d)|(?:\?\?|&&|\|\||\*\*|<<)=?|\+\+|--|[+*/%&|^<>-]=|[^]`;
const TOKEN = new RegExp(String.raw`\s+|\/\/[^\n]*|\/\*[^]*?\*\/|${WORD}|${TEXT}|${SIGN}`, 'uy');
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
/** What ends a value, so that a slash behind it divides: a word, a text, a bracket; behind the other words and signs begins a pattern. */
const ENDS_VALUE = /^(?!(?:await|case|do|else|in|instanceof|of|return|throw|typeof|void|yield)$)[\p{ID_Continue}$#'"`)\]}]/u;
const IS_TEXT = /^['"`]/;

/** Where the template that begins at this backtick ends; what it holds in braces may hold templates again. */
function endOfTemplate(code: string, from: number): number {
  let at = from + 1;
  while (at < code.length && code[at] !== '`') {
    if (code.startsWith('${', at)) at = scan(code, at + 2).end;
    else at += code[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/** Where the token that begins here ends, a pattern as a whole. */
function endOfToken(code: string, at: number, previous: string): number {
  if (code[at] === '`') return endOfTemplate(code, at);
  const isPattern = code[at] === '/' && !/[/*]/.test(code[at + 1] ?? '') && !ENDS_VALUE.test(previous);
  const expression = isPattern ? PATTERN : TOKEN;
  expression.lastIndex = at;
  expression.test(code);
  return Math.max(expression.lastIndex, at + 1);
}

/** How many tokens count up to the end, or to the brace that closes what was opened before. */
function scan(code: string, from: number): { count: number; end: number } {
  let [at, count, depth] = [from, 0, 0];
  let [previous, before] = ['', ''];
  while (at < code.length) {
    const token = code.slice(at, endOfToken(code, at, previous));
    at += token.length;
    if (token.trim() === '' || token.startsWith('//') || token.startsWith('/*')) continue;
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth < 0) break;
    count += token.startsWith('/') && token.length > 2 ? (token.match(/\w+|[^\s\w]/g)?.length ?? 1) : 1;
    count -= addedByFormatter(token, previous, before);
    [before, previous] = [previous, token];
  }
  return { count, end: at };
}

/** How many of the last tokens only a break of a line brought: a comma at the end, a bar at the beginning, a text in two pieces. */
function addedByFormatter(token: string, previous: string, before: string): number {
  if (previous === ',' && /^[)\]}>]$/.test(token)) return 1;
  if (token === '|' && /^[=:(<,]$/.test(previous)) return 1;
  return IS_TEXT.test(token) && previous === '+' && IS_TEXT.test(before) ? 2 : 0;
}

/**
 * Tokens of code: words, numbers, texts (a template is one), signs; a pattern counts by its words and signs. Comments, white space and
 * what the formatter adds where it breaks a line count nothing.
 */
export function tokensOf(code: string): number {
  return scan(code, 0).count;
}
