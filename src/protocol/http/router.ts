import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  classifyInboundRequest,
  createMcpHandler,
  isJSONRPCRequest,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { addTo, countOf } from '../../lib/tally.ts';
import type { Principal } from '../../sign-in/principal.ts';
import type { Watch } from '../subscriptions.ts';
import {
  answerJson,
  type Era,
  type EraHandler,
  type EraHandlerParts,
  KEEP_ALIVE_MS,
  type Refusal,
  refuse,
  type Served,
} from './era-handler.ts';
import { calledTools, cancelledIds, isInitialize, listenedUris, requestIds } from './messages.ts';

/** An open session of either era. */
interface SessionEntry<T> {
  /** The id for its client; hard to guess, but not an authentication. */
  readonly id: string;
  readonly principalId: string;
  readonly value: T;
  /** How many requests use it now, and when it was used last, by the clock. */
  uses: number;
  usedAtMs: number;
}

/** Limits of the table. */
export interface TableLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
}

/** Pause between two searches for idle sessions. */
const SWEEP_MS = 60_000;

interface TableOptions<T> {
  readonly clock: Clock;
  readonly limits: TableLimits;
  /** Forgets the state of a session; must not throw. */
  readonly finish: (value: T) => Promise<void>;
}

/**
 * The longest idle session of the principal with the most, so that one cannot push others out by opening many. One in use has to end only
 * where its owner holds more than twice as many as the newcomer would.
 */
function toEndFor<T>(
  newcomerId: string,
  entries: Iterable<SessionEntry<T>>,
  sizes: ReadonlyMap<string, number>,
): SessionEntry<T> | undefined {
  const most = Math.max(...sizes.values());
  const theirs = [...entries].filter(({ principalId }) => sizes.get(principalId) === most);
  const isGreedy = most > 2 * (countOf(sizes, newcomerId) + 1);
  return theirs.find(({ uses }) => uses === 0) ?? (isGreedy ? theirs[0] : undefined);
}

/** The entries that were not used for `idleMs`. */
function idleSince<T>(nowMs: number, entries: Iterable<SessionEntry<T>>, idleMs: number): SessionEntry<T>[] {
  return [...entries].filter((entry) => {
    // A clock that was set back must not keep a session alive forever.
    if (entry.usedAtMs > nowMs) entry.usedAtMs = nowMs;
    return entry.uses === 0 && nowMs - entry.usedAtMs >= idleMs;
  });
}

/** Notes a use, and puts the entry behind all others. */
function touch<T>(entries: Map<string, SessionEntry<T>>, entry: SessionEntry<T>, nowMs: number): void {
  entry.usedAtMs = nowMs;
  entries.delete(entry.id);
  entries.set(entry.id, entry);
}

/** Makes the table. */
function createSessionTable<T>({ clock, limits, finish }: TableOptions<T>) {
  const { maxSessions, idleMs } = limits;
  /** In the order of their last use, the longest ago first. */
  const entries = new Map<string, SessionEntry<T>>();
  const sizes = new Map<string, number>();
  const closed = new AbortController();

  async function end({ id, principalId, value }: SessionEntry<T>): Promise<void> {
    if (!entries.delete(id)) return;
    if (addTo(sizes, principalId, -1) <= 0) sizes.delete(principalId);
    await finish(value);
  }

  function makeRoom(newcomerId: string): boolean {
    const leaving = toEndFor(newcomerId, entries.values(), sizes);
    if (leaving) void end(leaving);
    return leaving !== undefined;
  }

  async function sweepOnAndOn(): Promise<void> {
    while (!closed.signal.aborted) {
      await clock.sleep(Math.min(SWEEP_MS, idleMs), closed.signal);
      for (const entry of idleSince(clock.now(), entries.values(), idleMs)) void end(entry);
    }
  }
  sweepOnAndOn().catch(() => undefined); // ends with the abort

  return {
    /** Adds a session; undefined where there are too many and all are in use. */
    open(principalId: string, make: (id: string) => T, id: string = randomUUID()): SessionEntry<T> | undefined {
      if (entries.size >= maxSessions && !makeRoom(principalId)) return undefined;
      const entry = { id, principalId, value: make(id), uses: 0, usedAtMs: clock.now() };
      entries.set(id, entry);
      addTo(sizes, principalId);
      return entry;
    },
    /** The session of this id, for its own principal alone. */
    find(id: string, principalId: string) {
      const entry = entries.get(id);
      return entry?.principalId === principalId ? entry : undefined;
    },
    /** Keeps a session from idling until the returned function is called. */
    use(entry: SessionEntry<T>) {
      entry.uses += 1;
      if (entries.has(entry.id)) touch(entries, entry, clock.now());
      let inUse = true;
      return () => {
        if (!inUse) return;
        inUse = false;
        entry.uses -= 1;
        if (entries.get(entry.id) === entry) touch(entries, entry, clock.now());
      };
    },
    /** Ends one session. */
    end,
    get size() {
      return entries.size;
    },
    /** Ends all. */
    async close() {
      closed.abort();
      await Promise.all([...entries.values()].map(end));
    },
  };
}

