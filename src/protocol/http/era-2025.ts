import type { IncomingMessage } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { createDirectAnswers } from './direct-answers.ts';
import { type EraHandler, type EraHandlerParts, KEEP_ALIVE_MS, type Refusal, refuse } from './era-handler.ts';
import { cancelledIds, requestIds } from './messages.ts';

/** A session of the 2025 era: one server for as long as the client keeps the id. */
export interface Era2025Handler extends EraHandler {
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
export function createEra2025Handler({ served, log, id, streams, onEnd }: SessionParts): Era2025Handler {
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
