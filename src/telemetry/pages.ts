import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from './metrics.ts';

/** Something that calls depend on. */
export interface Check {
  /** As it stands in the answer. */
  readonly name: string;
  /** Whether calls fail without it; otherwise it is only reported. */
  readonly vital: boolean;
  /** Resolves when all is well; rejects with an error whose message may be shown publicly. */
  run(signal: AbortSignal): Promise<void>;
}

/** The answer to a probe. */
export interface Report {
  readonly ready: boolean;
  /** `ok`, or what is wrong, by the name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** How long a report holds, so that probes cost nothing however often they come. */
const KEEP_MS = 5_000;
/** Longest a check may take. */
const TIMEOUT_MS = 3_000;

/** Makes the reader of these checks; it runs them when it is asked, those of one moment once. */
export function createReadiness({
  checks,
  clock,
  timeoutMs = TIMEOUT_MS,
}: {
  checks: readonly Check[];
  clock: Clock;
  timeoutMs?: number;
}): () => Promise<Report> {
  let latest: { readonly atMs: number; readonly report: Promise<Report> } | undefined;

  async function resultOf(check: Check): Promise<string> {
    const over = new AbortController();
    // A timer of the machine: a clock that stands still must not keep a probe waiting.
    const timer = setTimeout(() => over.abort(new Error(`no answer within ${timeoutMs / 1000} seconds`)), timeoutMs);
    try {
      await check.run(over.signal);
      return 'ok';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async function runAll(): Promise<Report> {
    const results = await Promise.all(checks.map(async (check) => ({ check, result: await resultOf(check) })));
    return {
      ready: results.every(({ check, result }) => !check.vital || result === 'ok'),
      checks: Object.fromEntries(results.map(({ check, result }) => [check.name, result])),
    };
  }

  return () => {
    const nowMs = clock.now();
    if (!latest || Math.abs(nowMs - latest.atMs) >= KEEP_MS) latest = { atMs: nowMs, report: runAll() };
    return latest.report;
  };
}

/** Answers one request outside the protocol. */
export type Page = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_TYPE = 'application/json';

/** A page for GET and HEAD that must not be cached. */
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

/** The pages for the operator of the server: liveness, readiness, and metrics where a token is set for them. */
export function monitoringPages({
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
