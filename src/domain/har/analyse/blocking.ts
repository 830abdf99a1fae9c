import type { Har, HarEntry } from '../read/har-model.ts';

/** How render-blocking is recognised: the browser's own status, the priority it gave, or order and type alone. */
export type BlockingBasis = 'stated' | 'priority' | 'heuristic';

/** The requests that hold back the first paint of the main document. */
export interface Blocking {
  readonly basis: BlockingBasis;
  /** In order of start. */
  readonly entries: readonly HarEntry[];
  /** End of the last of them. */
  readonly untilMs: number | null;
  /** End of the last that is not of a third party; the document's first byte where there is none. */
  readonly ownUntilMs: number | null;
  /** First byte of the document, from which the delay counts. */
  readonly firstByteMs: number | null;
}

const STATED = new Set(['blocking', 'in_body_parser_blocking']);
const URGENT = new Set(['VeryHigh', 'Highest', 'High']);
/** By so much may a recorder's clock for requests differ from that for paints. */
const TOLERANCE_MS = 10;
/** A request this soon after the document's first bytes was asked for by them. */
const BY_FIRST_BYTES_MS = 100;

/** When the document began, was painted first and loaded; infinite where nothing says so. */
type Moments = Record<'startMs' | 'paintMs' | 'loadedMs' | 'firstBytesMs', number>;

/** The report of the step knows the first paint better than a member of the file. */
function momentsOf(har: Har, fcpMs: number | null): Moments {
  const { document, pages } = har;
  const [page] = pages;
  const at = (ms: number | null | undefined): number => (ms == null ? Number.POSITIVE_INFINITY : (page?.startMs ?? 0) + ms);
  return {
    startMs: document?.startMs ?? 0,
    paintMs: at(fcpMs ?? page?.firstPaintMs) + TOLERANCE_MS,
    loadedMs: at(page?.onContentLoadMs ?? page?.onLoadMs),
    firstBytesMs: firstByteOf(har) ?? document?.startMs ?? 0,
  };
}

/**
 * A file that ended after the first paint did not delay it, and a script that ended after DOMContentLoaded did not delay the parser. Where
 * neither is known only what the document's first bytes asked for may have.
 */
function mayBlock(entry: HarEntry, { paintMs, loadedMs, firstBytesMs }: Moments): boolean {
  if (entry.initiatorType === 'script') return false;
  if (paintMs === Number.POSITIVE_INFINITY && loadedMs === Number.POSITIVE_INFINITY)
    return (entry.startMs ?? 0) <= firstBytesMs + BY_FIRST_BYTES_MS;
  const endMs = endOf(entry);
  return endMs <= paintMs && (entry.type === 'stylesheet' || endMs <= loadedMs);
}

function choose(entries: HarEntry[], moments: Moments): Pick<Blocking, 'basis' | 'entries'> {
  // What the browser states stands, whatever else the file says of the first paint.
  if (entries.some(({ renderBlocking }) => renderBlocking !== null))
    return { basis: 'stated', entries: entries.filter(({ renderBlocking }) => STATED.has(renderBlocking ?? '')) };
  const possible = entries.filter((entry) => mayBlock(entry, moments));
  if (entries.some(({ priority }) => priority !== null))
    return { basis: 'priority', entries: possible.filter(({ priority }) => URGENT.has(priority ?? '')) };
  return { basis: 'heuristic', entries: possible };
}

/** End of a request; its start where the duration is unknown, 0 where nothing is. */
export function endOf({ startMs, durationMs }: HarEntry): number {
  return (startMs ?? 0) + (durationMs ?? 0);
}

/** Collects the stylesheets and scripts that the document's page loaded. */
export interface BlockingCollector {
  add(entry: HarEntry): void;
  /** The requests among them that block rendering: as the HAR states it, else by priority, else each that no script asked for. */
  blocking(): Blocking;
}

/**
 * Collects the requests that block rendering, in one pass; `fcpMs` is the first paint by the report of the step. A cached file costs
 * nothing.
 */
export function collectBlocking(har: Har, fcpMs: number | null = null): BlockingCollector {
  const moments = momentsOf(har, fcpMs);
  const { document } = har;
  const early: HarEntry[] = [];
  return {
    add(entry) {
      if ((entry.type !== 'script' && entry.type !== 'stylesheet') || entry.fromCache) return;
      if (entry.startMs === null || entry.startMs < moments.startMs) return;
      if (!document || entry.pageId === document.pageId) early.push(entry);
    },
    blocking: () => measured(choose(early, moments), firstByteOf(har), fcpMs ?? Number.POSITIVE_INFINITY),
  };
}

/** Nothing holds rendering back beyond the first paint. */
function measured({ basis, entries }: Pick<Blocking, 'basis' | 'entries'>, firstByteMs: number | null, fcpMs: number): Blocking {
  const held = entries.filter(({ startMs }) => (startMs ?? 0) <= fcpMs);
  let untilMs: number | null = null;
  let ownUntilMs = firstByteMs;
  for (const entry of held) {
    const endMs = Math.min(endOf(entry), fcpMs);
    untilMs = Math.max(untilMs ?? 0, endMs);
    if (entry.party !== 'third') ownUntilMs = Math.max(ownUntilMs ?? 0, endMs);
  }
  return { basis, entries: held, untilMs, ownUntilMs, firstByteMs };
}

/** First byte of the document, ms after the start of the load; null where its times are unknown. */
export function firstByteOf({ document }: Pick<Har, 'document'>): number | null {
  if (!document || document.startMs === null || document.durationMs === null) return null;
  return document.startMs + document.durationMs - (document.timings.receiveMs ?? 0);
}

/** The requests of a whole load that hold back its first paint. */
export function blockingOf(har: Har): Blocking {
  const collector = collectBlocking(har);
  for (const entry of har.entries) collector.add(entry);
  return collector.blocking();
}
