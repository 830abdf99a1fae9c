import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, InMemoryTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { createReadCache, type ReadCache } from '../../src/api/read-cache.ts';
import { enabledTools, listedTools, loadTool } from '../../src/commands/catalogue.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import type { ProjectWorkspace } from '../../src/exports/project-workspace.ts';
import type { Warehouse } from '../../src/exports/warehouse/warehouse.ts';
import { prompts } from '../../src/prompts/index.ts';
import { createServer } from '../../src/protocol/server.ts';
import { checkedLines, serveConnection } from '../../src/protocol/stdio.ts';
import { createSubscriptions, type Subscriptions } from '../../src/protocol/subscriptions.ts';
import { resources } from '../../src/resources/index.ts';
import { createSaidNotes, createSession, neededScopes } from '../../src/tooling/session.ts';
import type { Platform } from './emulator.ts';

/** A connection of lines, as over stdio, to a server in this process; a clock that a test moves holds for both ends. */
interface LineLink {
  /** The end of the client. */
  readonly near: Transport;
  readonly close: () => Promise<void>;
}

/** Serves over two streams of this process what `serve` serves over stdin and stdout. */
function linkByLines(factory: () => McpServer, subscriptions: Subscriptions): LineLink {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const lines = checkedLines(
    (line) => void toClient.write(line),
    (message) => transport.onmessage?.(message),
  );
  const transport = new StdioServerTransport(toServer.pipe(lines), toClient);
  const handle = serveConnection(transport, { factory, subscriptions, log: () => undefined });
  const near: Transport = {
    async start() {
      let rest = '';
      toClient.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) near.onmessage?.(JSON.parse(line) as JSONRPCMessage);
      });
    },
    async send(message) {
      toServer.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      toServer.end();
      near.onclose?.();
    },
  };
  return { near, close: () => handle.close() };
}

/** What an answer for the shop says where the credential reaches several projects. */
export const SHOP_NOTE = 'Project: Nordlicht Shop (1201).';

/** What a tool call gave, both channels. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown>;
  /** Addresses of the linked resources. */
  readonly links: readonly string[];
}

/** An MCP client that is connected to the product, which is connected to an emulator. */
export interface Assistant {
  readonly client: Client;
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
  /** Text of a resource. */
  readonly read: (uri: string) => Promise<string>;
  /** The downloaded exports of a project, as its tools see them. */
  readonly workspace: (projectId: number) => Promise<ProjectWorkspace>;
  readonly close: () => Promise<void>;
}

export interface AssistantOptions {
  /** Default `account` with the shop as default project. */
  readonly credential?: CredentialName;
  /** Undefined, where it is named: none. */
  readonly defaultProjectId?: number | undefined;
  readonly timeZone?: string;
  readonly readOnly?: boolean;
  readonly toolsets?: string[];
  readonly rawHar?: boolean;
  readonly maxResultTokens?: number;
  readonly timeoutMs?: number;
  /** Directory of downloaded exports, kept when the assistant closes; left out: one of its own. */
  readonly dataDir?: string;
  readonly dataQuotaMb?: number;
  readonly keepSource?: boolean;
  /** Where converted runs are loaded; the caller closes it. */
  readonly warehouse?: Warehouse;
  readonly principal?: string;
  /** Time between two calls in the eyes of what is kept or was said; default 11 minutes, longer than anything that may change. */
  readonly thinksMs?: number;
  /** Shared by the sessions of one caller; left out: one of its own. */
  readonly reads?: ReadCache;
  /** `lines`: messages travel as they do over stdio; left out: as objects. */
  readonly over?: 'lines';
  /** Answers the question before a write; left out: the client cannot ask. */
  readonly answer?: (message: string) => 'accept' | 'decline';
}

/** Only ends what hangs, as the limit of a test does: a machine with other work takes several times as long. */
const HANGS_MS = 170_000;

/** Calls a tool and gives both channels of its answer. */
async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args }, { timeout: HANGS_MS });
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const links = result.content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
  return {
    isError: result.isError ?? false,
    text: texts.join('\n'),
    structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    links,
  };
}

/** A connection in which messages stay objects. */
async function linkObjects(server: ReturnType<typeof createServer>): Promise<LineLink> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  return { near, close: () => server.close() };
}

