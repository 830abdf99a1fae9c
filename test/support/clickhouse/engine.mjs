// The HTTP interface of ClickHouse in front of the engine itself, which chDB holds in a process: users with passwords and the rights of
// their roles, settings and parameters of the address, formats, exceptions with codes before and in the middle of an answer.
// node engine.mjs <folder of the package> <folder for the data>; writes the port to stdout, ends with stdin.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import process from 'node:process';

const [packageFolder = '', dataFolder = ''] = process.argv.slice(2);
const native = createRequire(import.meta.url)(resolve(packageFolder));
const DATABASE = 'analytics';

/** Names, passwords and rights; the engine enforces the rights, as roles of the one user that it has in a process. */
const USERS = {
  loader: { password: 'load-secret', role: 'loading' },
  reader: { password: 'read-secret', role: 'reading' },
  // As an operator may leave it: rights to everything.
  careless: { password: 'read-secret', role: 'everything' },
};
const ROLES = {
  loading: `SELECT, INSERT, ALTER, CREATE TABLE, DROP TABLE ON ${DATABASE}.*`,
  reading: `SELECT ON ${DATABASE}.*`,
  everything: 'ALL ON *.*',
};

mkdirSync(dataFolder, { recursive: true });
const roles = Object.entries(ROLES)
  .map(([name, grant]) => `<${name}><grants><query>GRANT ${grant}</query></grants></${name}>`)
  .join('');
const grants = Object.keys(ROLES)
  .map((name) => `<query>GRANT ${name}</query>`)
  .join('');
writeFileSync(
  join(dataFolder, 'users.xml'),
  `<clickhouse><users><default><password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>
<grants>${grants}</grants></default></users><roles>${roles}</roles><profiles><default/></profiles><quotas><default/></quotas></clickhouse>`,
);
writeFileSync(join(dataFolder, 'config.xml'), `<clickhouse><users_config>${join(dataFolder, 'users.xml')}</users_config></clickhouse>`);
const open = () => native.CreateConnection(join(dataFolder, 'data'), [`--config-file=${join(dataFolder, 'config.xml')}`]);

/** Keeps the engine in the process while no request does. */
const root = open();
native.QueryWithConnection(root, `CREATE DATABASE IF NOT EXISTS ${DATABASE}`, 'TSV');
native.QueryWithConnection(root, 'CREATE DATABASE IF NOT EXISTS other', 'TSV');
native.QueryWithConnection(root, 'CREATE TABLE IF NOT EXISTS other.secrets (secret String) ENGINE = MergeTree ORDER BY ()', 'TSV');
native.QueryWithConnection(root, "INSERT INTO other.secrets SELECT 'of somebody else'", 'TSV');

/** What tests look at and set through `/fixture`. */
let log = [];
let faults = {};

