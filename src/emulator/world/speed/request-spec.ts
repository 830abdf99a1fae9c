import { hashText } from '../random.ts';
import { drawBetween } from './noise.ts';
import type { Scenario } from './scenarios.ts';

/** Hosts of a first party; images and files may lie on another registrable domain that is its own all the same. */
export interface Site {
  readonly origin: string;
  readonly static: string;
  readonly images: string;
  readonly calls: string;
  /** Addresses that redirect to the first document, in order. */
  readonly redirects: readonly string[];
}

/** The three first parties, on reserved domains. */
export const sites: Record<Scenario['site'], Site> = {
  shop: {
    origin: 'https://www.nordlicht-shop.example',
    static: 'https://static.nordlicht-shop.example',
    images: 'https://img.nordlicht-cdn.example',
    calls: 'https://api.nordlicht-shop.example',
    redirects: ['http://nordlicht-shop.example', 'https://nordlicht-shop.example'],
  },
  content: {
    origin: 'https://www.nordlicht-magazin.example',
    static: 'https://static.nordlicht-magazin.example',
    images: 'https://media.nordlicht-magazin.example',
    calls: 'https://www.nordlicht-magazin.example',
    redirects: ['http://www.nordlicht-magazin.example'],
  },
  app: {
    origin: 'https://help.nordlicht-app.example',
    static: 'https://help.nordlicht-app.example',
    images: 'https://img.nordlicht-cdn.example',
    calls: 'https://api.nordlicht-app.example',
    redirects: [],
  },
};

/** Types of requests, as browsers name them. */
export type ResourceType = 'document' | 'stylesheet' | 'script' | 'font' | 'image' | 'fetch' | 'beacon';

/** When a request runs: relative to the step's timings. */
export type Phase = 'redirect' | 'document' | 'blocking' | 'hero' | 'body' | 'late' | 'tag';

/** A request that a page makes, before it has a place in time. */
export interface RequestSpec {
  readonly type: ResourceType;
  /** `{token}` and `{email}` stand for values that identify a person. */
  readonly url: string;
  readonly phase: Phase;
  /** As transferred, compressed. */
  readonly bodyBytes: number;
  /** Of the response. */
  readonly headerBytes: number;
  /** Default 200; 0 for a request that was aborted. */
  readonly status?: number;
  /** How the body of a POST is written; a GET has none. */
  readonly post?: 'json' | 'form' | 'text' | undefined;
  readonly protocol?: 'h2' | 'h3' | 'http/1.1';
  /** Text that was sent without compression. */
  readonly plain?: boolean;
  /** Sent without cache headers. */
  readonly uncached?: boolean;
  /** Answered by the browser's cache: nothing was transferred. */
  readonly fromCache?: boolean;
  /** Carries an `Authorization` header. */
  readonly authorized?: boolean;
  /** Target of a redirect. */
  readonly location?: string;
  /** Size differs from run to run. */
  readonly dynamic?: boolean;
}

/** A request as it is written down: the size is that of the compressed body, in units of 1000 bytes. */
export type RequestRow = readonly [
  type: ResourceType,
  url: string,
  kb: number,
  phase: Phase,
  more?: Partial<Omit<RequestSpec, 'type' | 'url' | 'phase' | 'bodyBytes'>>,
];

/** The request of a row; what is not written down of its size follows from its address. */
export function requestOf(...[type, url, kb, phase, more = {}]: RequestRow): RequestSpec {
  const bodyBytes = more.status === 304 || more.status === 0 ? 0 : Math.round(kb * 1000);
  return { type, url, phase, bodyBytes, headerBytes: headerBytesOf(url), ...more };
}

/** Size of the response's headers: a property of the address. */
export function headerBytesOf(url: string): number {
  return drawBetween(hashText(url), 11, 190, 720);
}

/** Bytes that a response moves over the network, headers included. */
export function transferBytes(spec: RequestSpec): number {
  return spec.fromCache || spec.status === 0 ? 0 : spec.headerBytes + spec.bodyBytes;
}

/** Requests added up: bytes on the network, and what a report counts as unavailable, which is refused, failed or aborted. */
export function totalsOf(requests: readonly RequestSpec[]) {
  return {
    requestsCount: requests.length,
    weight: requests.reduce((sum, request) => sum + transferBytes(request), 0),
    unavailable: requests.filter(isUnavailable).length,
  };
}

/** True for what a report counts as an unavailable resource. */
export function isUnavailable({ status = 200 }: RequestSpec): boolean {
  return status === 0 || status >= 400;
}
