import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { downloadPart, type PartContext } from '../../../src/exports/download/download-part.ts';
import { createFileStore } from '../../../src/exports/download/file-store.ts';
import type { RunFile } from '../../../src/exports/store/manifest.ts';
import { createQuota } from '../../../src/exports/store/quota.ts';
import { listen, skippingClock } from '../../support/stub-platform.ts';

/** What a store does with one request for a file. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, stub: StoreStub) => void;

/** A file store whose every answer a test decides; the last behaviour holds for all requests to come. */
export interface StoreStub {
  bytes: Buffer;
  etag: string | undefined;
  behaviours: Behaviour[];
  /** `Range` of each request, empty where it had none. */
  readonly ranges: string[];
  readonly headers: IncomingMessage['headers'][];
}

/** Directory of a test, gone after it. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'download-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function tagOf(bytes: Buffer): string {
  return `"${sha256(bytes).slice(0, 16)}"`;
}

interface Changes {
  /** Bytes after which the connection is cut. */
  readonly cutAfter?: number;
  /** Added to the length that is announced. */
  readonly longer?: number;
  readonly noRanges?: boolean;
  readonly noLength?: boolean;
}

/** As object stores answer: the whole file, or the range that is wanted where the tag still fits. */
function answer(request: IncomingMessage, response: ServerResponse, stub: StoreStub, changes: Changes = {}): void {
  const { bytes, etag } = stub;
  const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
  const isRange = first !== undefined && !changes.noRanges && (request.headers['if-range'] ?? etag) === etag;
  const from = isRange ? Number(first) : 0;
  const tag = etag === undefined ? {} : { etag };
  if (isRange && from >= bytes.length) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    return;
  }
  const body = bytes.subarray(from);
  const length = changes.noLength ? {} : { 'content-length': String(body.length + (changes.longer ?? 0)) };
  const range = isRange ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
  response.writeHead(isRange ? 206 : 200, { ...tag, ...length, ...range });
  if (changes.cutAfter !== undefined) response.write(body.subarray(0, changes.cutAfter), () => response.socket?.destroy());
  else if (changes.longer) response.write(body, () => response.socket?.destroy());
  else response.end(body);
}

export const serve: Behaviour = (request, response, stub) => answer(request, response, stub);
const changed =
  (changes: Changes): Behaviour =>
  (request, response, stub) =>
    answer(request, response, stub, changes);
export const cutAfter = (bytes: number) => changed({ cutAfter: bytes });
export const announceMore = (bytes: number) => changed({ longer: bytes });
export const withoutRanges = (bytes?: number) => changed({ noRanges: true, ...(bytes !== undefined && { cutAfter: bytes }) });
export const withoutLength = changed({ noLength: true });
export const refuse =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end('<Error><Code>Refused</Code></Error>');
  };
export const breakOff: Behaviour = (_request, response) => response.socket?.destroy();
/** Takes another file's place from this request on. */
export const changeTo =
  (bytes: Buffer, then: Behaviour): Behaviour =>
  (request, response, stub) => {
    stub.bytes = bytes;
    stub.etag = tagOf(bytes);
    then(request, response, stub);
  };

export interface Attempt {
  readonly directory: string;
  readonly fileSize?: number | undefined;
  readonly format?: string;
  readonly quotaBytes?: number;
  /** Address that the run gives when it is asked again; undefined: it has none. */
  readonly refreshed?: string | undefined;
  readonly idleTimeoutMs?: number;
  readonly allowInner?: boolean;
}

/** A store stub, and the function that downloads its file as the product does. */
export async function openStore(bytes: Buffer, behaviours: Behaviour[]) {
  const stub: StoreStub = { bytes, etag: tagOf(bytes), behaviours, ranges: [], headers: [] };
  const { url } = await listen((request, response) => {
    stub.ranges.push(request.headers.range ?? '');
    stub.headers.push(request.headers);
    const behaviour = stub.behaviours.length > 1 ? stub.behaviours.shift() : stub.behaviours[0];
    behaviour?.(request, response, stub);
  });
  const address = `${url}/exports/part-1?signature=abc`;
  async function fetchPart({
    directory,
    fileSize,
    format = 'JSONL',
    quotaBytes = 1e9,
    idleTimeoutMs,
    allowInner = true,
    ...rest
  }: Attempt): Promise<RunFile> {
    const store = createFileStore({ allowInner, environment: {}, ...(idleTimeoutMs !== undefined && { idleTimeoutMs }) });
    const context: PartContext = {
      directory,
      format,
      store,
      quota: createQuota(directory, quotaBytes),
      clock: skippingClock(),
      random: () => 0.5,
      signal: new AbortController().signal,
      refresh: async () => ('refreshed' in rest ? rest.refreshed : address),
      onBytes: () => undefined,
    };
    try {
      return await downloadPart({ number: 1, url: address, fileSize, expiresAtMs: Number.NaN }, context);
    } finally {
      await store.close();
    }
  }
  return { stub, url, fetchPart };
}

/** Whether the file of a part is there, whole, as its record says. */
export function isWhole(directory: string, file: RunFile, bytes: Buffer): boolean {
  const found = readFileSync(join(directory, file.name));
  return found.equals(bytes) && file.sha256 === sha256(bytes) && file.bytes === bytes.length;
}
