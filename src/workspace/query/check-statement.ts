import { allowedFunctions, rowFunctions } from './allowed-functions.ts';

/** Tables of the engine, which a name that the statement gives must not open. */
const ENGINE_TABLES = /^(duckdb|pg|pragma|sqlite)_/i;

interface Node {
  readonly [member: string]: unknown;
}

/** Names that the statement gives to its parts, and those of the views that it may read. */
interface Known {
  readonly own: ReadonlySet<string>;
  readonly views: readonly string[];
}

/** Whether a table is a part of the statement or a view: only views have a schema. */
function isKnown({ catalog_name: catalog, schema_name: schema, table_name: table }: Node, { own, views }: Known): boolean {
  const name = String(table).toLowerCase();
  const place = [catalog, schema].filter((part) => typeof part === 'string' && part !== '').join('.');
  if (views.includes(name) && /^((memory\.)?main)?$/i.test(place)) return true;
  return place === '' && own.has(name) && !ENGINE_TABLES.test(name);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function visit(value: unknown, see: (node: Node) => void): void {
  const open = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next.filter((each) => each !== undefined && each !== null));
    else if (isNode(next)) {
      see(next);
      for (const member of Object.values(next)) if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
}

/** Names that the statement gives to its own parts: `WITH name AS …`. */
function ownNames(tree: unknown): Set<string> {
  const names = new Set<string>();
  visit(tree, (node) => {
    const map = isNode(node['cte_map']) ? node['cte_map']['map'] : undefined;
    for (const entry of Array.isArray(map) ? map : []) if (isNode(entry)) names.add(String(entry['key']).toLowerCase());
  });
  return names;
}

/** The statements of an SQL text as `json_serialize_sql` gives them, which knows no other kind than SELECT. */
interface Serialised {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly statements?: readonly unknown[];
}

function viewWords(views: readonly string[]): string {
  return views.length === 1 ? `the only one is ${views[0]}` : `there are ${views.join(', ')}`;
}

/** Why one node of the statement keeps it from running. */
function faultOf(node: Node, known: Known): string | undefined {
  const { type, table_name: table, function_name: name, function: call, schema } = node;
  if (type === 'TABLE_FUNCTION' && isNode(call) && !rowFunctions.has(String(call['function_name']).toLowerCase()))
    return `${String(call['function_name'])} cannot be read from; the data are the ${known.views.length === 1 ? 'view' : 'views'} ${known.views.join(', ')}.`;
  if (type === 'BASE_TABLE' && !isKnown(node, known)) return `there is no table "${String(table)}"; ${viewWords(known.views)}.`;
  if (type === 'SHOW_REF' && typeof table === 'string' && !['', ...known.views].includes(table.replaceAll('"', '').toLowerCase()))
    return 'call without sql to see what there is.';
  if (typeof name !== 'string') return undefined;
  const isPlain = schema === undefined || schema === '' || schema === 'main';
  return isPlain && (allowedFunctions.has(name.toLowerCase()) || rowFunctions.has(name.toLowerCase()))
    ? undefined
    : `the function ${name} is not available here.`;
}

/** Why a statement may not run, in a sentence; undefined where it reads from the views alone. */
export function refusalOf(serialised: string, views: readonly string[]): string | undefined {
  const { error, error_type, error_message, statements = [] }: Serialised = JSON.parse(serialised);
  if (error && error_type !== 'parser')
    return 'only a single SELECT statement runs here (no COPY, ATTACH, PRAGMA, SET, EXPLAIN; a PIVOT names its values with IN).';
  if (error) return `this is no valid SQL: ${error_message ?? 'it cannot be read'}.`;
  if (statements.length !== 1) return `exactly one statement is expected, found ${statements.length}.`;
  const known = { own: ownNames(statements), views };
  let refusal: string | undefined;
  visit(statements, (node) => {
    refusal ??= faultOf(node, known);
  });
  return refusal;
}
