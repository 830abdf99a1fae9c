import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';
import type { Report } from './readiness.ts';

/** Answers one request that is no part of the protocol. */
export type Page = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';

/** A page for GET and HEAD that nobody keeps. */
function page(answer: (request: IncomingMessage) => Promise<Answer>): Page {
  return async (request, response) => {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const { status, type = JSON_TYPE, body, headers } = reads ? await answer(request) : NOT_ALLOWED;
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

const NOT_ALLOWED: Answer = { status: 405, body: '{"error":"Method not allowed."}', headers: { allow: 'GET, HEAD' } };
const UNAUTHORIZED: Answer = {
  status: 401,
  body: '{"error":"Metrics need the bearer token that the operator has set."}',
  headers: { 'www-authenticate': 'Bearer' },
};

function same(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** The pages for whoever runs the server: alive, ready, and the metrics where a token opens them. */
export function operationsPages({
  readiness,
  metrics,
}: {
  readiness: () => Promise<Report>;
  metrics?: { readonly token: string; readonly text: Metrics['text'] } | undefined;
}): ReadonlyMap<string, Page> {
  const pages = new Map([
    ['/healthz', page(async () => ({ status: 200, body: '{"status":"alive"}' }))],
    [
      '/readyz',
      page(async () => {
        const { ready, checks } = await readiness();
        return { status: ready ? 200 : 503, body: JSON.stringify({ status: ready ? 'ready' : 'not ready', checks }) };
      }),
    ],
  ]);
  if (metrics) {
    const allowed = `Bearer ${metrics.token}`;
    pages.set(
      '/metrics',
      page(async ({ headers }) => {
        if (!same(headers.authorization ?? '', allowed)) return UNAUTHORIZED;
        const { contentType, body } = await metrics.text();
        return { status: 200, type: contentType, body };
      }),
    );
  }
  return pages;
}
