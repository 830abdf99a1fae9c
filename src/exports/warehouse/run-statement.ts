import type { Known } from '../query/database.ts';
import { type Cell, type ResultColumn, SqlError, type SqlResult, type Statement } from '../query/sql-process.ts';
import { viewWords } from '../query/view-sql.ts';
import { type Connection, StatementError, type WarehouseAccess } from './connection.ts';
import { LEDGER, quoted, tableOf, text } from './schema.ts';
import type { WarehouseView } from './warehouse-view.ts';

/**
 * The functions of ClickHouse that a statement may call, in lower case: those that compute from their arguments alone. What is not named
 * here shows settings, hosts, files or other tables, keeps others waiting, or belongs to the inside of the server.
 */
const NAMES = `
  plus minus multiply divide intdiv intdivorzero modulo moduloorzero positivemodulo negate abs gcd lcm equals notequals less greater
  lessorequals greaterorequals and or xor not isnull isnotnull isnotdistinctfrom isdistinctfrom iszeroornull ifnull nullif coalesce
  assumenotnull tonullable if multiif casewithexpression case_without_expression in notin globalin globalnotin nullin notnullin exists
  between tuple tupleelement untuple array arrayelement arrayelementornull lambda arrayjoin map mapkeys mapvalues mapcontains
  mapcontainskey mapcontainsvalue mapfromarrays mapfilter mapapply maparraysort mapsort cast accuratecast accuratecastornull
  accuratecastordefault tostring toint8 toint16 toint32 toint64 toint128 toint256 touint8 touint16 touint32 touint64 touint128 touint256
  toint64ornull toint64orzero toint32ornull touint64ornull touint64orzero tofloat32 tofloat64 tofloat64ornull tofloat64orzero todecimal32
  todecimal64 todecimal128 todecimal256 todecimal64ornull todecimal128ornull tobool todate todate32 todatetime todatetime64 todateornull
  todatetimeornull todatetime64ornull tofixedstring totypename touuid touuidornull tolowcardinality parsedatetime parsedatetimeornull
  parsedatetimebesteffort parsedatetimebesteffortornull parsedatetime64besteffort makedate makedate32 makedatetime makedatetime64
  totimezone timezoneof timezoneoffset toyear toquarter tomonth todayofyear todayofmonth todayofweek tohour tominute tosecond
  tomillisecond toisoyear toisoweek toweek toyearweek tomonday tolastdayofmonth tolastdayofweek tostartofyear tostartofisoyear
  tostartofquarter tostartofmonth tostartofweek tostartofday tostartofhour tostartofminute tostartofsecond tostartoffiveminutes
  tostartoftenminutes tostartoffifteenminutes tostartofinterval totime toyyyymm toyyyymmdd toyyyymmddhhmmss tounixtimestamp
  tounixtimestamp64milli tounixtimestamp64micro fromunixtimestamp fromunixtimestamp64milli fromunixtimestamp64micro age date_diff datediff
  date_add date_sub date_trunc datetrunc dateadd datesub adddays addhours addminutes addmonths addquarters addseconds addweeks addyears
  subtractdays subtracthours subtractminutes subtractmonths subtractquarters subtractseconds subtractweeks subtractyears addinterval
  subtractinterval tointervalyear tointervalquarter tointervalmonth tointervalweek tointervalday tointervalhour tointervalminute
  tointervalsecond formatdatetime datename monthname dayofweek dayofmonth dayofyear year quarter month week day hour minute second
  yesterday today now now64 length lengthutf8 char_length character_length octet_length empty notempty reverse reverseutf8 lower upper
  lowerutf8 upperutf8 lcase ucase initcap concat concatwithseparator concat_ws substring substringutf8 substr mid left right leftutf8
  rightutf8 leftpad rightpad lpad rpad repeat space trim trimleft trimright trimboth ltrim rtrim startswith endswith position
  positioncaseinsensitive positionutf8 locate multisearchany multisearchfirstposition like notlike ilike notilike match multimatchany
  extract extractall extractgroups countsubstrings countmatches replace replaceone replaceall replaceregexpone replaceregexpall
  regexpextract regexp_extract regexp_replace translate splitbychar splitbystring splitbyregexp splitbywhitespace splitbynonalpha
  arraystringconcat format ascii hex unhex base64encode base64decode tryBase64Decode encodeurlcomponent decodeurlcomponent domain
  domainwithoutwww topleveldomain firstsignificantsubdomain cuttofirstsignificantsubdomain protocol path pathfull querystring fragment
  extracturlparameter extracturlparameters extracturlparameternames cutquerystring cutfragment cutwww cuturlparameter port
  jsonextract jsonextractstring jsonextractint jsonextractfloat jsonextractbool jsonextractraw jsonextractarrayraw jsonextractkeys jsonhas
  jsonlength jsontype isvalidjson tojsonstring simplejsonextractstring simplejsonextractint json_value json_query
  cityhash64 siphash64 xxhash64 md5 sha1 sha256 halfmd5 round roundbankers floor ceil ceiling trunc truncate sign sqrt cbrt exp exp2 exp10
  log log2 log10 ln pow power sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians pi e erf factorial isfinite isinfinite isnan
  ifnotfinite bar rounddown roundage roundduration bitand bitor bitxor bitnot bitshiftleft bitshiftright bitcount greatest least
  max2 min2 range arrayconcat arraypushback arraypushfront arraypopback arraypopfront arrayslice arrayresize arrayreverse arraysort
  arrayreversesort arraydistinct arrayuniq arrayenumerate arrayenumerateuniq arraymap arrayfilter arrayexists arrayall arraycount
  arraysum arrayavg arraymin arraymax arrayproduct arrayfirst arrayfirstindex arraylast arraylastindex arrayfold arrayreduce
  arraydifference arraycumsum arrayflatten arraycompact arrayzip arraywithconstant arrayintersect arrayunion has hasall hasany hassubstr
  indexof countequal arrayshuffle emptyarraystring arrayfill arraysplit flatten transform toint coalesce runningdifference neighbor
  rownumberinallblocks formatreadablesize formatreadablequantity formatreadabletimedelta finalizeaggregation generateuuidv4
  any anylast any_value first_value last_value count sum sumwithoverflow sumkahan avg avgweighted min max argmin argmax argandmin
  argandmax median medianexact quantile quantiles quantileexact quantileexactinclusive quantileexactexclusive quantilesexact
  quantilesexactinclusive quantiletiming quantiletdigest quantiledeterministic quantileinterpolatedweighted uniq uniqexact uniqcombined
  uniqcombined64 uniqhll12 uniqthetasketch stddevpop stddevsamp varpop varsamp stddev_pop stddev_samp var_pop var_samp covarpop covarsamp
  covar_pop covar_samp corr skewpop skewsamp kurtpop kurtsamp entropy simplelinearregression grouparray grouparraysorted groupuniqarray
  grouparraysample grouparraymovingsum grouparraymovingavg groupbitand groupbitor groupbitxor groupconcat topk topkweighted summap minmap
  maxmap histogram windowfunnel retention sequencematch sequencecount sequencenextnode exponentialmovingaverage boundingratio deltasum
  grouping row_number rank dense_rank percent_rank percentrank cume_dist ntile lag lead laginframe leadinframe nth_value
  nonnegativederivative singlevalueornull anyrespectnulls denserank toboolornull`;

