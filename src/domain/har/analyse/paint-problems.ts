import { formatBytes, formatMs } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { endOf } from './blocking.ts';
import { imageWords, savedShare } from './image-hint.ts';
import type { LargestPaint, PaintPhases } from './largest-paint.ts';
import type { Problem } from './problem.ts';
import type { HarStudy } from './study-har.ts';
import { largestWins, type Wins } from './wins.ts';

/** A delay of a part of the largest paint that is worth a finding, ms and share of the paint. */
const WORTH_MS = 200;
const WORTH_SHARE = 0.1;
/** What ended longer before the paint did not hold it back. */
const NEAR_MS = 150;
const NEAR_SHARE = 0.2;
/** A server that answers an image within this time is quick. */
const QUICK_WAIT_MS = 200;

function isWorth(ms: number, lcpMs: number): boolean {
  return ms >= WORTH_MS && ms >= WORTH_SHARE * lcpMs;
}

/** `hero.png, the likely LCP image (ends 12 ms before LCP: an inference)`. */
function imageName(entry: HarEntry, { marginMs, certainty }: LargestPaint): string {
  const margin = `ends ${formatMs(marginMs)} before LCP: an inference`;
  return `${addressText(sanitiseUrl(entry.url))}, the ${certainty} LCP image (${margin})`;
}

/** Who asked for it, with which priority, over which protocol, as far as the file says. */
function askedWords({ initiatorType, initiatorUrl, priority, protocol }: HarEntry): string {
  const by = initiatorType === 'script' ? `by ${initiatorUrl === null ? 'a script' : addressText(sanitiseUrl(initiatorUrl))}` : '';
  const parts = [by, priority && `priority ${priority}`, protocol === 'http/1.1' && 'over HTTP/1.1'];
  const said = parts.filter(Boolean);
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

function problemOf(problem: Problem['problem'], entry: HarEntry, costMs: number, says: string, wins: Wins): Problem {
  const concerned = [{ entry, detail: `until ${formatMs(endOf(entry))}`, cost: costMs }];
  return { problem, concerned, costMs, costBytes: null, basis: 'heuristic', when: 'this load', says, wins };
}

/** The image is asked for late: what a preload or markup that names it could win. */
function lateImage(study: HarStudy, largest: LargestPaint, entry: HarEntry, { loadDelayMs }: PaintPhases): Problem[] {
  if (!isWorth(loadDelayMs, largest.lcpMs)) return [];
  const asked = `is asked for ${formatMs(loadDelayMs)} after the document's first byte${askedWords(entry)}`;
  const says = `${imageName(entry, largest)} ${asked}`;
  return [problemOf('late_lcp_image', entry, loadDelayMs, says, largestWins(study, loadDelayMs))];
}

/** The image loads for long: a slow server, many bytes, an old format. */
function slowImage(study: HarStudy, largest: LargestPaint, entry: HarEntry, { loadTimeMs }: PaintPhases): Problem[] {
  const { waitMs, receiveMs, blockedMs } = entry.timings;
  const share = savedShare(entry);
  const redirectMs = (entry.startMs ?? 0) - (entry.askedMs ?? 0);
  const waited = Math.max(0, (waitMs ?? 0) - QUICK_WAIT_MS) + (blockedMs ?? 0) + redirectMs;
  const canWinMs = Math.min(loadTimeMs, waited + share * (receiveMs ?? loadTimeMs));
  if (!isWorth(canWinMs, largest.lcpMs)) return [];
  const bytes = weightOf(entry);
  const saves = share > 0 && bytes !== null ? `; WebP or AVIF saves about ${formatBytes(Math.round(share * bytes))}` : '';
  const parts = [
    redirectMs > 0 && `a redirect takes ${formatMs(redirectMs)}`,
    waited > redirectMs && `waits ${formatMs((waitMs ?? 0) + (blockedMs ?? 0))}`,
    receiveMs !== null && `receives for ${formatMs(receiveMs)}`,
  ];
  const says =
    `${imageName(entry, largest)}, ${imageWords(entry)}, loads for ${formatMs(loadTimeMs)}` +
    `: ${parts.filter(Boolean).join(', ')}${saves}`;
  return [problemOf('slow_lcp_image', entry, canWinMs, says, largestWins(study, canWinMs))];
}

/** Text that is not shown before its font is there. */
function blockingFont(study: HarStudy, largest: LargestPaint, entry: HarEntry): Problem[] {
  const { paints, blocking } = study;
  const freeMs = Math.max(blocking.untilMs ?? 0, blocking.firstByteMs ?? 0);
  const waitedMs = Math.min(largest.lcpMs, endOf(entry)) - Math.max(freeMs, isFirst(study) ? 0 : (paints.fcpMs ?? 0));
  if (!isWorth(waitedMs, largest.lcpMs)) return [];
  const wins = isFirst(study) ? { fcpMs: Math.round(waitedMs), lcpMs: Math.round(waitedMs) } : largestWins(study, waitedMs);
  const before = isFirst(study) ? 'FCP and LCP' : 'LCP';
  const says =
    `${addressText(sanitiseUrl(entry.url))}, a font, ends ${formatMs(largest.marginMs)} before ${before}: ` +
    'its text is probably not shown until then (font-display: swap shows it at once)';
  return [problemOf('blocking_font', entry, waitedMs, says, wins)];
}

/** The largest paint came with the first one. */
function isFirst({ paints: { fcpMs, lcpMs } }: HarStudy): boolean {
  return fcpMs !== null && lcpMs !== null && lcpMs - fcpMs <= Math.max(60, 0.03 * lcpMs);
}

/** Findings about the likely element of the largest paint: inferred from the order of events, never more certain than that. */
export function paintProblems(study: HarStudy): Problem[] {
  const { largest } = study;
  if (!largest?.entry || !largest.phases || (largest.marginMs ?? 0) > Math.max(NEAR_MS, NEAR_SHARE * largest.lcpMs)) return [];
  const { entry, phases, kind } = largest;
  if (kind === 'text after a font') return blockingFont(study, largest, entry);
  return [...lateImage(study, largest, entry, phases), ...slowImage(study, largest, entry, phases)];
}
