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

type Moments = Record<'startMs' | 'paintMs' | 'loadedMs', number>;

/** When the document began, was painted first and loaded; infinite where the file does not say. */
function momentsOf({ document, pages }: Har): Moments {
  const page = pages.find(({ id }) => id === document?.pageId) ?? pages[0];
  const at = (ms: number | null | undefined): number => (ms == null ? Number.POSITIVE_INFINITY : (page?.startMs ?? 0) + ms);
  return {
    startMs: document?.startMs ?? 0,
    paintMs: at(page?.firstPaintMs) + TOLERANCE_MS,
    loadedMs: at(page?.onContentLoadMs ?? page?.onLoadMs),
  };
}

/** A file that ended after the first paint did not delay it, and a script that ended after DOMContentLoaded did not delay the parser. */
function mayBlock(entry: HarEntry, { paintMs, loadedMs }: Moments): boolean {
  const endMs = endOf(entry);
  return entry.initiatorType !== 'script' && endMs <= paintMs && (entry.type === 'stylesheet' || endMs <= loadedMs);
}

function choose(entries: HarEntry[], moments: Moments): Pick<Blocking, 'basis' | 'entries'> {
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

/** Collects the stylesheets and scripts that the document's page began to load before it was painted and its markup was done with. */
export interface BlockingCollector {
  add(entry: HarEntry): void;
  /** The requests among them that block rendering: as the HAR states it, else by priority, else each that no script asked for. */
  blocking(): Blocking;
}

/** Collects the requests that block rendering, in one pass over the file. */
export function collectBlocking(har: Har): BlockingCollector {
  const moments = momentsOf(har);
  const latestMs = Math.min(moments.paintMs, moments.loadedMs);
  const { document } = har;
  const early: HarEntry[] = [];
  return {
    add(entry) {
      if (entry.type !== 'script' && entry.type !== 'stylesheet') return;
      if (entry.startMs === null || entry.startMs < moments.startMs || entry.startMs > latestMs) return;
      if (!document || entry.pageId === document.pageId) early.push(entry);
    },
    blocking: () => measured(choose(early, moments), firstByteOf(har)),
  };
}

function measured({ basis, entries }: Pick<Blocking, 'basis' | 'entries'>, firstByteMs: number | null): Blocking {
  let untilMs: number | null = null;
  let ownUntilMs = firstByteMs;
  for (const entry of entries) {
    untilMs = Math.max(untilMs ?? 0, endOf(entry));
    if (entry.party !== 'third') ownUntilMs = Math.max(ownUntilMs ?? 0, endOf(entry));
  }
  return { basis, entries, untilMs, ownUntilMs, firstByteMs };
}

function firstByteOf({ document }: Har): number | null {
  if (!document || document.startMs === null || document.durationMs === null) return null;
  return document.startMs + document.durationMs - (document.timings.receiveMs ?? 0);
}

/** The requests of a whole file that hold back its first paint. */
export function blockingOf(har: Har): Blocking {
  const collector = collectBlocking(har);
  for (const entry of har.entries) collector.add(entry);
  return collector.blocking();
}
