import { byMost } from '../../lib/order.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import type { Blocking } from './blocking.ts';
import { imageHint } from './images.ts';
import { endOf, weight } from './totals.ts';

/** What the report of a step says of a load, ms after navigation and what it moved; null where it does not. */
export interface PaintTimes {
  readonly fcpMs: number | null;
  readonly lcpMs: number | null;
  readonly tbtMs: number | null;
  readonly loadMs: number | null;
  readonly requests?: number | null;
  readonly transferBytes?: number | null;
}

/** The time to the largest paint in four parts that add up to it. */
export type PaintPhases = NonNullable<ReturnType<typeof phasesOf>>;

/** What was probably painted as the largest element: an inference from the order of events, which a HAR does not state. */
export type LargestPaint = NonNullable<ReturnType<typeof largestPaintOf>>;

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

/** How large an image is: by the dimensions in its address, else by its bytes (a photo takes about a byte for two pixels). */
function sizeOf(entry: HarEntry): number {
  const { width, height } = imageHint(entry);
  return width && height ? width * height : 2 * weight(entry);
}

/** The requests of a type that ended shortly before a paint, largest first. */
function endedBefore({ entries }: Har, type: HarEntry['type'], paintMs: number, share = MARGIN_SHARE): HarEntry[] {
  const windowMs = Math.max(LEAST_MARGIN_MS, share * paintMs);
  return entries
    .filter((entry) => {
      const { startMs, durationMs, status } = entry;
      const isSeen = startMs !== null && durationMs !== null && Math.floor((status ?? 0) / 100) === 2;
      const isNear = endOf(entry) <= paintMs + CLOCK_MS && endOf(entry) >= paintMs - windowMs;
      return entry.type === type && isSeen && isNear && weight(entry) >= LEAST_BYTES;
    })
    .toSorted(byMost(sizeOf));
}

function phasesOf(lcpMs: number, firstByteMs: number | null, entry: HarEntry | undefined) {
  if (firstByteMs === null || firstByteMs > lcpMs) return null;
  const startMs = entry ? Math.min(lcpMs, Math.max(firstByteMs, entry.askedMs ?? 0)) : firstByteMs;
  const endMs = entry ? Math.min(lcpMs, Math.max(startMs, endOf(entry))) : firstByteMs;
  return {
    /** Redirects and the document's first byte. */
    serverMs: firstByteMs,
    /** From there to the start of the request that was painted; 0 for text. */
    loadDelayMs: startMs - firstByteMs,
    loadTimeMs: endMs - startMs,
    renderDelayMs: lcpMs - endMs,
  };
}

/** Whether the largest paint came with the first one. */
export function isWithFirst({ fcpMs, lcpMs }: PaintTimes): boolean {
  return fcpMs !== null && lcpMs !== null && lcpMs - fcpMs <= Math.max(SAME_PAINT_MS, SAME_PAINT_SHARE * lcpMs);
}

/** The kind of what was probably painted, and the requests that it may have been, the likeliest first. */
function candidates(har: Har, paints: PaintTimes, lcpMs: number, freeMs: number) {
  const fonts = endedBefore(har, 'font', lcpMs);
  const isFirst = isWithFirst(paints);
  // A font that ended right before the first paint, long after all else that blocks rendering, held its text back.
  const isHeldByFont = fonts[0] !== undefined && endOf(fonts[0]) - freeMs >= FONT_WAIT_MS;
  const ranked = isFirst
    ? ([['text after a font', isHeldByFont ? fonts : []]] as const)
    : ([
        ['image', endedBefore(har, 'image', lcpMs)],
        ['text after a font', fonts],
        ['image', endedBefore(har, 'image', lcpMs, FAR_SHARE)],
      ] as const);
  return ranked.find(([, near]) => near.length > 0) ?? ([isFirst ? 'with the first paint' : 'unknown', []] as const);
}

/** The likely element of the largest paint; null where the report gives no largest paint. */
export function largestPaintOf(har: Har, paints: PaintTimes, { firstByteMs, untilMs }: Blocking) {
  const { lcpMs } = paints;
  if (lcpMs === null || !(lcpMs > 0)) return null;
  const [kind, [entry, second]] = candidates(har, paints, lcpMs, untilMs ?? 0);
  const marginMs = entry ? Math.max(0, lcpMs - endOf(entry)) : null;
  // Sure enough where it is painted at once and no other is half as large.
  const isAlone = !entry || !second || sizeOf(second) * 2 <= sizeOf(entry);
  const isLikely = kind !== 'unknown' && (marginMs ?? 0) <= LEAST_MARGIN_MS && isAlone;
  return {
    lcpMs,
    kind,
    /** The image or the font; null for the others. */
    entry: entry ?? null,
    /** From the end of that request to the paint. */
    marginMs,
    certainty: isLikely ? 'likely' : 'possible',
    phases: phasesOf(lcpMs, firstByteMs, entry),
  } as const;
}
