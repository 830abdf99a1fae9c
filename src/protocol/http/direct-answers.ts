import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isJSONRPCRequest, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { answerJson, KEEP_ALIVE_MS } from './era-handler.ts';

type Id = string | number;

/** Calls of a session that are answered without the streams of the SDK. */
export interface DirectAnswers {
  /** Takes a call whose answer needs no stream; false for all others, which the transport handles. */
  take(request: IncomingMessage, response: ServerResponse, body: unknown): boolean;
  /** Ends the response to a call that was given up. */
  giveUp(id: unknown): void;
  close(): void;
}

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
export function acceptsStreams({ headers: { accept = '' } }: IncomingMessage): boolean {
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
export function createDirectAnswers(transport: NodeStreamableHTTPServerTransport): DirectAnswers {
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
    take(request, response, body) {
      const { sessionId, onmessage } = transport;
      if (!onmessage || sessionId === undefined || !hasUsualHeaders(request)) return false;
      const streams = acceptsStreams(request);
      if (!isJSONRPCRequest(body) || (streams && body.method !== 'tools/call')) return false;
      waiting.set(body.id, waitingResponse(response, sessionId, streams));
      onmessage(body);
      return true;
    },
    giveUp,
    close() {
      for (const id of waiting.keys()) giveUp(id);
    },
  };
}
