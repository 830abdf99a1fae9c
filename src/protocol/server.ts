import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ListToolsResult,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { unanswerable } from '../domain/metrics/unanswerable.ts';
import { hint, shownHints } from '../lib/hint.ts';
import { dateIn } from '../lib/time-zone.ts';
import type { Caller } from '../tooling/call-context.ts';
import type { Prompt } from '../tooling/prompt.ts';
import type { DefinedResource } from '../tooling/resource.ts';
import type { Answer } from '../tooling/results.ts';
import type { Session } from '../tooling/session.ts';
import { type AnyTool, changesSomething, type ListedTool, type Offer } from '../tooling/tool.ts';
import { productIcons, toolsetIcons } from './icons.ts';
import { registerCompletion, registerPrompt } from './prompts.ts';
import { answeredIn, askIn2025, canAsk, isOf2026, questionIn2026 } from './question.ts';
import { readOnlyReason } from './read-only-reason.ts';
import { registerResource, requestFacts } from './resources.ts';
import { registerSubscriptions, type Subscriptions } from './subscriptions.ts';
import { registerViews } from './views.ts';

/** The extension of the protocol by which hosts show views. */
const APP_EXTENSION = 'io.modelcontextprotocol/ui';

/** The parts of a server; all of them are known before the first request. */
export interface ServerParts {
  readonly name: string;
  readonly version: string;
  /** The name for people, and where they read about it. */
  readonly title?: string;
  readonly websiteUrl?: string;
  readonly tools: readonly ListedTool[];
  /** Names of the tools that the settings leave out. */
  readonly absent?: ReadonlySet<string>;
  /** Gives the tool behind a listed name, at its first call. */
  readonly load: (name: string) => Promise<AnyTool>;
  readonly resources: readonly DefinedResource[];
  readonly prompts: readonly Prompt[];
  readonly session: Session;
  /** The subscriptions of the session; they outlive the servers that the SDK makes. */
  readonly subscriptions: Subscriptions;
}

const NONE: ReadonlySet<string> = new Set();

/** A schema that shows the model what it needs and accepts everything: the boundary checks the values, with its own messages. */
function shown(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const json = () => schema;
  return {
    '~standard': { version: 1, vendor: 'web-analytics-mcp', validate: (value) => ({ value }), jsonSchema: { input: json, output: json } },
  };
}

/** A tool as a list shows it. */
function listed({
  name,
  title,
  description,
  annotations,
  inputSchema,
  outputSchema,
  toolset,
  _meta,
}: ListedTool): ListToolsResult['tools'][number] {
  const icons = toolsetIcons(toolset);
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: { type: 'object', ...inputSchema },
    outputSchema: { type: 'object', ...outputSchema },
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  };
}

function callerOf(
  server: McpServer,
  { session, tools, absent = NONE }: ServerParts,
  context: ServerContext,
  answered = answeredIn(context),
): Caller {
  const { envelope, signal } = context.mcpReq;
  // The envelope is checked by the SDK, which exports no type of it.
  const perRequest = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const capabilities = perRequest ?? server.server.getClientCapabilities();
  const progress = progressOf(context);
  return {
    session,
    offer: { tools, absent },
    signal,
    request: requestFacts(context),
    // One from which nothing came back is asked no more by this call.
    canAsk: canAsk(capabilities) && answered?.reply !== 'unanswered',
    ...(progress && { progress }),
    ...(answered && { answered }),
  };
}

/**
 * The first 20 messages of progress go out as they come; then at most one a second, because hundreds of steps would be hundreds of
 * messages.
 */
const FREE_MESSAGES = 20;
const PROGRESS_MS = 1_000;

