import { readFile } from 'node:fs/promises';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type ListToolsResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { abortable, withDeadline } from '../api/deadline.ts';
import type { Clock } from '../lib/clock.ts';
import { hint, shownHints } from '../lib/hint.ts';
import { shippedFile } from '../lib/shipped.ts';
import { plainText } from '../lib/strangers-text.ts';
import { dateIn } from '../lib/time-zone.ts';
import { visibleText } from '../lib/visible-text.ts';
import { unanswerable } from '../metrics/unanswerable.ts';
import { fold } from '../names/match-name.ts';
import type { Answered, Caller, Reply } from '../tooling/call-context.ts';
import type { Question } from '../tooling/call-tool.ts';
import { ANSWER_MS } from '../tooling/confirmation.ts';
import type { Candidate, Completer, CompletionContext, DefinedResource, Prompt } from '../tooling/resource.ts';
import type { Answer } from '../tooling/results.ts';
import type { Session } from '../tooling/session.ts';
import { type AnyTool, CHART_VIEW_URI, changesSomething, type ListedTool, type Offer, OVERVIEW_VIEW_URI } from '../tooling/tool.ts';
import { readOnlyReason, registerResource, requestFacts } from './resources.ts';
import { registerSubscriptions, type Subscriptions } from './subscriptions.ts';

/** Values that one completion may hold (protocol). */
const MAX_VALUES = 100;
/** A person is typing: a completion that takes longer is of no use. */
const MAX_WAIT_MS = 3_000;

/** Candidates that begin like the typed text, then those that contain it, by value or words; each value once. */
export function matching(candidates: readonly Candidate[], typed: string): string[] {
  const wanted = fold(typed);
  const rank = ({ value, words = '' }: Candidate) => {
    const texts = [fold(value), fold(words)];
    if (texts.some((text) => text.startsWith(wanted))) return 0;
    return texts.some((text) => text.includes(wanted)) ? 1 : 2;
  };
  const ranked = candidates.map((candidate) => ({ value: candidate.value, rank: rank(candidate) })).filter((each) => each.rank < 2);
  return [...new Set(ranked.toSorted((a, b) => a.rank - b.rank).map(({ value }) => value))];
}

function contextOf(session: Session, filled: Readonly<Record<string, string>>): CompletionContext {
  const chosen = /^[1-9]\d{0,14}$/.test(filled['projectId'] ?? '') ? { projectId: Number(filled['projectId']) } : {};
  return {
    session,
    filled,
    projectId: async () => chosen.projectId ?? (await session.client()).projectId(),
    ask: async (operation, input) => (await session.client()).call(operation, input, chosen),
  };
}

interface Completable {
  readonly resources: readonly DefinedResource[];
  readonly prompts: readonly Prompt[];
  readonly session: Session;
}

/** Completes the arguments of templates and prompts while a person types: at most 100 values, and none where they cannot be read. */
function registerCompletion(server: McpServer, { resources, prompts, session }: Completable): void {
  server.server.registerCapabilities({ completions: {} });
  server.server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, { mcpReq: { signal } }) => {
    const completers = ref.type === 'ref/prompt' ? promptCompleters(prompts, ref.name) : resourceCompleters(resources, ref.uri);
    const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
    const values = completer ? await proposals(completer, argument.value, contextOf(session, context?.arguments ?? {}), signal) : [];
    return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES } };
  });
}

/** Waits no longer than a person does; what is still on its way is there for the next key. */
async function proposals(completer: Completer, typed: string, context: CompletionContext, signal: AbortSignal): Promise<string[]> {
  const { clock } = context.session.options;
  const all = async () => {
    // Completions that need no credential are proposed without one.
    const redact = await context.session.client().then(
      (client) => client.redact,
      () => visibleText,
    );
    return (await completer(context)).map(({ value, ...rest }) => ({ ...rest, value: plainText(redact(value)) }));
  };
  try {
    return matching(await withDeadline({ clock, timeoutMs: MAX_WAIT_MS, signal }, (limits) => abortable(all(), limits.signal)), typed);
  } catch {
    return []; // without proposals the person can still type
  }
}

function promptCompleters(prompts: readonly Prompt[], name: string): Readonly<Record<string, Completer | undefined>> {
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
  return Object.fromEntries(Object.entries(prompt.arguments).map(([argument, { complete }]) => [argument, complete]));
}

