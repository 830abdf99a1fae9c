import { type Context, Hono } from 'hono';
import type { Operation } from '../api/operation.ts';
import { type OperationName, operations } from '../api/operations/index.ts';
import { pathNames } from '../api/wire.ts';
import { answerAuth } from './auth.ts';
import { type Claims, projectNamed, projects } from './credentials.ts';
import { underFaults } from './faults.ts';
import type { Handler, Handlers, Platform } from './handler.ts';
import { exportHandlers } from './handlers/data-export.ts';
import { enrichmentHandlers } from './handlers/enrichment.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import { objectHandlers } from './handlers/objects.ts';
import { speedHandlers } from './handlers/speed-analysis.ts';
import { type Env, type RecordedRequest, readBody, record } from './requests.ts';
import { failed, json, Refusal, refused } from './responses.ts';
import { checkedInput, invalid, type RawInput } from './validation.ts';

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
  return underFaults(context, platform.faults, name, run);
}

/** Checks token and scope at once, the input when the operation is carried out. */
async function bearerRun(
  name: keyof Handlers,
  operation: Operation,
  raw: RawInput,
  { clock, world, tokens, addresses, pagesFrom }: Platform,
  authorization: string | undefined,
): Promise<() => Promise<Response>> {
  const claims = await tokens.check(authorization);
  if (operation.scope && !claims.scopes.includes(operation.scope)) {
    throw new Refusal(403, 'FORBIDDEN', `The token lacks the scope ${operation.scope}; it carries ${claims.scopes.join(' ')}.`);
  }
  const project = projects.find(({ id }) => id === claims.project);
  if (!project) throw new Refusal(401, 'JWT_INVALID', 'Auth token is invalid.');
  // The input of an operation is checked for that operation's handler; the pairing is beyond the type of a table.
  const handle = handlers[name] as Handler<Operation>;
  return async () => {
    try {
      const input = checkedInput(operation, raw);
      if (operation.scope === 'metrics') checkProject(input['projectId'], claims);
      const place = { world, project, storeUrl: addresses.store, nowMs: clock.now(), pagesFrom };
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