type Id = string | number;

/** An open response. */
interface Waiting {
  send(message: JSONRPCMessage): void;
  end(): void;
}

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

/**
 * A response that is one JSON text where the answer comes first, and becomes a stream for what comes before it or when it lasts, if its
 * client takes `streams`.
 */
function waitingResponse(response: ServerResponse, sessionId: string, streams: boolean): Waiting {
  const session = { 'mcp-session-id': sessionId };
  let timer = streams ? setTimeout(keepAlive, KEEP_ALIVE_MS).unref() : undefined;
  response.once('close', () => clearTimeout(timer));

  function begin(): void {
    if (!response.headersSent && !response.destroyed) response.writeHead(200, { ...STREAM, ...session });
  }

  function keepAlive(): void {
    begin();
    response.write(': keepalive\n\n');
    timer = setTimeout(keepAlive, KEEP_ALIVE_MS).unref();
  }

  return {
    send(message) {
      const isLast = !('method' in message);
      if (isLast && !response.headersSent) return answerJson(response, 200, message, session);
      if (!streams) throw new Error('The client of this request takes no streams.');
      begin();
      response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      if (isLast) response.end();
    },
    end() {
      begin();
      response.end();
    },
  };
}

/** Whether a client takes answers as streams of events; one that accepts anything, or does not say, may not know them. */
function acceptsStreams({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('text/event-stream');
}

/** Whether the headers are those that need nothing of the SDK's transport, with none that it hands on. */
function hasUsualHeaders({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version'];
  const isAccepted = /application\/(?:json|\*)|\*\/\*|^$/.test(headers.accept ?? '');
  const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version));
  return isAccepted && isKnown && headers['traceparent'] === undefined;
}

/**
 * Answers calls of tools straight to the response, as the protocol allows: JSON, or a stream where something comes before the answer. The
 * transport of the SDK makes a web request, a web response and a stream of each, which takes longer than most calls. Clients that take no
 * streams have all their requests answered so, but the first: it makes the transport know the session.
 */
function createDirectAnswers(transport: NodeStreamableHTTPServerTransport) {
  const waiting = new Map<Id, Waiting>();
  const sendInStream = transport.send.bind(transport);

  async function send(message: JSONRPCMessage, options?: Parameters<typeof sendInStream>[1]): Promise<void> {
    const isAnswer = !('method' in message);
    const id = isAnswer ? message.id : options?.relatedRequestId;
    const open = id === undefined ? undefined : waiting.get(id);
    if (!open || id === undefined) return sendInStream(message, options);
    if (isAnswer) waiting.delete(id);
    open.send(message);
  }
  Object.assign(transport, { send });

  function giveUp(id: unknown): void {
    const open = waiting.get(id as Id); // any other value is no key
    waiting.delete(id as Id);
    open?.end();
  }

  return {
    /** Takes a call whose answer needs no stream; false for all others, which the transport handles. */
    take(request: IncomingMessage, response: ServerResponse, body: unknown) {
      const { sessionId, onmessage } = transport;
      if (!onmessage || sessionId === undefined || !hasUsualHeaders(request)) return false;
      const streams = acceptsStreams(request);
      if (!isJSONRPCRequest(body) || (streams && body.method !== 'tools/call')) return false;
      waiting.set(body.id, waitingResponse(response, sessionId, streams));
      onmessage(body);
      return true;
    },
    /** Ends the response to a call that was given up. */
    giveUp,
    close() {
      for (const id of waiting.keys()) giveUp(id);
    },
  };
}

/** A session of the 2025 era: one server for as long as the client keeps the id. */
interface Era2025Handler extends EraHandler {
  /** False when the first request was refused, so that no client knows the id. */
  isOpen(): boolean;
}

const TAKEN: Refusal = {
  status: 400,
  code: -32_600,
  message: 'Invalid Request: another request of this session has the same id and waits for its answer; give each an id of its own.',
};

