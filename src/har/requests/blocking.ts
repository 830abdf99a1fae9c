import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { endOf, firstByteOf } from './totals.ts';

/** The requests that hold back the first paint of the main document. */
export type Blocking = ReturnType<typeof blockingOf>;

/** How render-blocking is recognised, in words: by the browser's own status, the priority it gave, or order and type alone. */
const BLOCKING_BASIS = {
  stated: 'Render-blocking as the HAR states it (_renderBlocking).',
  priority: 'Render-blocking by the priority that the browser gave: early stylesheets and scripts of priority High and above.',
  heuristic:
    'Render-blocking is a heuristic: every stylesheet and script that was loaded before the first paint or DOMContentLoaded and was ' +
    'not requested by a script; a HAR does not distinguish async from sync.',
};

const STATED = new Set<string | null>(['blocking', 'in_body_parser_blocking']);
const URGENT = new Set<string | null>(['VeryHigh', 'Highest', 'High']);
/** By so much may a recorder's clock for requests differ from that for paints. */
const TOLERANCE_MS = 10;
/** A request this soon after the document's first bytes was asked for by them. */
const BY_FIRST_BYTES_MS = 100;

/**
 * Whether a request may have held back the first paint: a file that ended after the paint did not, nor a script that ended after
 * DOMContentLoaded. Where neither is known only what the document's first bytes asked for may have.
 */
function blockerTest(har: Har, fcpMs: number | null): (entry: HarEntry) => boolean {
  const [page] = har.pages;
  const at = (ms: number | null | undefined) => (ms == null ? Number.POSITIVE_INFINITY : (page?.startMs ?? 0) + ms);
  // The report of the step knows the first paint better than a member of the file.
  const paintMs = at(fcpMs ?? page?.firstPaintMs) + TOLERANCE_MS;
  const loadedMs = at(page?.onContentLoadMs ?? page?.onLoadMs);
  const askedUntilMs = (firstByteOf(har) ?? har.document?.startMs ?? 0) + BY_FIRST_BYTES_MS;
  return (entry) => {
    // A file that never came is missing, whenever it would have been loaded.
    if (entry.initiatorType === 'script' || !entry.status) return false;
    if (!Number.isFinite(paintMs) && !Number.isFinite(loadedMs)) return (entry.startMs ?? 0) <= askedUntilMs;
    const endMs = endOf(entry);
    return endMs <= paintMs && (entry.type === 'stylesheet' || endMs <= loadedMs);
  };
}

/** The browser's own word stands, whatever else the file says of the first paint; else by priority, else each that no script asked for. */
function chosen(early: readonly HarEntry[], mayBlock: (entry: HarEntry) => boolean) {
  if (early.some(({ renderBlocking }) => renderBlocking !== null))
    return ['stated', early.filter(({ renderBlocking }) => STATED.has(renderBlocking))] as const;
  const possible = early.filter(mayBlock);
  if (early.some(({ priority }) => priority !== null))
    return ['priority', possible.filter(({ priority }) => URGENT.has(priority))] as const;
  return ['heuristic', possible] as const;
}

/** The requests of a load that hold back its first paint, `fcpMs` by the report of the step; a cached file costs nothing. */
export function blockingOf(har: Har, fcpMs: number | null = null) {
  const { document } = har;
  const early = har.entries.filter(
    ({ type, fromCache, startMs, pageId }) =>
      (type === 'script' || type === 'stylesheet') &&
      !fromCache &&
      startMs !== null &&
      startMs >= (document?.startMs ?? 0) &&
      (!document || pageId === document.pageId),
  );
  const [basis, entries] = chosen(early, blockerTest(har, fcpMs));
  // Nothing holds rendering back beyond the first paint.
  const mostMs = fcpMs ?? Number.POSITIVE_INFINITY;
  const held = entries.filter(({ startMs }) => (startMs ?? 0) <= mostMs);
  const firstByteMs = firstByteOf(har);
  const untilWith = (savedMs: (entry: HarEntry) => number) =>
    held.reduce<number | null>((until, entry) => {
      const endMs = Math.min(endOf(entry), mostMs) - savedMs(entry);
      return endMs > (until ?? 0) ? endMs : until;
    }, firstByteMs);
  return {
    basis,
    /** In words. */
    says: BLOCKING_BASIS[basis],
    /** In order of start. */
    entries: held,
    /** When rendering could go on: at the end of the last of them, or at the first byte of the document; null where neither is known. */
    untilMs: untilWith(() => 0),
    /** When it could if each of them took so much less. */
    untilWith,
    /** First byte of the document, from which the delay counts. */
    firstByteMs,
  };
}