/** Sends progress to a client that asked for it; undefined for one that did not. */
function progressOf({ mcpReq }: ServerContext): Caller['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let [sent, sentMs] = [0, 0];
  return (progress, total, message) => {
    const nowMs = performance.now();
    // The last is always sent.
    if (sent >= FREE_MESSAGES && nowMs - sentMs < PROGRESS_MS && (total === undefined || progress < total)) return;
    sent += 1;
    sentMs = nowMs;
    const params = { progressToken, progress, total, message };
    // A client that is gone misses nothing: the answer fails too.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function toResult({ isError, structured, text, links, image }: Answer) {
  return {
    content: [
      { type: 'text' as const, text },
      ...(image ? [{ type: 'image' as const, ...image }] : []),
      ...links.map((link) => ({ type: 'resource_link' as const, ...link })),
    ],
    ...(structured && { structuredContent: structured }),
    ...(isError && { isError }),
  };
}

/** The module that runs calls: loaded with the first one and kept, because even an import of what is loaded takes a while. */
let calling: Promise<typeof import('../tooling/call-tool.ts')> | undefined;

/**
 * A server over these parts; cheap and free of side effects, because the SDK may make several. With `onlyTool` it serves a call of
 * that tool and nothing else: where each request has a server of its own, registering all the rest would cost more than the call.
 */
export function createServer(parts: ServerParts, onlyTool?: string): McpServer {
  const { name, version, title, websiteUrl, tools, absent = NONE, load, resources, session, subscriptions } = parts;
  const { clock, timeZone } = session.options;
  const called = onlyTool === undefined ? undefined : tools.find((tool) => tool.name === onlyTool);
  const enabled = new Set(tools.map((tool) => tool.name));
  const prompts = parts.prompts.filter((prompt) => prompt.tools.every((tool) => enabled.has(tool)));
  const server = new McpServer(
    { name, version, icons: productIcons, ...(title && { title }), ...(websiteUrl && { websiteUrl }) },
    {
      ...(!called && { instructions: instructions({ timeZone, nowMs: clock.now(), offer: { tools, absent } }) }),
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, subscribe: true },
        ...(prompts.length > 0 && { prompts: { listChanged: false } }),
        extensions: { [APP_EXTENSION]: {} },
      },
    },
  );
  const served = called ? [called] : tools;
  for (const tool of served) {
    server.registerTool(
      tool.name,
      { inputSchema: shown(tool.inputSchema), outputSchema: shown(tool.outputSchema) },
      async (args, context) => {
        const reason = changesSomething(tool) ? readOnlyReason.getStore() : undefined;
        if (reason !== undefined) return { content: [{ type: 'text' as const, text: reason }], isError: true };
        const loaded = await load(tool.name);
        const { callTool } = await (calling ??= import('../tooling/call-tool.ts'));
        let outcome = await callTool(loaded, args, callerOf(server, parts, context));
        // Again only where the person agreed, and to something else than what is to be written by now.
        while ('ask' in outcome) {
          if (isOf2026(context)) return questionIn2026(outcome);
          const reply = await askIn2025(outcome, context, clock);
          outcome = await callTool(loaded, args, callerOf(server, parts, context, { reply, state: outcome.state }));
        }
        return toResult(outcome);
      },
    );
  }
  // A session may be used with a token that may write and with one that may not.
  server.server.setRequestHandler('tools/list', () => {
    const mayWrite = readOnlyReason.getStore() === undefined;
    return { tools: served.filter((tool) => mayWrite || !changesSomething(tool)).map(listed) };
  });
  if (called) return server;
  for (const resource of resources) registerResource(server, resource, { session, absent });
  registerViews(server);
  for (const prompt of prompts) registerPrompt(server, prompt);
  registerCompletion(server, { resources, prompts, session });
  registerSubscriptions(server, subscriptions, session);
  return server;
}

interface InstructionFacts {
  readonly timeZone: string;
  readonly nowMs: number;
  /** Left out: all tools. */
  readonly offer?: Offer;
}

/** The instructions that a model reads once per connection; at most 1 KB. */
export function instructions({ timeZone, nowMs, offer }: InstructionFacts): string {
  const writes = offer?.tools.some(changesSomething) ?? true;
  const lines = [
    'A web and app analytics platform: site and zone metrics, speed analysis (synthetic scenarios, HAR files), data exports, enrichment.',
    `Today is ${dateIn(timeZone, nowMs)}, time zone ${timeZone}. Dates: 2026-11-01, 2026-11, 2026-Q3, today, yesterday, -7d, -4w, ` +
      '-3mo, last_week, this_month, last_quarter …, or ISO with offset.',
    `${hint('find_objects', 'Start with find_objects for ids; parameters', 'Parameters')} for objects also take names ` +
      '("Home / Header / Search bar" for a zone).' +
      hint('query_metrics', ' query_metrics tables any range.') +
      hint('compare_metrics', ' compare_metrics explains a change.') +
      hint('find_changes', ' find_changes lists all.') +
      hint('get_credential', ' get_credential shows projects and scopes.'),
    'Rates are percents; null means no value, never 0. Never average rates or averages: ask for the whole range.',
    ...(writes
      ? [
          'Writes ask for confirmation first, without it they only show what would be sent' +
            hint('create_speed_event', '; only create_speed_event writes at once') +
            '.',
        ]
      : []),
    `Not in this interface: ${unanswerable.flatMap(({ asked, ofExports }) => (ofExports ? [] : asked)).join(', ')}. ` +
      'Say so; nearest (analytics://reference/limits): ' +
      'sessions or views export, lab runs.',
  ];
  return shownHints(lines.join('\n'), offer?.absent);
}
