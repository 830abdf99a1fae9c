import { isAllowedFunction, rowFunctions } from './allowed-functions.ts';

/** A node of a statement as `EXPLAIN AST` prints it: a line, below its parent by one more space. */
interface Node {
  readonly kind: string;
  /** The text behind the kind, without alias and number of children. */
  readonly word: string;
  readonly parent: Node | undefined;
  /** Its place among the children of its parent, from 0. */
  readonly place: number;
  children: number;
}

/** Kinds of nodes that say nothing of what is read. */
const HARMLESS: ReadonlySet<string> = new Set(
  `SelectWithUnionQuery SelectIntersectExceptQuery SelectQuery ExpressionList WithElement Subquery Identifier TableIdentifier Literal
  Function Asterisk QualifiedAsterisk ColumnsRegexpMatcher ColumnsListMatcher QualifiedColumnsRegexpMatcher QualifiedColumnsListMatcher
  ColumnsTransformerList ColumnsExceptTransformer ColumnsReplaceTransformer ColumnsReplaceTransformer::Replacement TablesInSelectQuery
  TablesInSelectQueryElement TableExpression TableJoin ArrayJoin OrderByElement WindowListElement WindowDefinition SampleRatio
  InterpolateElement`
    .trim()
    .split(/\s+/),
);

/** Functions whose second argument may be the name of a table. */
const MEMBERSHIP = /^(global)?(not)?(null)?in(ignoreset)?$/i;

function nodesOf(lines: readonly string[]): Node[] {
  const path: Node[] = [];
  return lines.map((line) => {
    const depth = line.length - line.trimStart().length;
    const [kind = '', ...rest] = line.trim().split(' ');
    const word = rest
      .join(' ')
      .replace(/ ?\(children \d+\)$/, '')
      .replace(/ ?\(alias .*\)$/, '')
      .trim();
    path.length = depth;
    const parent = path.at(-1);
    const node: Node = { kind, word, parent, place: parent?.children ?? 0, children: 0 };
    if (parent) parent.children += 1;
    path.push(node);
    return node;
  });
}

/** Whether an identifier stands where `x IN name` reads a table. */
function isSet({ kind, place, parent }: Node): boolean {
  const call = parent?.parent;
  return (
    kind === 'Identifier' && place === 1 && parent?.kind === 'ExpressionList' && call?.kind === 'Function' && MEMBERSHIP.test(call.word)
  );
}

interface Known {
  /** Names that the statement may read. */
  readonly views: readonly string[];
  /** Names that it gives to its own parts. */
  readonly own: ReadonlySet<string>;
}

function faultOf(node: Node, { views, own }: Known): string | undefined {
  const { kind, word, parent } = node;
  const there = views.length === 1 ? `the only one is ${views[0]}` : `there are ${views.join(', ')}`;
  if (!HARMLESS.has(kind)) return kind === 'Set' ? 'it may not change settings.' : `${kind} is not available here.`;
  if (kind === 'TableIdentifier' || isSet(node))
    return views.includes(word) || own.has(word) ? undefined : `there is no table "${word}"; ${there}.`;
  if (kind !== 'Function') return undefined;
  if (parent?.kind === 'TableExpression')
    return rowFunctions.has(word.toLowerCase()) ? undefined : `${word} cannot be read from; the data are ${views.join(', ')}.`;
  if (/\.columns$/i.test(word)) return undefined;
  return isAllowedFunction(word) ? undefined : `the function ${word} is not available here.`;
}

/** Quoted and commented parts of a statement: texts, names in backticks or double quotes, comments, heredocs. */
const QUOTED = /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*"|--[^\n]*|#[ !][^\n]*|\/\*.*?\*\/|\$(\w*)\$.*?\$\1\$/gs;

/** Whether a name holds what could be read as another line of the tree. */
function hasHiddenName(sql: string): boolean {
  return [...sql.matchAll(QUOTED)].some(([part]) => /^[`"]/.test(part) && Array.from(part).some((each) => each === '\\' || each < ' '));
}

/** Names that a statement may give to its own parts: a few more than it does, none of a table of the warehouse. */
function ownNames(sql: string): Set<string> {
  const found = sql.matchAll(/(?:`([^`\\]+)`|"([^"\\]+)"|\b([a-z_]\w*))\s*(?:\([^()]*\)\s*)?as\s*\(/gi);
  const names = [...found].map(([, quoted, double, plain]) => quoted ?? double ?? plain ?? '');
  return new Set(names.filter((name) => !name.includes('.') && !/^(export|system|information)_/i.test(name)));
}

/** Why a statement may not run, in a sentence; undefined where it reads from the views alone. `lines` are those of `EXPLAIN AST`. */
export function checkTree(lines: readonly string[], sql: string, views: readonly string[]): string | undefined {
  const nodes = nodesOf(lines);
  const [root] = nodes;
  if (root?.kind !== 'SelectWithUnionQuery') return 'only a single SELECT statement runs here.';
  if (root.children !== 1) return 'it may not change settings, name a format or write a file.';
  if (hasHiddenName(sql)) return 'a name in quotes may not hold a backslash or a line break.';
  const known = { views, own: ownNames(sql) };
  return nodes.map((node) => faultOf(node, known)).find((fault) => fault !== undefined);
}