/** Types that the transport of the SDK wants every client to accept. */
const ACCEPTED = 'application/json, text/event-stream';

/** Lets the SDK take a request whatever it accepts: the answers of the session already have the form that its client reads. */
function acceptAll(request: IncomingMessage): void {
  const { method, headers, rawHeaders } = request;
  // A stream is no answer for one that asks for something else.
  if (method === 'GET' && !/^$|\*\/\*/.test(headers.accept ?? '')) return;
  headers.accept = ACCEPTED;
  rawHeaders.push('accept', ACCEPTED);
}

/** A session of the 2025 era is opened with these. */
interface SessionParts extends EraHandlerParts {
  readonly id: string;
  /** Whether its client takes answers as streams; else each is one JSON text. */
  readonly streams: boolean;
  /** Called when its client deletes it. */
  readonly onEnd: () => void;
}

/** Makes a session of the 2025 era. */
function createEra2025Handler({ served, log, id, streams, onEnd }: SessionParts): Era2025Handler {
  const server = served.createServer();
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: onEnd,
    keepAliveMs: KEEP_ALIVE_MS,
    enableJsonResponse: !streams,
  });
  Object.assign(transport, { onerror: (error: Error) => log('debug', `2025 era: ${error.message}`) });
  const direct = createDirectAnswers(transport);
  const connected = server.connect(transport);
  /** Requests that wait for an answer, each with how many share its stream: the SDK would send an answer down the stream of a namesake. */
  const waiting = new Map<unknown, number>();

  /** The SDK answers nothing to a request that was given up, and would keep its stream open. */
  function closeStreams(ids: readonly unknown[]): void {
    for (const given of ids) {
      const isId = typeof given === 'string' || typeof given === 'number';
      if (isId && waiting.get(given) === 1) transport.closeSSEStream(given);
      direct.giveUp(given);
    }
  }

  return {
    era: '2025',
    isOpen: () => transport.sessionId !== undefined,
    async handle(request, response, body) {
      await connected;
      const ids = requestIds(body);
      if (ids.some((each, index) => waiting.has(each) || ids.indexOf(each) !== index)) return refuse(response, TAKEN);
      for (const each of ids) waiting.set(each, ids.length);
      response.once('close', () => {
        for (const each of ids) waiting.delete(each);
      });
      if (direct.take(request, response, body)) return;
      acceptAll(request);
      await transport.handleRequest(request, response, body);
      closeStreams(cancelledIds(body));
    },
    async close() {
      direct.close();
      await server.close();
      served.subscriptions.close();
      await served.close();
    },
  };
}

/** Open `subscriptions/listen` of one principal. */
const MAX_SUBSCRIPTIONS = 64;

