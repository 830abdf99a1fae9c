import type { Har, HarEntry } from '../read/har-model.ts';
import { weightOf } from '../summary/har-summary.ts';
import { endOf } from './blocking.ts';
import { imageHint } from './image-hint.ts';

/** What the report of a step says of a load, ms after navigation; null where it does not. */
export interface PaintTimes {
  readonly fcpMs: number | null;
  readonly lcpMs: number | null;
  readonly tbtMs: number | null;
  readonly loadMs: number | null;
}

/** The time to the largest paint in four parts that add up to it. */
export interface PaintPhases {
  /** Redirects and the document's first byte. */
  readonly serverMs: number;
  /** From there to the start of the request that was painted; 0 for text. */
  readonly loadDelayMs: number;
  readonly loadTimeMs: number;
  readonly renderDelayMs: number;
}

/** What was probably painted as the largest element: an inference from the order of events, which a HAR does not state. */
export interface LargestPaint {
  readonly lcpMs: number;
  readonly kind: 'image' | 'text after a font' | 'with the first paint' | 'unknown';
  /** The image or the font; null for the others. */
  readonly entry: HarEntry | null;
  /** From the end of that request to the paint. */
  readonly marginMs: number | null;
  readonly certainty: 'likely' | 'possible';
  readonly phases: PaintPhases | null;
}

/** A paint follows the end of its image by decoding and a frame or two; on a busy main thread by more. */
const LEAST_MARGIN_MS = 150;
const MARGIN_SHARE = 0.12;
/** By so much may the clock of requests run behind that of paints. */
const CLOCK_MS = 30;
/** Smaller images are icons, hardly the largest thing on a page. */
const LEAST_BYTES = 2000;
/** An image that ended by this share of the paint before it may still be what was painted, where none is nearer and the page was busy. */
const FAR_SHARE = 0.4;
/** Text that waits for a font is painted this much later than all that blocks rendering. */
const FONT_WAIT_MS = 100;
/** Paints this close together are one frame. */
const SAME_PAINT_MS = 60;
const SAME_PAINT_SHARE = 0.03;

function isSeen(entry: HarEntry): boolean {
  return entry.startMs !== null && entry.durationMs !== null && Math.floor((entry.status ?? 0) / 100) === 2;
}

/** How large an image is: by the dimensions in its address, else by its bytes (a photo takes about a byte for two pixels). */
function sizeOf(entry: HarEntry): number {
  const { pixels } = imageHint(entry);
  return pixels ?? 2 * (weightOf(entry) ?? 0);
}

interface Candidates {
  readonly best: HarEntry;
  readonly second: HarEntry | undefined;
}

function largestBefore({ entries }: Har, type: HarEntry['type'], lcpMs: number, share = MARGIN_SHARE): Candidates | null {
  const windowMs = Math.max(LEAST_MARGIN_MS, share * lcpMs);
  const near = entries
    .filter((entry) => entry.type === type && isSeen(entry) && (weightOf(entry) ?? 0) >= LEAST_BYTES)
    .filter((entry) => endOf(entry) <= lcpMs + CLOCK_MS && endOf(entry) >= lcpMs - windowMs)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a));
  const [best, second] = near;
  return best ? { best, second } : null;
}

function phasesOf(lcpMs: number, firstByteMs: number | null, entry: HarEntry | null): PaintPhases | null {
  if (firstByteMs === null || firstByteMs > lcpMs) return null;
  if (!entry) return { serverMs: firstByteMs, loadDelayMs: 0, loadTimeMs: 0, renderDelayMs: lcpMs - firstByteMs };
  const startMs = Math.min(lcpMs, Math.max(firstByteMs, entry.askedMs ?? 0));
  const endMs = Math.min(lcpMs, Math.max(startMs, endOf(entry)));
  return { serverMs: firstByteMs, loadDelayMs: startMs - firstByteMs, loadTimeMs: endMs - startMs, renderDelayMs: lcpMs - endMs };
}

/** An image is sure enough where it is painted at once and no other is half as large. */
function certaintyOf({ best, second }: Candidates, marginMs: number): LargestPaint['certainty'] {
  return marginMs <= LEAST_MARGIN_MS && (second === undefined || sizeOf(second) * 2 <= sizeOf(best)) ? 'likely' : 'possible';
}

/** The image that ended last before the paint, else the font that its text waited for. */
function candidateOf(har: Har, lcpMs: number): { found: Candidates; kind: 'image' | 'text after a font' } | null {
  const near = largestBefore(har, 'image', lcpMs);
  if (near) return { found: near, kind: 'image' };
  const font = largestBefore(har, 'font', lcpMs);
  if (font) return { found: font, kind: 'text after a font' };
  const far = largestBefore(har, 'image', lcpMs, FAR_SHARE);
  return far && { found: far, kind: 'image' };
}

/** A font that ended right before the first paint, long after all else that blocks rendering: its text was not shown until then. */
function fontBefore(har: Har, paintMs: number, freeMs: number): Candidates | null {
  const font = largestBefore(har, 'font', paintMs);
  return font && endOf(font.best) - freeMs >= FONT_WAIT_MS ? font : null;
}

/** The likely element of the largest paint; null where the report gives no largest paint. */
export function largestPaintOf(
  har: Har,
  { fcpMs, lcpMs }: PaintTimes,
  { firstByteMs, untilMs }: { readonly firstByteMs: number | null; readonly untilMs: number | null },
): LargestPaint | null {
  if (lcpMs === null || !(lcpMs > 0)) return null;
  const isFirst = fcpMs !== null && lcpMs - fcpMs <= Math.max(SAME_PAINT_MS, SAME_PAINT_SHARE * lcpMs);
  const without = { lcpMs, entry: null, marginMs: null, phases: phasesOf(lcpMs, firstByteMs, null) };
  const font = isFirst ? fontBefore(har, lcpMs, Math.max(untilMs ?? 0, firstByteMs ?? 0)) : null;
  if (isFirst && !font) return { ...without, kind: 'with the first paint', certainty: 'likely' };
  const candidate = font ? { found: font, kind: 'text after a font' as const } : candidateOf(har, lcpMs);
  if (!candidate) return { ...without, kind: 'unknown', certainty: 'possible' };
  const { found, kind } = candidate;
  const marginMs = Math.max(0, lcpMs - endOf(found.best));
  return {
    lcpMs,
    kind,
    entry: found.best,
    marginMs,
    certainty: certaintyOf(found, marginMs),
    phases: phasesOf(lcpMs, firstByteMs, found.best),
  };
}