/** Words at the end of the name of an aggregate function that change how it counts. */
const COMBINATORS = /(if|array|distinct|ornull|ordefault|map|foreach)$/;

const allowed: ReadonlySet<string> = new Set(NAMES.trim().toLowerCase().split(/\s+/));

/** Whether a statement may call a function, in any case and with any combinators. */
function isAllowedFunction(name: string): boolean {
  for (let own = name.toLowerCase(); own !== ''; own = own.replace(COMBINATORS, '')) {
    if (allowed.has(own)) return true;
    if (!COMBINATORS.test(own)) return false;
  }
  return false;
}

/** Functions that make rows from their arguments alone, and may be used as a table. */
const rowFunctions: ReadonlySet<string> = new Set(['numbers', 'generate_series', 'generateseries', 'values']);

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

function faultOf(node: Node, { views, own }: Known): string | undefined {
  const { kind, word, parent } = node;
  if (!HARMLESS.has(kind)) return kind === 'Set' ? 'it may not change settings.' : `${kind} is not available here.`;
  if (kind === 'TableIdentifier' || isSet(node))
    return views.includes(word) || own.has(word) ? undefined : `there is no table "${word}"; ${viewWords(views)}.`;
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
  const names = [...found].map(([, backticked, double, plain]) => backticked ?? double ?? plain ?? '');
  return new Set(names.filter((name) => !name.includes('.') && !/^(export|system|information)_/i.test(name)));
}

