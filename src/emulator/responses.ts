import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Refuses a request the way the platform does: HTTP status, `success: false`, `errorMessage`, `errorCode`. */
export class Refusal extends Error {
  readonly status: number;
  readonly errorCode: string;
  readonly headers: Record<string, string>;

  constructor(status: number, errorCode: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.errorCode = errorCode;
    this.headers = headers;
  }
}

/** Refuses with 400 the way the platform refuses values. */
export function invalid(message: string): Refusal {
  return new Refusal(400, 'VALIDATION_ERROR', message);
}

const pack = promisify(gzip);
/** Smaller answers travel as they are. */
const GZIP_FROM_BYTES = 1024;

/** An answer in JSON with its length. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const text = JSON.stringify(body);
  const usual = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(Buffer.byteLength(text)) };
  return new Response(text, { status, headers: { ...usual, ...headers } });
}

/** A refusal in the envelope of the platform (section 7). */
export function refused({ status, errorCode, message, headers }: Refusal): Response {
  return json(status, { success: false, errorMessage: message, errorCode }, headers);
}

/** The answer to whatever an operation threw: its refusal, or a 500 that says what failed in the emulator itself. */
export function failed(error: unknown): Response {
  if (error instanceof Refusal) return refused(error);
  const reason = error instanceof Error ? error.message : String(error);
  return refused(new Refusal(500, 'INTERNAL_ERROR', `The emulator failed: ${reason}`));
}

/** Compresses an answer where the client accepts gzip and it is worth it; a compressed answer stays as it is. */
export async function compressed(response: Response, acceptEncoding: string | null): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding ?? '') || !/^application\/json|^text\/html/.test(type)) return response;
  if (response.headers.has('content-encoding') || !response.body) return response;
  const announced = response.headers.get('content-length');
  if (announced !== null && Number(announced) < GZIP_FROM_BYTES) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const { status } = response;
  const headers = new Headers(response.headers);
  if (bytes.length < GZIP_FROM_BYTES) return new Response(bytes, { status, headers });
  headers.set('content-encoding', 'gzip');
  headers.set('vary', 'accept-encoding');
  headers.delete('content-length');
  return new Response(new Uint8Array(await pack(bytes, { level: 1 })), { status, headers });
}
