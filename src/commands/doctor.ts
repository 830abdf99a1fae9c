import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { ApiError } from '../api/errors.ts';
import { type Environment, namesProxy, proxyFor } from '../api/proxies.ts';
import { runSql, SqlError } from '../exports/query/sql-process.ts';
import { isLoopback } from '../lib/address.ts';
import { isRecord } from '../lib/is-record.ts';
import { counted } from '../lib/number-text.ts';
import { present } from '../lib/sentences.ts';
import { type Settings, settingDeclarations } from '../settings/settings.ts';
import { unknownVariables } from '../settings/unknown-variables.ts';
import { callTool } from '../tooling/call-tool.ts';
import type { Session } from '../tooling/session.ts';
import type { AnyTool, Offer } from '../tooling/tool.ts';
import { drawPng } from '../views/draw-png.ts';
import { optionalDependencies, version } from './about.ts';
import { enabledTools, listedTools, loadTool } from './catalogue.ts';
import { type Check, checksOf, fault, good } from './check.ts';
import { dataDirectory, dataDirectoryFault } from './directories.ts';
import type { WorldOptions } from './emulator.ts';
import { openSession } from './platform.ts';
import { signInReport } from './sign-in.ts';
import { cacheReport, warehouseReport } from './warehouse.ts';

/** Which proxy leads to the authentication server; empty where the environment names none. */
function proxyReport(authUrl: string, environment: Environment): Check[] {
  const name = 'proxy';
  if (!namesProxy(environment)) return [];
  const url = new URL(authUrl);
  try {
    const proxy = proxyFor(url, environment);
    const way = proxy
      ? `through ${proxy.origin} of ${proxy.variable}${proxy.signIn ? ', with user and password' : ''}`
      : `directly: ${isLoopback(url.hostname) ? 'it is on this machine' : 'NO_PROXY names it'}`;
    return [good(name, `${url.host} is reached ${way}`)];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [fault(name, error.message)];
  }
}

/** Whether Node could take the authorities of `NODE_EXTRA_CA_CERTS`: it goes on without them and says so on stderr, which hosts hide. */
async function authoritiesReport({ NODE_EXTRA_CA_CERTS: path }: Environment): Promise<Check[]> {
  if (!path) return [];
  const name = 'certificates';
  try {
    const { subject } = new X509Certificate(await readFile(path));
    return [good(name, `authorities of NODE_EXTRA_CA_CERTS are accepted, the first ${subject.replaceAll('\n', ', ')}`)];
  } catch {
    return [fault(name, `NODE_EXTRA_CA_CERTS: "${path}" cannot be read as a file of certificates in PEM`)];
  }
}

/** Proxies and authorities of the environment that the way to the platform depends on; empty in the demo, which stays on this machine. */
async function networkReport({ demo, authUrl }: Pick<Settings, 'demo' | 'authUrl'>, environment: Environment): Promise<Check[]> {
  if (demo || !authUrl) return [];
  return [...proxyReport(authUrl, environment), ...(await authoritiesReport(environment))];
}

const { '@duckdb/node-api': duckdb, '@resvg/resvg-js': resvg } = optionalDependencies;
const PATIENCE_MS = 20_000;

/** Native parts come with the package; they are absent where npm left out optional packages, or there is no build for the system. */
function absent(name: string, lost: string, installed: string): Check {
  const words = `${lost} The optional package is not installed: npm adds it unless --omit=optional is set (npm install ${installed}).`;
  return { name, state: 'absent', words };
}

async function trySqlEngine(): Promise<Check> {
  const name = 'sql-engine';
  const query = {
    views: ['data'],
    setup: ['CREATE VIEW data AS SELECT 42 AS answer'],
    files: [],
    sql: 'SELECT answer FROM data',
    maxRows: 1,
    maxChars: 100,
  };
  try {
    const { rows } = await runSql(query, { directory: tmpdir(), holder: 'doctor', timeoutMs: PATIENCE_MS });
    if (rows[0]?.[0] !== 42) return fault(name, `DuckDB answers a trial query with ${JSON.stringify(rows)}, not 42.`);
    return good(name, 'DuckDB answers a trial query, so query_export works');
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    if (error.reason === 'missing package') return absent(name, 'query_export cannot answer.', `@duckdb/node-api@${duckdb}`);
    return fault(name, `DuckDB does not answer a trial query (${error.reason}). ${error.message}`.trim());
  }
}

