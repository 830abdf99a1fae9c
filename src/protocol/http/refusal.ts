import type { ServerResponse } from 'node:http';

/** A request that is turned away before the protocol sees it. */
export interface Refusal {
  readonly status: number;
  /** A sentence for the log of the client; nothing of the request stands in it. */
  readonly message: string;
  /** Code of the JSON-RPC error; -32000 where the protocol names none. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request that it answers; left out where that could not be read. */
  readonly id?: string | number;
}

/** Answers with a JSON-RPC error. */
export function refuse(response: ServerResponse, { status, message, code = -32_000, headers = {}, id }: Refusal): void {
  answerJson(response, status, { jsonrpc: '2.0', error: { code, message }, id: id ?? null }, headers);
}

const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/** Answers with JSON, once; a client that is gone gets nothing. A body that is still on its way is not waited for. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  const { complete, method } = response.req;
  // Those that are not let in, or find nothing, keep no connection.
  const isOver = TURNED_AWAY.has(status) || (!complete && method !== 'GET');
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(isOver && { connection: 'close' }),
    ...headers,
  });
  response.end(text);
}