/** Makes what answers one principal in the 2026-07-28 era: stateless on the wire, while tokens and names are kept between requests. */
function createEra2026Handler({ served, log }: EraHandlerParts): EraHandler {
  const onerror = (error: Error) => log('debug', `2026 era: ${error.message}`);
  /** The tool that a request calls, for the server that is made for it. */
  const called = new WeakMap<Request, string>();
  // One handler for each principal: its streams receive everything that is published in it.
  const handler = createMcpHandler(({ requestInfo }) => served.createServer(requestInfo && called.get(requestInfo)), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    keepAliveMs: KEEP_ALIVE_MS,
    onerror,
  });
  /** Listeners by address: a change is published once, and each stream takes what it asked for. */
  const listeners = new Map<string, { count: number; watch: Watch }>();

  function begin(uri: string): void {
    const known = listeners.get(uri);
    if (known) {
      known.count += 1;
      return;
    }
    try {
      listeners.set(uri, { count: 1, watch: served.subscriptions.watch(uri, () => handler.notify.resourceUpdated(uri)) });
    } catch (error) {
      log('info', `nothing to listen to at an address: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  function end(uri: string): void {
    const known = listeners.get(uri);
    if (!known || --known.count > 0) return;
    known.watch.stop();
    listeners.delete(uri);
  }

  /** The SDK answers `subscriptions/listen` itself without calling the server; the watches last as long as its stream. */
  async function fetch(request: Request, options?: { parsedBody?: unknown }): Promise<Response> {
    const [toolName] = calledTools(options?.parsedBody);
    if (toolName !== undefined) called.set(request, toolName);
    const answer = await handler.fetch(request, options);
    const uris = new Set(listenedUris(options?.parsedBody));
    const streams = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (uris.size === 0 || !streams || request.signal.aborted) return answer;
    for (const uri of uris) begin(uri);
    request.signal.addEventListener('abort', () => uris.forEach(end), { once: true });
    return answer;
  }

  const respond = toNodeHandler({ fetch }, { onerror });
  return {
    era: '2026',
    // A request that a server receives has a method and an address, although its type leaves them open.
    handle: async (request, response, body) => respond(request as IncomingMessage & { method: string; url: string }, response, body),
    async close() {
      await handler.close();
      served.subscriptions.close();
      await served.close();
    },
  };
}

/** The parts of a router. */
export interface RouterOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: TableLimits;
  /** Opens the state of one session; must cost nothing before its first call. The 2026-07-28 era has no session id. */
  readonly open: (principal: Principal, era: Era, sessionId?: string) => Served;
}

/** Fits the SDK's own answer to an id that it does not know. */
const NOT_FOUND: Refusal = {
  status: 404,
  code: -32_001,
  message: 'Session not found: it has ended, or it is not yours. Initialize a new one.',
};
const NO_SESSION: Refusal = { status: 400, message: 'Bad Request: the Mcp-Session-Id header is missing; initialize first.' };
const FULL: Refusal = { status: 503, message: 'Too many sessions are in use; try again later.', headers: { 'retry-after': '5' } };

/** Whose a session is: the principal's, for as long as its platform credential is the one that the session was opened with. */
function ownerOf({ id, credentialVersion }: Principal): string {
  return credentialVersion === undefined ? id : `${id} ${credentialVersion}`;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether the request is of the 2025 era, as the SDK decides it; GET and DELETE are. */
function isOf2025(request: IncomingMessage, body: unknown): boolean {
  const protocolVersionHeader = headerOf(request, 'mcp-protocol-version');
  const mcpMethodHeader = headerOf(request, 'mcp-method');
  const mcpNameHeader = headerOf(request, 'mcp-name');
  const { kind } = classifyInboundRequest({
    httpMethod: request.method ?? 'GET',
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
    ...(body !== undefined && { body }),
  });
  return kind === 'legacy';
}

/** Leads each request to the session or the handler of its era, and ends idle sessions. */
export function createRouter({ clock, log, limits, open }: RouterOptions) {
  const sizeByEra: Record<Era, number> = { '2025': 0, '2026': 0 };
  const table = createSessionTable<EraHandler>({
    clock,
    limits,
    finish(handler) {
      sizeByEra[handler.era] -= 1;
      return handler.close().catch((error: unknown) => log('warn', `a session did not end well: ${String(error)}`));
    },
  });

  function counted<H extends EraHandler>(handler: H): H {
    sizeByEra[handler.era] += 1;
    return handler;
  }

  async function use(entry: SessionEntry<EraHandler>, request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const leave = table.use(entry);
    response.once('close', leave);
    await entry.value.handle(request, response, body);
  }

  async function handle2025(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Promise<void> {
    const id = headerOf(request, 'mcp-session-id');
    if (id !== undefined) {
      const entry = table.find(id, ownerOf(principal));
      return entry?.value.era === '2025' ? use(entry, request, response, body) : refuse(response, NOT_FOUND);
    }
    if (!isInitialize(body)) return refuse(response, NO_SESSION);
    let handler: Era2025Handler | undefined;
    const entry: SessionEntry<EraHandler> | undefined = table.open(
      ownerOf(principal),
      (newId) =>
        (handler = counted(
          createEra2025Handler({
            served: open(principal, '2025', newId),
            log,
            id: newId,
            streams: acceptsStreams(request),
            onEnd: () => entry && void table.end(entry),
          }),
        )),
    );
    if (!entry) return refuse(response, FULL);
    await use(entry, request, response, body);
    if (!handler?.isOpen()) await table.end(entry);
  }

  async function handle2026(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Promise<void> {
    // One for each principal, whatever session id the client sends.
    const owner = ownerOf(principal);
    const id = `2026 ${owner}`;
    const entry =
      table.find(id, owner) ?? table.open(owner, () => counted(createEra2026Handler({ served: open(principal, '2026'), log })), id);
    return entry ? use(entry, request, response, body) : refuse(response, FULL);
  }

  return {
    /** Answers a request of a known principal; `body` is undefined for GET and DELETE. */
    handle: (...asked: Parameters<typeof handle2025>) => (isOf2025(asked[0], asked[3]) ? handle2025 : handle2026)(...asked),
    /** Sessions that are open. */
    get size() {
      return table.size;
    },
    sizeByEra,
    /** Ends all sessions, their streams and calls. */
    close: () => table.close(),
  };
}