async function tryPictures(): Promise<Check> {
  const name = 'pictures';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><text x="2" y="15">Trial</text></svg>';
  const png = await drawPng({ svg, widthPx: 80, heightPx: 20 });
  if (!png) return absent(name, 'Charts come without an image.', `@resvg/resvg-js@${resvg}`);
  return good(name, `a trial picture was drawn (${png.length} bytes), so charts come as images`);
}

type Data = Record<string, unknown>;

interface Probe {
  readonly tool: string;
  readonly args?: Data;
  /** The line to print for a good answer. */
  readonly shown: (data: Data) => string;
}

const tokenWords = ({ projectId, endpoint, expiresAt }: Data) =>
  `project ${String(projectId)}, endpoint ${String(endpoint)}, until ${String(expiresAt)}`;

const credentialProbe: Probe = {
  tool: 'get_credential',
  shown: ({ scopes, projects }) => `scopes ${list(scopes)}; projects ${names(projects)}`,
};

/** One read of each family, with arguments that any project answers. */
const probes: readonly Probe[] = [
  { tool: 'authenticate', shown: tokenWords },
  { tool: 'list_scenarios', shown: ({ scenarios }) => `${count(scenarios)} scenarios` },
  {
    tool: 'list_export_jobs',
    args: { limit: 1 },
    shown: ({ jobs }) => (count(jobs) === 0 ? 'no export job yet' : 'export jobs can be read'),
  },
  { tool: 'list_segments', shown: ({ segments }) => `${count(segments)} segments` },
  {
    tool: 'get_site_visits',
    args: { startDate: '-7d', endDate: 'yesterday' },
    shown: ({ rows }) => `visits of the last 7 days: ${list(rows)}`,
  },
];

/** Enrichment can only be written: its token is all that is tried. */
const enrichmentProbe: Probe = {
  tool: 'authenticate',
  args: { scope: 'enrichment' },
  shown: (data) => `for enrichment: ${tokenWords(data)}`,
};

