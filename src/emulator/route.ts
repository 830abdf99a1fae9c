import { setTimeout } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { wordIssues } from '../api/check-input.ts';
import { type Operation, type Scope, unwrap } from '../api/operation.ts';
import { type OperationName, operations } from '../api/operations/index.ts';
import { isoDate } from '../api/params.ts';
import { decodeRequest, pathNames } from '../api/wire.ts';
import { grouped } from '../lib/grouped.ts';
import { isRecord } from '../lib/is-record.ts';
import { type Claims, type Credential, content, type Project, projectNamed, projects, TOKEN_LIFE_SECONDS } from './credentials.ts';
import { type Deployment, REFERENCE } from './deployment.ts';
import { underFaults } from './faults.ts';
import type { Handler, Handlers, Platform } from './handler.ts';
import { exportHandlers } from './handlers/data-export.ts';
import { enrichmentHandlers } from './handlers/enrichment.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import { objectHandlers } from './handlers/objects.ts';
import { speedHandlers } from './handlers/speed-analysis.ts';
import { type Env, type RecordedRequest, readBody, record } from './requests.ts';
import { failed, invalid, json, Refusal, refused } from './responses.ts';

type AnswerMembers = Record<string, unknown>;
type Schema = z.core.$ZodType;

/** The two documented forms of a date: UTC with milliseconds and `Z`, or an offset `+hh:mm` (section 1). */
const DOCUMENTED_DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3}Z|(\.\d{3})?[+-]\d{2}:\d{2})$/;

/** The value with each text that a schema stands for replaced by what `change` makes of it. */
function eachText(schemaOf: Schema, value: unknown, path: string, change: (schema: Schema, text: string, path: string) => string): unknown {
  const schema = unwrap(schemaOf, (each) => each === isoDate);
  if (typeof value === 'string') return change(schema, value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item, index) => eachText(schema.element, item, `${path}[${index}]`, change));
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    const field: Schema | undefined = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    return [name, field ? eachText(field, member, path === '' ? name : `${path}.${name}`, change) : member];
  });
  return Object.fromEntries(members);
}

/** The input as this deployment reads it: it may leave out members that the reference does not list, and mend the case of values. */
function readAs({ dates, letterCase, unknownMembers }: Deployment, { input: schema }: Operation, input: AnswerMembers): unknown {
  const known = unknownMembers === 'refused' ? input : Object.fromEntries(Object.entries(input).filter(([name]) => name in schema.shape));
  return eachText(schema, known, '', (each, text, path) => {
    if (each === isoDate && dates === 'documented' && !DOCUMENTED_DATE.test(text))
      throw invalid(`${path}: expected an ISO 8601 date in UTC with milliseconds (…T00:00:00.000Z), or with an offset +hh:mm`);
    if (letterCase === 'exact' || !(each instanceof z.ZodEnum)) return text;
    return String(each.options.find((option) => String(option).toLowerCase() === text.toLowerCase()) ?? text);
  });
}

/** The parts of a request that carry input. */
interface RawInput {
  readonly params: Record<string, string>;
  readonly query: Record<string, string[]>;
  readonly contentType: string | undefined;
  readonly body: string;
}

/** The input of an operation from its path, query and body, before it is checked against its schema. */
function rawInput(operation: Operation, raw: RawInput): Record<string, unknown> {
  const query = single(raw.query);
  const inPath = pathNames(operation.path).filter((name) => Object.hasOwn(query, name));
  if (operation.method === 'GET') {
    if (inPath.length > 0) throw invalid(`${inPath.join(', ')}: is part of the path; the query does not take it`);
    return decodeRequest(operation, raw.params, query);
  }
  if (Object.keys(query).length > 0)
    throw invalid(`${Object.keys(query).join(', ')}: a POST takes its input in the body, not in the query`);
  if (operation.base === 'enrichment' && raw.contentType?.startsWith('application/x-www-form-urlencoded')) return formInput(operation, raw);
  return decodeRequest(operation, raw.params, {}, jsonBody(raw));
}

function single(query: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => {
      if (values.length > 1) throw invalid(`${name}: is given ${values.length} times; several values are separated by commas`);
      return [name, values[0] ?? ''];
    }),
  );
}

function jsonBody({ contentType, body }: RawInput): Record<string, unknown> {
  if (!contentType?.startsWith('application/json')) throw invalid('the body must be JSON, with content-type application/json');
  const value = parsedJson(body, 'the body');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('the body must be a JSON object');
  return { ...value };
}

/** Form of an enrichment: `enrichments` holds the JSON of the array, the other fields are plain texts. */
function formInput(operation: Operation, raw: RawInput): Record<string, unknown> {
  const form = new URLSearchParams(raw.body);
  const fields = single(Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name)])));
  const { enrichments, ...rest } = fields;
  const input = decodeRequest(operation, raw.params, rest);
  return enrichments === undefined ? input : { ...input, enrichments: parsedJson(enrichments, 'enrichments') };
}

function parsedJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`${where} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The input of an operation, checked against its schema; a `Refusal` that names each field otherwise. */
function checkedInput<O extends Operation>(operation: O, raw: RawInput, deployment: Deployment): z.output<O['input']> {
  const input = readAs(deployment, operation, rawInput(operation, raw));
  const result = operation.input.safeParse(input);
  if (!result.success) throw invalid(wordIssues(result.error.issues, operation.input, input).join('; '));
  // What the schema of an operation makes is the input of that operation.
  return result.data as z.output<O['input']>;
}

/** What authentication calls it where one of these members is wrong, and not only missing. */
const AUTH_CODES: Readonly<Record<string, string>> = { scope: 'invalid_scope', grant_type: 'unsupported_grant_type' };

/** Answers `/v1/oauth/token` or `/v1/oauth/me`. */
async function answerAuth(name: 'requestToken' | 'readCredential', raw: RawInput, platform: Platform): Promise<Response> {
  try {
    return json(200, await (name === 'requestToken' ? token(raw, platform) : credentialRecord(raw, platform)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // In the style of OAuth, without the envelope.
    const { status, errorCode, message } = error;
    const [field = ''] = message.split(':');
    const wrong = raw.body.includes(`"${field}"`) ? AUTH_CODES[field] : undefined;
    const code = errorCode === 'VALIDATION_ERROR' ? (wrong ?? 'invalid_request') : errorCode;
    return json(status, { error: code, error_description: message });
  }
}

async function token(raw: RawInput, { credentials, clock, tokens, serviceUrl, enrichmentUrl, deployment }: Platform) {
  const input = checkedInput(operations.requestToken, raw, REFERENCE);
  const known = authenticated(input, Object.values(credentials), clock.now());
  // Whether the only project of an account need not be named.
  const isUnderstood = deployment.onlyProject === 'understood' && known.projects.length === 1;
  const credential = isUnderstood ? { ...known, level: 'project' as const } : known;
  const project = projectOf(credential, input.project_id);
  const scopes = grantedScopes(credential, input.scope);
  return {
    access_token: await tokens.issue(credential, project, scopes),
    token_type: 'bearer',
    expires_in: TOKEN_LIFE_SECONDS,
    scope: scopes.join(' '),
    project_id: project.id,
    endpoint: scopes.includes('enrichment') ? enrichmentUrl : serviceUrl,
  };
}

function credentialRecord(raw: RawInput, { credentials, clock }: Platform) {
  const input = checkedInput(operations.readCredential, raw, REFERENCE);
  const { scopes, projects: reached } = authenticated(input, Object.values(credentials), clock.now());
  return { scopes: scopes.join(' '), permissions: { projects: reached.map(({ id, name }) => ({ id, name })) } };
}

function authenticated(
  { client_id, client_secret }: { client_id: string; client_secret: string },
  known: readonly Credential[],
  nowMs: number,
): Credential {
  const credential = known.find(({ clientId, clientSecret }) => clientId === client_id && clientSecret === client_secret);
  if (!credential) throw new Refusal(401, 'invalid_client', 'Client id or client secret is wrong.');
  if (nowMs >= credential.expiresMs) {
    const day = new Date(credential.expiresMs).toISOString().slice(0, 10);
    throw new Refusal(401, 'invalid_client', `The credential expired on ${day}, 1 year after it was made; make a new one in the console.`);
  }
  return credential;
}

function projectOf({ level, projects: reached }: Credential, projectId: number | undefined): Project {
  const project = level === 'project' ? reached[0] : reached.find(({ id }) => id === projectId);
  if (level === 'account' && projectId === undefined) {
    throw new Refusal(400, 'invalid_request', 'project_id is required with an account-level credential.');
  }
  if (!project || (projectId !== undefined && projectId !== project.id)) {
    throw new Refusal(403, 'access_denied', `project_id ${projectId}: the credential does not reach this project.`);
  }
  return project;
}

function grantedScopes({ scopes }: Credential, asked: string): Scope[] {
  const names = [...new Set(asked.trim().split(/\s+/))];
  return names.map((name) => {
    const scope = scopes.find((granted) => granted === name);
    if (!scope) throw new Refusal(400, 'invalid_scope', `The credential lacks the scope ${name}; it has ${scopes.join(' ')}.`);
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
  const placeholders = ([, { path }]: (typeof all)[number]) => pathNames(path).length;
  // Fewer placeholders first: the first route that fits wins, and `successful-runs` would fit `{jobId}`.
  const mine = all.filter(([, operation]) => operation.base === base).toSorted((a, b) => placeholders(a) - placeholders(b));
  for (const [name, operation] of mine)
    routes.on(operation.method, honoPath(operation), (context) => answer(context, name, operation, platform));
  for (const [at, here] of grouped(mine, ([, operation]) => honoPath(operation))) {
    const allow = here.map(([, { method }]) => method).join(', ');
    routes.all(at, () => refused(new Refusal(405, 'METHOD_NOT_ALLOWED', `The path takes ${allow}.`, { allow })));
  }
  routes.notFound((context) => refused(new Refusal(404, 'NOT_FOUND', `There is no ${context.req.path} here.`)));
  return routes;
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
  { clock, world, tokens, storeUrl, deployment }: Platform,
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
      // Projects that only make an account large show the magazine's data.
      const shown = projects.includes(project) ? project : content;
      const place = { world, project: shown, storeUrl, nowMs: clock.now(), deployment };
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
