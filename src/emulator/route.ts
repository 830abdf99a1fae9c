import { setTimeout } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import type { InputOf, Operation, Scope } from '../api/operation.ts';
import { type OperationName, operations } from '../api/operations/index.ts';
import { pathNames } from '../api/wire.ts';
import { type Claims, type Credential, type Project, projectNamed, TOKEN_LIFE_SECONDS } from './credentials.ts';
import type { Deployment } from './deployment.ts';
import { underFaults } from './faults.ts';
import type { Handler, Handlers, Platform } from './handler.ts';
import { exportHandlers } from './handlers/data-export.ts';
import { enrichmentHandlers } from './handlers/enrichment.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import { objectHandlers } from './handlers/objects.ts';
import { speedHandlers } from './handlers/speed-analysis.ts';
import { type Env, type RecordedRequest, readBody, record } from './requests.ts';
import { failed, json, Refusal, refused } from './responses.ts';
import { checkedInput, invalid, type RawInput, rawInput, worded } from './validation.ts';

/** Refuses in the style of OAuth: `error` and `error_description`, no envelope. */
class OAuthRefusal extends Error {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string, description: string) {
    super(description);
    this.name = 'OAuthRefusal';
    this.status = status;
    this.error = error;
  }
}

/** Answers `/v1/oauth/token` or `/v1/oauth/me`. */
async function answerAuth(name: 'requestToken' | 'readCredential', raw: RawInput, platform: Platform): Promise<Response> {
  try {
    return json(200, await (name === 'requestToken' ? token(raw, platform) : credentialRecord(raw, platform)));
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    return json(error.status, { error: error.error, error_description: error.message });
  }
}

function checked<Name extends 'requestToken' | 'readCredential'>(name: Name, raw: RawInput): InputOf<(typeof operations)[Name]>;
function checked(name: 'requestToken' | 'readCredential', raw: RawInput): unknown {
  const operation = operations[name];
  const input = unwrapped(() => rawInput(operation, raw));
  const result = operation.input.safeParse(input);
  if (result.success) return result.data;
  const first = result.error.issues[0]?.path[0];
  const isMissing = typeof first === 'string' && !Object.hasOwn(input, first);
  const codes: Record<string, string> = { scope: 'invalid_scope', grant_type: 'unsupported_grant_type' };
  const code = isMissing ? undefined : codes[String(first)];
  throw new OAuthRefusal(400, code ?? 'invalid_request', worded(result.error.issues, operation));
}

function unwrapped<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new OAuthRefusal(400, 'invalid_request', error instanceof Error ? error.message : String(error));
  }
}

async function token(raw: RawInput, { credentials, clock, tokens, addresses, deployment }: Platform) {
  const input = checked('requestToken', raw);
  const known = authenticated(input, Object.values(credentials), clock.now());
  const credential = isUnderstood(known, deployment) ? { ...known, level: 'project' as const } : known;
  const project = projectOf(credential, input.project_id);
  const scopes = grantedScopes(credential, input.scope);
  return {
    access_token: await tokens.issue(credential, project, scopes),
    token_type: 'bearer',
    expires_in: TOKEN_LIFE_SECONDS,
    scope: scopes.join(' '),
    project_id: project.id,
    endpoint: scopes.includes('enrichment') ? addresses.enrichment : addresses.service,
  };
}

function credentialRecord(raw: RawInput, { credentials, clock }: Platform) {
  const { scopes, projects: reached } = authenticated(checked('readCredential', raw), Object.values(credentials), clock.now());
  return { scopes: scopes.join(' '), permissions: { projects: reached.map(({ id, name }) => ({ id, name })) } };
}

function authenticated(
  { client_id, client_secret }: { client_id: string; client_secret: string },
  known: readonly Credential[],
  nowMs: number,
): Credential {
  const credential = known.find(({ clientId, clientSecret }) => clientId === client_id && clientSecret === client_secret);
  if (!credential) throw new OAuthRefusal(401, 'invalid_client', 'Client id or client secret is wrong.');
  if (nowMs >= credential.expiresMs) {
    const day = new Date(credential.expiresMs).toISOString().slice(0, 10);
    throw new OAuthRefusal(
      401,
      'invalid_client',
      `The credential expired on ${day}, 1 year after it was made; make a new one in the console.`,
    );
  }
  return credential;
}

/** Whether the only project of an account need not be named. */
function isUnderstood({ projects: reached }: Credential, { onlyProject }: Deployment): boolean {
  return onlyProject === 'understood' && reached.length === 1;
}

function projectOf({ level, projects: reached }: Credential, projectId: number | undefined): Project {
  const project = level === 'project' ? reached[0] : reached.find(({ id }) => id === projectId);
  if (level === 'account' && projectId === undefined) {
    throw new OAuthRefusal(400, 'invalid_request', 'project_id is required with an account-level credential.');
  }
  if (!project || (projectId !== undefined && projectId !== project.id)) {
    throw new OAuthRefusal(403, 'access_denied', `project_id ${projectId}: the credential does not reach this project.`);
  }
  return project;
}

