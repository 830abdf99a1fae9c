import type { HarTimings, Party, ResourceType } from '../read/har-model.ts';

/** Numbers of a group of requests; a size is the sum of what is known, null when nothing is, with the requests it lacks beside it. */
export interface RequestTotals {
  requests: number;
  transferBytes: number | null;
  requestsWithoutTransferSize: number;
  contentBytes: number | null;
  requestsWithoutContentSize: number;
}

/** One request in a list; the address is sanitised and shortened, `index` finds the entry. */
export interface RequestRow {
  index: number;
  url: string;
  method: string;
  status: number;
  type: ResourceType;
  party: Party | null;
  startMs: number | null;
  durationMs: number | null;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** What the main document cost before its first byte. */
export interface DocumentSummary extends HarTimings {
  url: string;
  status: number;
  /** Redirects that led to the document, in order. */
  redirects: RequestRow[];
  /** From the start of the first redirect to the start of the document; 0 without redirects. */
  redirectMs: number | null;
  /** Blocked to wait of the document alone, without its redirects; null when the wait is unknown. */
  ttfbMs: number | null;
  protocol: string | null;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** A page of the file: a step that loads twice has two. */
export interface PageRow {
  id: string;
  title: string;
  requests: number;
  startMs: number | null;
  onContentLoadMs: number | null;
  onLoadMs: number | null;
}

/** Requests that cost more bytes than they had to: all of them counted, the heaviest listed. */
export interface Finding extends RequestTotals {
  heaviest: RequestRow[];
}

/** An address fetched more than once: `repeats` counts the fetches after the first, the sizes are theirs. */
export interface DuplicateRow {
  url: string;
  repeats: number;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** What a HAR file says about a page, as plain data free of secrets; numbers are exact, in the units of their names. */
export interface HarSummary {
  document: DocumentSummary | null;
  pages: PageRow[];
  totals: RequestTotals & {
    /** From the first start to the last end. */
    durationMs: number | null;
    onContentLoadMs: number | null;
    onLoadMs: number | null;
    hosts: number;
    domains: number;
    /** Requests that had to open a connection. */
    connectionsOpened: number;
    fromCache: number;
    redirects: number;
  };
  byType: (RequestTotals & { type: ResourceType })[];
  byParty: (RequestTotals & { party: Party })[];
  /** Heaviest first. */
  byDomain: (RequestTotals & { domain: string; party: Party | null; hosts: number })[];
  /** `1xx` to `5xx`, `0` for no response, `other`. */
  byStatus: (RequestTotals & { statusClass: string })[];
  protocols: (RequestTotals & { protocol: string | null })[];
  /** Status 4xx, 5xx and 0, in order of start; `requests` counts all of them, `listed` holds the first. */
  errors: { requests: number; listed: RequestRow[] };
  /** By transferred bytes, by content where those are unknown. */
  largest: RequestRow[];
  slowest: RequestRow[];
  findings: {
    /** Text of at least 1,400 bytes (a packet) sent without content encoding. */
    uncompressedText: Finding;
    /** Answers of programs, apart from files of the site. */
    uncompressedAnswers: Finding;
    /** Static files that a browser may not reuse, or that do not say for how long. */
    missingCache: Finding;
    /** Static files that may be reused for less than a week. */
    shortCache: Finding;
    /** The same address fetched again with success, from the network, on the same page. */
    duplicates: { addresses: number; repeats: number; transferBytes: number | null; heaviest: DuplicateRow[] };
  };
  notes: string[];
}
