import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type ServerProcess, startServer } from './stdio.ts';

/** Clients that hosts are built on. */
export const hostNames = ['SDK 1.x', 'SDK 2.x in the 2025 era', 'SDK 2.x in the 2026-07-28 era', 'SDK 2.x that finds the era'] as const;
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

/** One connected host with its server process; both eras look the same from here. */
export interface Host {
  readonly server: ServerProcess;
  readonly protocolVersion: () => string | undefined;
  readonly instructions: () => string | undefined;
  readonly tools: () => Promise<readonly HostTool[]>;
  readonly call: (tool: string, args?: Record<string, unknown>, signal?: AbortSignal) => Promise<HostResult>;
  readonly templates: () => Promise<readonly { uriTemplate: string; name: string; mimeType?: string | undefined }[]>;
  readonly read: (uri: string) => Promise<string>;
  /** Questions that the person was asked, in order. */
  readonly questions: readonly string[];
  readonly close: () => Promise<void>;
}

export interface HostOptions {
  readonly args?: readonly string[];
  /** The person's answer; left out: the host cannot ask. */
  readonly answer?: () => 'accept' | 'decline' | 'cancel';
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

async function openOld(server: ServerProcess, { answer }: HostOptions): Promise<Host> {
  const client = new OldClient(INFO, { capabilities: answer ? { elicitation: {} } : {} });
  const questions: string[] = [];
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message);
      const action = answer();
      return action === 'accept' ? { action, content: { confirm: true } } : { action };
    });
  }
  const transport = server.transport();
  let version: string | undefined;
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
  };
  await client.connect(transport);
  return {
    server,
    questions,
    protocolVersion: () => version,
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, signal) =>
      resultOf(await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {})),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

const negotiation = {
  'SDK 2.x in the 2025 era': 'legacy',
  'SDK 2.x in the 2026-07-28 era': { pin: '2026-07-28' },
  'SDK 2.x that finds the era': 'auto',
} as const;

async function openModern(server: ServerProcess, name: keyof typeof negotiation, { answer }: HostOptions): Promise<Host> {
  const client = new ModernClient(INFO, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: negotiation[name] },
  });
  const questions: string[] = [];
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      const action = answer();
      return action === 'accept' ? { action, content: { confirm: true } } : { action };
    });
  }
  await client.connect(server.transport());
  return {
    server,
    questions,
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}, signal) => resultOf(await client.callTool({ name: tool, arguments: args }, signal ? { signal } : {})),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** Starts the built server and connects a host of this kind to it; whoever opens it closes it. */
export async function openHost(name: HostName, options: HostOptions = {}): Promise<Host> {
  const server = await startServer(options.args);
  try {
    return name === 'SDK 1.x' ? await openOld(server, options) : await openModern(server, name, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
}
