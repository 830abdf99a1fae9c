import { Client as ModernClient, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { type ServerProcess, startServer } from './stdio.ts';

/** Clients that hosts are built on. */
export const hostNames = ['SDK 1.x', 'SDK 2.x in the 2026-07-28 era', 'SDK 2.x in the 2025 era', 'SDK 2.x that finds the era'] as const;
export type HostName = (typeof hostNames)[number];

export interface HostTool {
  readonly name: string;
  readonly inputSchema: unknown;
}

/** Result of a tool call as the protocol carries it. */
export interface HostResult {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
}

/** How a call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Hears how far the call is: done, and of how many. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

/** One connected host; both eras look the same from here. */
export interface Host {
  readonly protocolVersion: () => string | undefined;
  readonly instructions: () => string | undefined;
  readonly tools: () => Promise<readonly HostTool[]>;
  readonly call: (tool: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<HostResult>;
  readonly templates: () => Promise<readonly { uriTemplate: string; name: string; mimeType?: string | undefined }[]>;
  readonly read: (uri: string) => Promise<string>;
  /** Text of a prompt. */
  readonly prompt: (name: string, args?: Record<string, string>) => Promise<string>;
  /** Values offered for one argument of a prompt. */
  readonly complete: (prompt: string, argument: string, value: string) => Promise<readonly string[]>;
  /** Begins to listen to resources; gives the way to end it. */
  readonly listen: (...uris: string[]) => Promise<() => Promise<void>>;
  /** Addresses of its resource notifications, in order. */
  readonly updates: readonly string[];
  /** Questions that the person was asked, in order. */
  readonly questions: readonly string[];
  readonly close: () => Promise<void>;
}

/** A host with its server process. */
export interface StdioHost extends Host {
  readonly server: ServerProcess;
}

export interface AnswerOptions {
  /** The person's answer; left out: the host cannot ask. */
  readonly answer?: () => 'accept' | 'decline' | 'cancel';
}

export interface HostOptions extends AnswerOptions {
  readonly args?: readonly string[];
}

const INFO = { name: 'host', version: '1.0.0' };

/** Both SDKs type a result in a way of their own; on the wire it is the same. */
function resultOf(result: object): HostResult {
  const { content, isError, structuredContent } = result as Record<string, unknown>;
  const blocks = (Array.isArray(content) ? content : []) as { type: string; text?: string }[];
  return {
    isError: isError === true,
    text: blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n'),
    structured: structuredContent as Record<string, unknown> | undefined,
  };
}

function textOf(contents: readonly object[]): string {
  const [first] = contents;
  return first && 'text' in first ? String(first.text) : '';
}

/** Text of the only message of a prompt. */
function messageOf(messages: readonly { content: object }[]): string {
  const [first] = messages;
  return first && 'text' in first.content ? String(first.content.text) : '';
}

/** Both SDKs take undefined for an option only where it is left out. */
function requestOptions({ signal, onProgress }: CallOptions) {
  return {
    ...(signal && { signal }),
    ...(onProgress && {
      onprogress: ({ progress, total }: { progress: number; total?: number | undefined }) => onProgress(progress, total),
    }),
  };
}

/** Notes the question before a write, and answers it as the person does. */
const asking = (questions: string[], answer: NonNullable<AnswerOptions['answer']>) => async (request: { params: { message: string } }) => {
  questions.push(request.params.message);
  const action = answer();
  return action === 'accept' ? { action, content: { confirm: true } } : { action };
};

/** What clients of both SDKs are asked alike. */
const alike = (client: OldClient | ModernClient) => ({
  instructions: () => client.getInstructions(),
  tools: async () => (await client.listTools()).tools,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  read: async (uri: string) => textOf((await client.readResource({ uri })).contents),
  prompt: async (name: string, args: Record<string, string> = {}) =>
    messageOf((await client.getPrompt({ name, arguments: args })).messages),
  complete: async (name: string, argument: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: argument, value } })).completion.values,
  close: () => client.close(),
});

/** Listening by `resources/subscribe`, one address at a time. */
function subscribing(client: Record<'subscribeResource' | 'unsubscribeResource', (params: { uri: string }) => Promise<unknown>>) {
  return async (...uris: string[]) => {
    for (const uri of uris) await client.subscribeResource({ uri });
    return async () => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    };
  };
}

async function connectOld(transport: Transport, { answer }: AnswerOptions): Promise<Host> {
  const client = new OldClient(INFO, { capabilities: answer ? { elicitation: {} } : {} });
  const questions: string[] = [];
  const updates: string[] = [];
  if (answer) client.setRequestHandler(ElicitRequestSchema, asking(questions, answer));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updates.push(params.uri));
  let version: string | undefined;
  const { setProtocolVersion } = transport;
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
    setProtocolVersion?.call(transport, agreed);
  };
  await client.connect(transport);
  return {
    ...alike(client),
    questions,
    updates,
    protocolVersion: () => version,
    call: async (name, args = {}, options = {}) =>
      resultOf(await client.callTool({ name, arguments: args }, undefined, requestOptions(options))),
    listen: subscribing(client),
  };
}

const negotiation = {
  'SDK 2.x in the 2025 era': 'legacy',
  'SDK 2.x in the 2026-07-28 era': { pin: '2026-07-28' },
  'SDK 2.x that finds the era': 'auto',
} as const;

async function connectModern(transport: Transport, name: keyof typeof negotiation, { answer }: AnswerOptions): Promise<Host> {
  const client = new ModernClient(INFO, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: negotiation[name] },
  });
  const questions: string[] = [];
  const updates: string[] = [];
  if (answer) client.setRequestHandler('elicitation/create', asking(questions, answer));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
  await client.connect(transport);
  return {
    ...alike(client),
    questions,
    updates,
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    call: async (tool, args = {}, options = {}) =>
      resultOf(await client.callTool({ name: tool, arguments: args }, requestOptions(options))),
    async listen(...uris) {
      if (client.getNegotiatedProtocolVersion() !== '2026-07-28') return subscribing(client)(...uris);
      const subscription = await client.listen({ resourceSubscriptions: uris });
      return () => subscription.close();
    },
  };
}

/** Connects a host of this kind over a transport of its SDK. */
export function connectHost(name: HostName, transport: Transport | OldHttpTransport, options: AnswerOptions = {}): Promise<Host> {
  // The old SDK spells optional members of its transport in another way; the two are the same at run time.
  const shared = transport as Transport;
  return name === 'SDK 1.x' ? connectOld(shared, options) : connectModern(shared, name, options);
}

/** Starts the built server and connects a host of this kind to it; the caller closes it. */
export async function openHost(name: HostName, options: HostOptions = {}): Promise<StdioHost> {
  const server = await startServer(options.args);
  try {
    return { server, ...(await connectHost(name, server.transport(), options)) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export interface HttpHostOptions extends AnswerOptions {
  readonly token?: string;
}

/** Connects a host of this kind over HTTP; the end of it does not end the session, as with most hosts. */
export function openHttpHost(name: HostName, url: string, { token, ...options }: HttpHostOptions = {}): Promise<Host> {
  const requestInit = token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const transport =
    name === 'SDK 1.x' ? new OldHttpTransport(new URL(url), requestInit) : new StreamableHTTPClientTransport(new URL(url), requestInit);
  return connectHost(name, transport, options);
}