function resourceCompleters(resources: readonly DefinedResource[], uri: string): Readonly<Record<string, Completer | undefined>> {
  const resource = resources.find(({ template }) => template === uri);
  if (!resource) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource template ${uri}.`);
  return resource.complete;
}

/** Longest text of an argument; a name or a date is shorter. */
const MAX_ARGUMENT_CHARS = 500;

/** The arguments as hosts see them; they are checked below. */
function declared({ arguments: all }: Prompt): StandardSchemaWithJSON {
  const properties = Object.fromEntries(Object.entries(all).map(([name, { description }]) => [name, { type: 'string', description }]));
  const required = Object.entries(all)
    .filter(([, argument]) => argument.required)
    .map(([name]) => name);
  return shown({ type: 'object', properties, required });
}

/** The arguments without empty ones, on one line each; throws where one is missing, unknown or no argument at all. */
function checked({ name, arguments: all }: Prompt, args: unknown): Record<string, string> {
  const given = Object.entries(args ?? {}).flatMap(([key, value]): [string, string][] => {
    const text = String(value)
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return text === '' ? [] : [[key, text]];
  });
  const complaints = [
    ...given
      .filter(([key]) => !Object.hasOwn(all, key))
      .map(([key]) => `${key}: not an argument of ${name}; there are ${Object.keys(all).join(', ') || 'none'}`),
    ...given.filter(([, text]) => text.length > MAX_ARGUMENT_CHARS).map(([key]) => `${key}: longer than ${MAX_ARGUMENT_CHARS} characters`),
    ...Object.entries(all)
      .filter(([key, { required }]) => required && !given.some(([each]) => each === key))
      .map(([key, { description }]) => `${key}: required (${description})`),
  ];
  if (complaints.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, complaints.join('\n'));
  return Object.fromEntries(given);
}

/** Offers one prompt to the host. */
function registerPrompt(server: McpServer, prompt: Prompt): void {
  const { name, title, description } = prompt;
  const answer = (args: unknown) => ({
    description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(checked(prompt, args)) } }],
  });
  server.registerPrompt(name, { title, description, argsSchema: declared(prompt) }, answer);
}

/** A client that can show a form; one that only opens addresses cannot ask. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
}

/** Whether a request is of the 2026-07-28 era, which has no requests to the client. */
function isOf2026({ mcpReq: { envelope } }: ServerContext): boolean {
  return envelope !== undefined;
}

/** Longest text of a question. */
const QUESTION_CHARS = 4_000;

/** The form that the client shows to the person before a write: a box that is not ticked, because a press of Enter must confirm nothing. */
function formOf({ ask: { question, project, warning } }: Question) {
  const words = question.length > QUESTION_CHARS ? `${question.slice(0, QUESTION_CHARS).toWellFormed()}…` : question;
  const lines = [words, ...(project === undefined ? [] : [`Project: ${project}.`]), ...(warning === undefined ? [] : [warning])];
  const confirm = { type: 'boolean' as const, title: 'Yes', default: false };
  return { message: lines.join('\n'), requestedSchema: { type: 'object' as const, properties: { confirm }, required: ['confirm'] } };
}

/** The reply that came back to a question; only a ticked box is a yes. */
function replyOf(answer: { readonly action?: unknown; readonly content?: unknown } | undefined): Reply {
  if (answer === undefined) return 'unanswered';
  const { action, content } = answer;
  if (action === 'decline') return 'declined';
  if (action !== 'accept') return 'closed';
  return typeof content === 'object' && content !== null && Reflect.get(content, 'confirm') === true ? 'accepted' : 'unticked';
}

/** The answer that a call of the 2026-07-28 era brings to its question; undefined where none was asked. */
function answeredIn({ mcpReq }: ServerContext): Answered | undefined {
  const state = mcpReq.requestState();
  const responses = mcpReq.inputResponses;
  if (state === undefined && responses === undefined) return undefined;
  // Checked by the SDK, which exports no type of it.
  return { reply: replyOf(responses?.['confirm'] as Parameters<typeof replyOf>[0]), state };
}

/** The result that asks in the 2026-07-28 era: the client calls again with the answer. */
function questionIn2026(question: Question) {
  return inputRequired({ inputRequests: { confirm: inputRequired.elicit(formOf(question)) }, requestState: question.state });
}

/**
 * Asks the client in the 2025 era while the call waits. A client that refuses the request, or lets it lie, has not answered: some declare
 * that they can ask and cannot.
 */
async function askIn2025(question: Question, { mcpReq }: ServerContext, clock: Clock): Promise<Reply> {
  const [late, done] = [new AbortController(), new AbortController()];
  const params = { mode: 'form', ...formOf(question) };
  const answer = mcpReq
    .send({ method: 'elicitation/create', params }, { signal: late.signal, timeout: 2 * ANSWER_MS })
    .then(replyOf, () => 'unanswered' as const);
  const wait = clock.sleep(ANSWER_MS, AbortSignal.any([mcpReq.signal, done.signal])).then(() => 'unanswered' as const);
  try {
    return await Promise.race([answer, wait]);
  } finally {
    done.abort();
    wait.catch(() => undefined);
    late.abort();
  }
}

/** The views that the product ships. */
export type ViewName = 'chart' | 'overview';

/** A view as hosts list it; its page and the script of all pages are what the build made. */
interface View {
  readonly name: ViewName;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

const views: readonly View[] = [
  {
    name: 'chart',
    uri: CHART_VIEW_URI,
    title: 'Chart',
    description: 'Draws the chart of a tool result inside the conversation, to be zoomed and pointed at; for hosts, not for reading.',
  },
  {
    name: 'overview',
    uri: OVERVIEW_VIEW_URI,
    title: 'Overview',
    description: 'Shows changes, key figures, speed and exports of a period inside the conversation; for hosts, not for reading.',
  },
];

const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';

/** The view reaches for nothing beyond its own file: every list of allowed origins is empty. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } };

/** A view as a host reads it: one HTML file with all it needs. */
export async function readView(name: ViewName): Promise<string> {
  const [page, script] = await Promise.all([`${name}.html`, 'view.js'].map((file) => readFile(shippedFile(`views/${file}`), 'utf8')));
  // A function, because a replacement would read "$" in the script as its own.
  return (page ?? '').replace('<script src="view.js">', () => `<script>${script?.replaceAll('</script', '<\\/script')}`);
}

/** Makes the views readable, loaded when a host asks for one. */
function registerViews(server: McpServer): void {
  for (const { name, uri, title, description } of views)
    server.registerResource(name, uri, { title, description, mimeType: VIEW_MIME_TYPE, _meta: VIEW_META }, async () => ({
      contents: [{ uri, mimeType: VIEW_MIME_TYPE, text: await readView(name), _meta: VIEW_META }],
    }));
}

/** A picture that hosts show beside a name; inline, because a host may fetch nothing from an address that it does not know. */
interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

function inline(svg: string): Icon[] {
  const escaped = encodeURI(svg.replaceAll('"', "'")).replaceAll('#', '%23'); // a valid address, which some clients check
  return [{ src: `data:image/svg+xml,${escaped}`, mimeType: 'image/svg+xml', sizes: ['any'] }];
}

/** The product's own icon: `assets/icon.svg` without the space between its elements. */
export const productIcons = inline(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512" width="512" height="512"><rect width="512" height="512" rx="112" ' +
    'fill="#14532d"/><g fill="#bbf7d0"><rect x="104" y="288" width="56" height="120" rx="12"/><rect x="192" y="224" width="56" ' +
    'height="184" rx="12"/><rect x="280" y="256" width="56" height="152" rx="12"/><rect x="368" y="152" width="56" height="256" ' +
    'rx="12"/></g><path d="M104 236 L220 164 L308 196 L420 96" fill="none" stroke="#facc15" stroke-width="26" ' +
    'stroke-linecap="round" stroke-linejoin="round"/><circle cx="420" cy="96" r="30" fill="#facc15"/></svg>',
);

/** One path of 24 × 24 each; a green that shows on light and dark ground. */
const PATHS: Readonly<Record<string, string>> = {
  insights: 'M4 20V11h4v9zm6 0V4h4v16zm6 0v-6h4v6z',
  journeys: 'M3 4h18l-7 8v8l-4-2v-6z',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 8c0-5 16-5 16 0z',
  'speed-analysis': 'M13 2L5 14h6l-1 8 9-12h-7z',
  'data-export': 'M10 3h4v8h4l-6 6-6-6h4zM4 19h16v2H4z',
  objects: 'M3 3h8v8H3zm10 0h8v8h-8zM3 13h8v8H3zm10 0h8v8h-8z',
  metrics: 'M3 17l6-7 4 4 6-9 2 2-8 12-4-4-4 5z',
  enrichment: 'M10 4h4v6h6v4h-6v6h-4v-6H4v-4h6z',
};

const drawn = new Map(
  Object.entries(PATHS).map(([toolset, path]) => [
    toolset,
    inline(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#16a34a" d="${path}"/></svg>`),
  ]),
);

/** The icon of the tools of a toolset. */
export function toolsetIcons(toolset: string): Icon[] | undefined {
  return drawn.get(toolset);
}

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
