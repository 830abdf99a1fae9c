import { counted, formatBytes } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { imageHint, imageWords, savedShare } from './image-hint.ts';
import { type Problem } from './problem.ts';
import type { HarStudy } from './study-har.ts';

/** Smaller images save nothing that is worth a word. */
const LEAST_BYTES = 10_000;
const LEAST_SAVED_BYTES = 30_000;

function isImage({ type, status, fromCache }: HarEntry): boolean {
  return type === 'image' && status === 200 && !fromCache;
}

/** Images in old formats, with what modern ones save about; the likely LCP image has findings of its own, but counts here. */
export function imageProblems({ har }: HarStudy): Problem[] {
  const images = har.entries.filter((entry) => isImage(entry) && (weightOf(entry) ?? 0) >= LEAST_BYTES);
  const concerned = images.flatMap((entry) => {
    const saved = savedShare(entry) * (weightOf(entry) ?? 0);
    return saved > 0 ? [{ entry, detail: imageWords(entry), cost: Math.round(saved) }] : [];
  });
  const costBytes = concerned.reduce((sum, { cost }) => sum + cost, 0);
  const [heaviest] = concerned.toSorted((a, b) => (weightOf(b.entry) ?? 0) - (weightOf(a.entry) ?? 0));
  if (!heaviest || costBytes < LEAST_SAVED_BYTES) return [];
  const formats = [...new Set(concerned.map(({ entry }) => imageHint(entry).format))].join(', ');
  const old = concerned.reduce((sum, { entry }) => sum + (weightOf(entry) ?? 0), 0);
  const says =
    `${counted(concerned.length, 'image')} of ${images.length} above 10 kB ${concerned.length === 1 ? 'is' : 'are'} ${formats} ` +
    `(${formatBytes(old)}); WebP or AVIF saves about ${formatBytes(costBytes)}; the largest of them ` +
    `${addressText(sanitiseUrl(heaviest.entry.url))} (${imageWords(heaviest.entry)})`;
  return [{ problem: 'image_formats', concerned, costMs: null, costBytes, basis: 'estimate', when: 'this load', says }];
}

/** What is to be said of the images of a page in a sentence: how many are in old formats, or that none matters. */
export function imageVerdict(study: HarStudy): string {
  const [found] = imageProblems(study);
  if (found) return `${found.says}.`;
  const images = study.har.entries.filter(isImage).length;
  return `${counted(images, 'image')}: WebP or AVIF would save less than ${formatBytes(LEAST_SAVED_BYTES)} on those that are neither.`;
}