function grantedScopes({ scopes }: Credential, asked: string): Scope[] {
  const names = [...new Set(asked.trim().split(/\s+/))];
  return names.map((name) => {
    const scope = scopes.find((granted) => granted === name);
    if (!scope) throw new OAuthRefusal(400, 'invalid_scope', `The credential lacks the scope ${name}; it has ${scopes.join(' ')}.`);
    return scope;
  });
}

const handlers: Handlers = {
  ...speedHandlers,
  ...exportHandlers,
  ...objectHandlers,
  ...metricsHandlers,
  ...enrichmentHandlers,
};

/** The server of one base address: the operations of that base and nothing else. */
export function createRoutes(base: Operation['base'], platform: Platform): Hono<Env> {
  const routes = arrivals(base, platform);
  // The names of a plain object are its keys; `Object.entries` forgets it.
  const all = Object.entries(operations) as [OperationName, Operation][];
  const mine = inRouteOrder(all.filter(([, operation]) => operation.base === base));
  for (const [name, operation] of mine)
    routes.on(operation.method, honoPath(operation), (context) => answer(context, name, operation, platform));
  for (const at of new Set(mine.map(([, operation]) => honoPath(operation)))) {
    const allow = mine
      .filter(([, operation]) => honoPath(operation) === at)
      .map(([, { method }]) => method)
      .join(', ');
    routes.all(at, () => refused(new Refusal(405, 'METHOD_NOT_ALLOWED', `The path takes ${allow}.`, { allow })));
  }
  routes.notFound((context) => refused(new Refusal(404, 'NOT_FOUND', `There is no ${context.req.path} here.`)));
  return routes;
}

/** Fewer placeholders first: the first route that fits wins, and `successful-runs` would fit `{jobId}`. */
export function inRouteOrder<Entry extends readonly [string, Pick<Operation, 'path'>]>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted(([, one], [, other]) => pathNames(one.path).length - pathNames(other.path).length);
}

function honoPath({ path }: Operation): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** An app that remembers what arrives and answers errors in the envelope. */
export function arrivals(server: RecordedRequest['server'], { requests }: Platform): Hono<Env> {
  const app = new Hono<Env>();
  app.use((context, next) => {
    record(context, requests, server);
    return next();
  });
  app.onError(failed);
  return app;
}

async function answer(context: Context<Env>, name: OperationName, operation: Operation, platform: Platform): Promise<Response> {
  context.get('recorded').operation = name;
  const { authorization } = context.req.header();
  // Before anything is awaited: what overlaps on the wire must overlap here too.
  const leave = operation.base === 'auth' ? () => {} : platform.load.admit(projectNamed(authorization), operation.scope);
  if (!(leave instanceof Refusal)) context.env.outgoing.once('close', leave);
  const body = await readBody(context);
  if (leave instanceof Refusal) throw leave;
  const raw = { params: context.req.param(), query: context.req.queries(), contentType: context.req.header('content-type'), body };
  const run =
    name === 'requestToken' || name === 'readCredential'
      ? () => answerAuth(name, raw, platform)
      : await bearerRun(name, operation, raw, platform, authorization);
  const { latencyMs } = platform.world.account;
  return underFaults(context, platform.faults, name, async () => {
    if (latencyMs > 0) await setTimeout(latencyMs);
    return run();
  });
}

/** Checks token and scope at once, the input when the operation is carried out. */
async function bearerRun(
  name: keyof Handlers,
  operation: Operation,
  raw: RawInput,
  { clock, world, tokens, addresses, deployment }: Platform,
  authorization: string | undefined,
): Promise<() => Promise<Response>> {
  const claims = await tokens.check(authorization);
  if (operation.scope && !claims.scopes.includes(operation.scope)) {
    throw new Refusal(403, 'FORBIDDEN', `The token lacks the scope ${operation.scope}; it carries ${claims.scopes.join(' ')}.`);
  }
  const project = world.account.projects.find(({ id }) => id === claims.project);
  if (!project) throw new Refusal(401, 'JWT_INVALID', 'Auth token is invalid.');
  // The input of an operation is checked for that operation's handler; the pairing is beyond the type of a table.
  const handle = handlers[name] as Handler<Operation>;
  return async () => {
    try {
      const input = checkedInput(operation, raw, deployment);
      if (operation.scope === 'metrics') checkProject(input['projectId'], claims);
      const place = { world, project: world.account.dataOf(project), storeUrl: addresses.store, nowMs: clock.now(), deployment };
      return json(200, { payload: await handle(input, place), success: true });
    } catch (error) {
      return failed(error);
    }
  };
}

function checkProject(asked: unknown, { project, level }: Claims): void {
  if (asked === undefined && level === 'account') throw invalid('projectId: is required with an account-level credential');
  if (asked !== undefined && asked !== project) {
    throw new Refusal(403, 'FORBIDDEN', `projectId ${JSON.stringify(asked)}: the token is for project ${project}.`);
  }
}
