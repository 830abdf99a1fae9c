/** Functions that make rows out of their arguments alone. */
const ROW_FUNCTIONS = new Set(['range', 'generate_series', 'unnest', 'repeat_row']);
/** Functions that tell of the engine instead of the data, act on it, or only keep others waiting. */
const CLOSED = /^(current_setting|getvariable|nextval|currval|write_log|pg_.*|duckdb_.*|pragma_.*|in_search_path|txid_current|sleep_ms)$/;
/** Tables of the engine, which a name that the statement gives must not open. */
const ENGINE_TABLES = /^(duckdb|pg|pragma|sqlite)_/i;

interface Node {
  readonly [member: string]: unknown;
}

/** Whether a table is a part of the statement or the view: only the view has a schema. */
function isKnown({ catalog_name: catalog, schema_name: schema, table_name: table }: Node, own: ReadonlySet<string>): boolean {
  const name = String(table).toLowerCase();
  const place = [catalog, schema].filter((part) => typeof part === 'string' && part !== '').join('.');
  if (name === 'data' && /^((memory\.)?main)?$/i.test(place)) return true;
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

/** Why a statement may not run, in a sentence; undefined where it reads from `data` alone. */
export function refusalOf(serialised: string): string | undefined {
  const { error, error_type, error_message, statements = [] }: Serialised = JSON.parse(serialised);
  if (error && error_type !== 'parser')
    return 'only a single SELECT statement runs here (no COPY, ATTACH, PRAGMA, SET, EXPLAIN; a PIVOT names its values with IN).';
  if (error) return `this is no valid SQL: ${error_message ?? 'it cannot be read'}.`;
  if (statements.length !== 1) return `exactly one statement is expected, found ${statements.length}.`;
  const own = ownNames(statements);
  let refusal: string | undefined;
  visit(statements, (node) => {
    const { type, table_name: table, function_name: name, function: call } = node;
    if (type === 'TABLE_FUNCTION' && isNode(call) && !ROW_FUNCTIONS.has(String(call['function_name']).toLowerCase()))
      refusal ??= `${String(call['function_name'])} cannot be read from; the data are the view data.`;
    if (type === 'BASE_TABLE' && !isKnown(node, own)) refusal ??= `there is no table "${String(table)}"; the only one is data.`;
    if (type === 'SHOW_REF' && typeof table === 'string' && !/^("?data"?)?$/i.test(table))
      refusal ??= 'call without sql to see what there is.';
    if (typeof name === 'string' && CLOSED.test(name.toLowerCase())) refusal ??= `the function ${name} is not available here.`;
  });
  return refusal;
}