function count(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function list(value: unknown): string {
  return Array.isArray(value) ? value.map((item: unknown) => (Array.isArray(item) ? String(item.at(-1)) : String(item))).join(', ') : '';
}

function names(value: unknown): string {
  return Array.isArray(value) ? value.map(({ id, name }: { id: number; name: string }) => `${id} ${name}`).join(', ') : '';
}

async function answerOf(tool: AnyTool, args: Data, session: Session, offer: Offer) {
  const outcome = await callTool(tool, args, { session, offer, signal: AbortSignal.timeout(40_000), canAsk: false });
  if ('ask' in outcome || outcome.isError) return { problem: 'ask' in outcome ? 'asks for a confirmation' : outcome.text };
  return { data: outcome.structured ?? {} };
}

/** The scope that enrichment lacks, as `get_credential` says; undefined where it is open, or its toolset is switched off. */
function enrichmentLack({ toolsets }: Data): string | undefined {
  const own: unknown = Array.isArray(toolsets) ? toolsets.find((each: Data) => each['toolset'] === 'enrichment') : undefined;
  return isRecord(own) && typeof own['missing'] === 'string' ? own['missing'] : undefined;
}

/** The projects of a credential that leaves the choice open. */
function openChoice({ demo, projectId }: Settings, { projects }: Data): { id: number; name: string }[] {
  return Array.isArray(projects) && projects.length > 1 && projectId === undefined && !demo ? projects : [];
}

const MARKS: Readonly<Record<Check['state'], string>> = { good: '✓', fault: '✗', absent: '–', off: '–' };

/** Checks what a call needs, step by step, handing each result to `report` as soon as it is known. */
async function examine(settings: Settings, world: WorldOptions, report: (check: Check) => void): Promise<void> {
  const offer = enabledTools(await listedTools(), settings);
  const { tools } = offer;
  const isOn = (tool: string) => tools.some(({ name }) => name === tool);
  const session = openSession(settings, tools, world);
  const server = settings.demo ? 'embedded emulator' : (settings.authUrl ?? 'no authentication server set');

  const problems = new Set<string>();

  /** The answer of the tool; undefined where it fails. A problem that was said before is not said again. */
  async function run({ tool, args = {}, shown }: Probe, chosen: Data = {}): Promise<Data | undefined> {
    const answer = await answerOf(await loadTool(tool), { ...args, ...chosen }, session, offer);
    if ('data' in answer) {
      report(good(tool, shown(answer.data)));
      return answer.data;
    }
    if (!problems.has(answer.problem)) report(fault(tool, answer.problem));
    problems.add(answer.problem);
    return undefined;
  }

  async function tryCalls(): Promise<void> {
    // Also where its toolset is switched off: without a credential nothing else can work, and one complaint is enough.
    const credential = await run(credentialProbe);
    if (credential === undefined) return;
    const choice = openChoice(settings, credential);
    const [first] = choice;
    if (first) {
      const words =
        `the credential reaches ${names(choice)}: set WEB_ANALYTICS_PROJECT_ID to the usual one, or name projectId in each call. What ` +
        `follows is of ${first.id}.`;
      report(fault('project', words));
    }
    for (const probe of probes) {
      if (isOn(probe.tool)) await run(probe, first && { projectId: first.id });
      else report({ name: probe.tool, state: 'off', words: 'the settings leave it out' });
    }
    if (isOn('send_enrichments')) await tryEnrichment(enrichmentLack(credential), first && { projectId: first.id });
  }

  async function tryEnrichment(lack: string | undefined, chosen?: Data): Promise<void> {
    if (lack === undefined) return void (await run(enrichmentProbe, chosen));
    const { variable } = settingDeclarations.enrichmentClientId;
    const words = `send_enrichments cannot be used: the credential lacks the scope ${lack}, and no other is set for it (${variable})`;
    report({ name: 'enrichment', state: 'absent', words });
  }

  try {
    report(good('settings', `${server}, time zone ${settings.timeZone}, ${tools.length} tools`));
    for (const words of unknownVariables(process.env)) report(fault('variable', words));
    for (const part of await Promise.all([trySqlEngine(), tryPictures()])) report(part);
    const kept = `downloaded exports can be kept in ${dataDirectory(settings)}`;
    const directory = await checksOf('data-directory', kept, async () => present(await dataDirectoryFault(settings)));
    const way = await networkReport(settings, process.env);
    const reports = [directory, way, await signInReport(settings), await cacheReport(settings), await warehouseReport(settings)];
    for (const check of reports.flat()) report(check);
    if (settings.credentialsFile && !settings.clientId && !settings.demo)
      report({ name: 'calls', state: 'off', words: 'only callers have credentials; none to try' });
    // Without a way nothing can work, and each call would repeat the reason.
    else if (!way.some(({ name, state }) => name === 'proxy' && state === 'fault')) await tryCalls();
  } finally {
    await session.close();
  }
}

function summaryOf(problems: number, missing: readonly string[]): string {
  const parts = missing.length === 0 ? '' : `Not available: ${missing.join(', ')}.`;
  if (problems > 0) return present(`${counted(problems, 'problem')}.`, parts).join(' ');
  return parts === '' ? 'All is well.' : `No problem. ${parts}`;
}

/** Checks the settings, the optional parts and the way to the platform, as text or as one JSON object; 0 when all is well, else 1. */
export async function doctor(settings: Settings, world: WorldOptions, json = false): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const checks: Check[] = [];
  await examine(settings, world, (check) => {
    checks.push(check);
    if (!json) print(`${MARKS[check.state]} ${check.name}: ${check.words.replaceAll('\n', '\n  ')}`);
  });
  const namesOf = (wanted: Check['state']) => checks.filter(({ state }) => state === wanted).map(({ name }) => name);
  const [problems, missing] = [namesOf('fault').length, namesOf('absent')];
  const { versions, platform, arch } = process;
  const system = `${platform}-${arch}`;
  if (json) print(JSON.stringify({ ok: problems === 0, missing, version, node: versions.node, system, checks }, null, 2));
  else print(summaryOf(problems, missing));
  return problems === 0 ? 0 : 1;
}