/** Why a statement may not run, in a sentence; undefined where it reads from the views alone. `lines` are those of `EXPLAIN AST`. */
function checkTree(lines: readonly string[], sql: string, views: readonly string[]): string | undefined {
  const nodes = nodesOf(lines);
  const [root] = nodes;
  if (root?.kind !== 'SelectWithUnionQuery') return 'only a single SELECT statement runs here.';
  if (root.children !== 1) return 'it may not change settings, name a format or write a file.';
  if (hasHiddenName(sql)) return 'a name in quotes may not hold a backslash or a line break.';
  const known = { views, own: ownNames(sql) };
  return nodes.map((node) => faultOf(node, known)).find((fault) => fault !== undefined);
}

/** One statement over views of the warehouse. */
export interface WarehouseStatement extends Statement {
  readonly views: readonly WarehouseView[];
  /** Scopes of the project, whose tables are shown in part. */
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_MEMORY_BYTES = 4 * 1024 ** 3;
const MAX_READ_ROWS = 4_000_000_000;
const MAX_READ_BYTES = 400e9;
const MAX_RESULT_BYTES = 64 * 1024 ** 2;

/** As SQL has it, and as DuckDB answers. */
const SET_OPERATIONS = { union_default_mode: 'DISTINCT', intersect_default_mode: 'DISTINCT', except_default_mode: 'DISTINCT' } as const;

/** Limits that the server enforces: it only reads, within a time and a number of rows, and stops when the connection closes. */
function settingsFor({ maxRows, timeoutMs }: WarehouseStatement) {
  return {
    allow_ddl: 0,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    max_memory_usage: String(MAX_MEMORY_BYTES),
    max_bytes_before_external_group_by: String(MAX_MEMORY_BYTES / 2),
    max_bytes_before_external_sort: String(MAX_MEMORY_BYTES / 2),
    max_rows_to_read: String(MAX_READ_ROWS),
    max_bytes_to_read: String(MAX_READ_BYTES),
    max_result_rows: String(maxRows + 1),
    max_result_bytes: String(MAX_RESULT_BYTES),
    result_overflow_mode: 'break',
    cancel_http_readonly_queries_on_client_close: 1,
    // A failure in the middle has its own status, not the end of half a result.
    wait_end_of_query: 1,
    join_use_nulls: 1,
    ...SET_OPERATIONS,
    cast_keep_nullable: 1,
    // The statement stands inside of another, which keeps its order.
    query_plan_remove_redundant_sorting: 0,
    use_skip_indexes_if_final: 1,
    use_skip_indexes_if_final_exact_mode: '1',
    output_format_json_quote_decimals: 1,
    output_format_json_quote_denormals: 1,
    output_format_decimal_trailing_zeros: 1,
    readonly: '2',
  } as const;
}

const CODES: Readonly<Record<number, 'time' | 'memory' | 'busy'>> = {
  159: 'time',
  160: 'time',
  202: 'busy',
  241: 'memory',
};

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^U?Int(8|16|32|64)$/, 'BIGINT'],
  [/^U?Int(128|256)$/, 'HUGEINT'],
  [/^B?Float\d+$/, 'DOUBLE'],
  [/^Bool$/, 'BOOLEAN'],
  [/^Date(32)?$/, 'DATE'],
  [/^DateTime/, 'TIMESTAMP'],
];