const quoted = (value) => `'${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const OWN = new Set(['database', 'query', 'query_id', 'default_format', 'session_id', 'role', 'wait_end_of_query', 'readonly']);

class Refusal extends Error {
  constructor(code, name, message) {
    super(`Code: ${code}. DB::Exception: ${message}. (${name}) (version 26.7.3.1 (official build))`);
  }
}

function userOf({ headers }) {
  const [name = '', password = ''] = Buffer.from(String(headers.authorization ?? '').replace(/^Basic /, ''), 'base64')
    .toString()
    .split(/:(.*)/s);
  const user = Object.hasOwn(USERS, name) ? USERS[name] : undefined;
  if (!user || user.password !== password)
    throw new Refusal(
      516,
      'AUTHENTICATION_FAILED',
      `${name}: Authentication failed: password is incorrect, or there is no user with such name`,
    );
  return { name, role: user.role };
}

/** Settings of a request as statements: that nothing but reading is allowed comes last. */
function preparation({ role }, parameters) {
  const settings = [...parameters].filter(([name]) => !OWN.has(name));
  const readonly = parameters.get('readonly') ?? (role === 'reading' ? '2' : undefined);
  return [
    `USE ${DATABASE}`,
    `SET ROLE ${role}`,
    'SET implicit_select = 0, allow_introspection_functions = 0',
    ...settings.map(([name, value]) => `SET ${name} = ${quoted(value)}`),
    ...(readonly === undefined ? [] : [`SET readonly = ${quoted(readonly)}`]),
  ];
}

function withoutLines(bytes, count) {
  let from = 0;
  for (let line = 0; line < count; line += 1) from = bytes.indexOf('\n', from) + 1;
  return bytes.subarray(from);
}

async function* answerTo(connection, sql) {
  if (!/^\s*(with|select|\()/i.test(sql)) {
    const { bytes } = await native.QueryAsyncConnection(connection, sql, 'TabSeparated');
    yield Buffer.from(bytes);
    return;
  }
  const handle = native.StreamQuery(connection, sql, 'TabSeparated');
  // The engine begins each block with names and types; an answer has them once.
  const headLines = /WithNamesAndTypes\s*$/.test(sql) ? 2 : 0;
  try {
    for (let block = 0; ; block += 1) {
      const { done, bytes } = await native.StreamFetch(handle);
      if (done) return;
      yield block === 0 ? Buffer.from(bytes) : withoutLines(Buffer.from(bytes), headLines);
    }
  } finally {
    native.StreamCancel(handle);
  }
}

/** Data behind a statement: from a file, because the engine takes an empty line in them for their end. */
async function insert(connection, sql, body) {
  const file = join(dataFolder, `${randomUUID()}.data`);
  writeFileSync(file, body);
  try {
    await native.QueryAsyncConnection(connection, sql.trim().replace(/(\sFORMAT\s+\w+)$/i, ` FROM INFILE ${quoted(file)}$1`), 'TSV');
  } finally {
    rmSync(file, { force: true });
  }
}

/** One statement is all that a request holds. */
function requireOne(sql) {
  native.QueryWithConnection(root, `SELECT formatQuerySingleLine(${quoted(sql)})`, 'TSV');
}

const isReading = (sql) => /^\s*(with|select|explain|show|describe|exists|\()/i.test(sql);

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function headersFor(parameters, tag) {
  return {
    'X-ClickHouse-Query-Id': parameters.get('query_id') ?? randomUUID(),
    'X-ClickHouse-Exception-Tag': tag,
    'X-ClickHouse-Summary': JSON.stringify({ read_rows: '0', read_bytes: '0', written_rows: '0', written_bytes: '0' }),
  };
}

async function read(connection, sql, parameters, response, entry) {
  const tag = randomUUID().replaceAll('-', '').slice(0, 16);
  const waits = parameters.get('wait_end_of_query') === '1';
  const kept = [];
  try {
    for await (const bytes of answerTo(connection, sql)) {
      if (response.destroyed) {
        entry.end = 'cancelled';
        return;
      }
      if (waits) {
        kept.push(bytes);
        continue;
      }
      if (!response.headersSent) response.writeHead(200, headersFor(parameters, tag));
      response.write(bytes);
    }
  } catch (error) {
    if (!response.headersSent) throw error;
    // Status and rows have gone out: the message follows them, marked.
    const message = `${error.message}\n`;
    response.end(`\r\n__exception__\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n__exception__\r\n`);
    entry.end = 'failed in the middle';
    return;
  }
  const whole = Buffer.concat(kept);
  const { cutAfterBytes } = faults;
  if (!response.headersSent) response.writeHead(200, headersFor(parameters, tag));
  if (waits && cutAfterBytes !== undefined && whole.length > cutAfterBytes) {
    response.write(whole.subarray(0, cutAfterBytes), () => response.destroy());
    entry.end = 'cut';
    return;
  }
  entry.end = 'answered';
  response.end(whole);
}

async function answer(request, response, entry) {
  const { searchParams: parameters } = new URL(request.url ?? '/', 'http://localhost');
  const user = userOf(request);
  const body = await bodyOf(request);
  const inAddress = parameters.get('query');
  const sql = inAddress ?? body.toString();
  Object.assign(entry, { user: user.name, sql, settings: Object.fromEntries(parameters) });
  const holdsData = inAddress !== null;
  if (holdsData && faults.failInserts > 0) {
    faults.failInserts -= 1;
    throw new Refusal(252, 'TOO_MANY_PARTS', 'Too many parts');
  }
  if (!holdsData) requireOne(sql);
  const connection = open();
  try {
    for (const statement of preparation(user, parameters)) native.QueryWithConnection(connection, statement, 'TSV');
    if (holdsData) {
      await insert(connection, sql, body);
      // Killed, because an exit runs what the engine does at its end, which may wait for its own threads for ever.
      if (faults.dieAfterInserts !== undefined && (faults.dieAfterInserts -= 1) < 0) process.kill(process.pid, 'SIGKILL');
    } else if (isReading(sql)) return await read(connection, sql, parameters, response, entry);
    else await native.QueryAsyncConnection(connection, sql, 'TSV');
    entry.end = 'answered';
    response.writeHead(200, headersFor(parameters, 'none')).end();
  } finally {
    native.CloseConnection(connection);
  }
}

/** Requests that have ended since the last call; the others come when they have. */
function ended() {
  const found = log.filter(({ end }) => end !== undefined);
  log = log.filter(({ end }) => end === undefined);
  return found;
}

async function fixture(request, response) {
  const body = await bodyOf(request);
  const asked = body.length > 0 ? JSON.parse(body.toString()) : {};
  if (asked.faults) faults = asked.faults;
  response.end(asked.sql ? native.QueryWithConnection(root, asked.sql, 'JSONCompactEachRow') : JSON.stringify(ended()));
}

function serve(request, response) {
  const entry = {};
  log.push(entry);
  response.on('close', () => (entry.end ??= response.writableFinished ? 'answered' : 'cancelled'));
  answer(request, response, entry).catch((error) => {
    const message = String(error.message).replace(/^Query failed: /, '');
    const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002';
    entry.end ??= `code ${code}`;
    if (response.headersSent) response.destroy();
    else response.writeHead(code === '516' ? 403 : 500, { 'X-ClickHouse-Exception-Code': code }).end(`${message}\n`);
  });
}

const server = createServer((request, response) => {
  if (request.url === '/fixture') fixture(request, response).catch((error) => response.writeHead(500).end(String(error.message)));
  else serve(request, response);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