/** Connects an assistant in this process, in the way of the 2025 era; the caller closes it. */
export async function openAssistant(platform: Platform, options: AssistantOptions = {}): Promise<Assistant> {
  const { credential = 'account', answer, timeoutMs = 30_000, warehouse } = options;
  const { tools, absent } = enabledTools(await listedTools(), {
    readOnly: options.readOnly ?? false,
    ...(options.toolsets && { toolsets: options.toolsets }),
  });
  const { clock, authUrl, credentials } = platform;
  const defaultProjectId = credential === 'account' && !('defaultProjectId' in options) ? 1201 : options.defaultProjectId;
  const dir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'workspace-')));
  let thoughtMs = 0;
  const thinkingClock = { ...clock, now: () => clock.now() + thoughtMs };
  const reads = options.reads ?? createReadCache({ clock: thinkingClock });
  const session = createSession({
    workspace: {
      dir,
      quotaMb: options.dataQuotaMb ?? 1_000,
      keepSource: options.keepSource,
      ...(warehouse && { warehouse: () => Promise.resolve(warehouse) }),
      principal: options.principal ?? 'local',
      authUrl: () => authUrl,
    },
    clock,
    timeZone: options.timeZone ?? 'UTC',
    maxResultTokens: options.maxResultTokens ?? 20_000,
    rawHar: options.rawHar ?? false,
    said: createSaidNotes(thinkingClock),
    connect: async () =>
      createClient({
        ...clientOptions(platform),
        credential: credentials[credential],
        enrichmentCredential: credentials.enrichment,
        defaultProjectId,
        neededScopes: neededScopes(tools),
        timeoutMs,
        reads,
      }),
  });
  // Between two calls an assistant thinks, for longer than lists are kept.
  const afterThinking = <T>(ask: () => Promise<T>): Promise<T> => {
    thoughtMs += options.thinksMs ?? 660_000;
    return ask();
  };
  const subscriptions = createSubscriptions(session, resources);
  const parts = { name: 'web-analytics-mcp', version: '0.0.0', tools, absent, load: loadTool, resources, prompts, session, subscriptions };
  const client = new Client({ name: 'test', version: '0.0.0' }, { capabilities: answer ? { elicitation: { form: {} } } : {} });
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const action = answer(params.message);
      return action === 'accept' ? { action, content: { confirm: true } } : { action };
    });
  }
  const link = options.over === 'lines' ? linkByLines(() => createServer(parts), subscriptions) : await linkObjects(createServer(parts));
  await client.connect(link.near);
  return {
    workspace: (projectId) => session.workspace(projectId),
    client,
    call: (name, args) => afterThinking(() => callTool(client, name, args)),
    async read(uri) {
      const { contents } = await afterThinking(() => client.readResource({ uri }));
      const [first] = contents;
      return first && 'text' in first ? first.text : '';
    },
    async close() {
      await client.close();
      await link.close();
      subscriptions.close();
      await session.close();
      if (options.dataDir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The options of a client for the shop that no test chooses otherwise. */
export function clientOptions({ clock, authUrl, credentials }: Platform) {
  return {
    authUrl,
    credential: credentials.account,
    defaultProjectId: 1201,
    timeoutMs: 30_000,
    limiter: createLimiter({ clock }),
    sessionId: 'test',
    clock,
    random: () => 0,
    version: '0.0.0',
  };
}

/** Connects an assistant that is closed when the test ends. */
export async function ownAssistant(platform: Platform, options: AssistantOptions = {}): Promise<Assistant> {
  const assistant = await openAssistant(platform, options);
  onTestFinished(() => assistant.close());
  return assistant;
}

/** A person who gives one answer to each question before a write, and the questions. */
export function person(says: 'accept' | 'decline') {
  const questions: string[] = [];
  const answer = (message: string) => {
    questions.push(message);
    return says;
  };
  return { questions, answer };
}

/** Opens an assistant for one run, and closes it afterwards. */
export async function withAssistant<T>(
  platform: Platform,
  options: AssistantOptions,
  run: (assistant: Assistant) => Promise<T>,
): Promise<T> {
  const assistant = await openAssistant(platform, options);
  try {
    return await run(assistant);
  } finally {
    await assistant.close();
  }
}

/** One assistant for a test file, opened before its tests and closed after them. */
export function sharedAssistant(platform: () => Platform, options?: AssistantOptions): () => Assistant {
  let assistant: Assistant | undefined;
  beforeAll(async () => {
    assistant = await openAssistant(platform(), options);
  });
  afterAll(() => assistant?.close());
  return () => {
    if (!assistant) throw new Error('The assistant of this file is not connected yet; ask for it inside a test.');
    return assistant;
  };
}