/** A type of ClickHouse as DuckDB names it. */
function commonTypeName(type: string): string {
  const bare = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  if (bare !== undefined) return commonTypeName(bare);
  const item = /^Array\((.*)\)$/.exec(type)?.[1];
  if (item !== undefined) return `${commonTypeName(item)}[]`;
  if (type.startsWith('Decimal(')) return type.replace(/^Decimal/, 'DECIMAL');
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'VARCHAR';
}

/** A value as the other engine writes it: whole numbers as numbers where they are exact, instants without an empty fraction. */
function cellOf(value: unknown, type: string): Cell {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => cellOf(item, type.endsWith('[]') ? type.slice(0, -2) : ''));
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cellOf(inner, '')]));
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  if (type === 'BIGINT' || type === 'HUGEINT') return Number.isSafeInteger(Number(written)) ? Number(written) : written;
  return type === 'TIMESTAMP' ? written.replace(/\.?0+$/, (end) => (end.startsWith('.') ? '' : end)).replace(/(\.\d*?)0+$/, '$1') : written;
}

/** Throws where the statement is more than one SELECT over the views. */
async function check({ sql, views, signal }: WarehouseStatement, bare: string, reader: Connection): Promise<void> {
  if (sql.includes('\0')) throw new SqlError('refused', 'a statement holds no NUL character.');
  // A format behind the statement would be taken for a part of it.
  const lines = await reader.plainLines(`EXPLAIN AST ${bare}`, { settings: { readonly: '2', ...SET_OPERATIONS }, signal });
  const refusal = checkTree(
    lines,
    sql,
    views.map(({ name }) => name),
  );
  if (refusal !== undefined) throw new SqlError('refused', refusal);
}

/** Runs one statement as the reader; throws a `SqlError`, an `ApiError`, or the reason of the signal. */
export async function runStatement(
  statement: WarehouseStatement,
  { access, reader, project }: { readonly access: WarehouseAccess; readonly reader: Connection; readonly project: string },
): Promise<SqlResult> {
  const { sql, views, scopes, maxRows, maxChars, signal } = statement;
  const bare = sql.replace(/[\s;]+$/, '');
  try {
    await check(statement, bare, reader);
    const parts = views.map(({ name, select }) => `${quoted(name)} AS (${select})`);
    let header: string[] | undefined;
    let columns: ResultColumn[] | undefined;
    const rows: Cell[][] = [];
    let chars = 0;
    let more = false;
    const receive = (line: unknown[]): boolean => {
      if (!header) header = line.map(String);
      else if (!columns) columns = line.map((type, index) => ({ name: header?.[index] ?? '', type: commonTypeName(String(type)) }));
      else {
        const row = line.map((value, index) => cellOf(value, columns?.[index]?.type ?? ''));
        chars += JSON.stringify(row).length;
        more = rows.length === maxRows || chars > maxChars;
        if (!more) rows.push(row);
      }
      return more;
    };
    // Of whatever table a statement reads, the server shows it the rows of this project alone.
    const tables = [LEDGER, ...['sessions', 'views', ...scopes].map(tableOf)];
    // The line break ends a comment at the end of the statement.
    await reader.lines(`WITH ${parts.join(', ')} SELECT * FROM (\n${bare}\n)`, receive, {
      settings: settingsFor(statement),
      filters: Object.fromEntries(tables.map((table) => [`${access.database}.${table}`, `_project = ${text(project)}`])),
      signal,
    });
    return { columns: columns ?? [], rows, more };
  } catch (error) {
    throw error instanceof StatementError ? new SqlError(CODES[error.code] ?? 'sql', error.message) : error;
  }
}
