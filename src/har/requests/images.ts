import { formatBytes } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { weight, weightOf } from './totals.ts';

const SIZE = /(?:^|[^0-9])(\d{2,4})[x×](\d{2,4})(?![0-9])/;
const sideAs = (names: string) => new RegExp(`(?:[?&,/_;-](?:${names})[=_:-]?)(\\d{2,4})(?![0-9])`, 'i');
const WIDTH = sideAs('w|width|wid|imwidth');
const HEIGHT = sideAs('h|height|hei|imheight');
/** By the second part of the MIME type and by the ending of the file. */
const FORMATS = new Map<string, string>([
  ...['JPEG', 'PNG', 'GIF', 'WebP', 'AVIF', 'SVG', 'BMP'].map((name) => [name.toLowerCase(), name] as const),
  ['jpg', 'JPEG'],
  ['svg+xml', 'SVG'],
]);

/**
 * Facts of an image, null where nothing says them: format by MIME type, else by ending; dimensions where the address names them
 * (`1200x800`, `w=640`, `/w_640/`).
 */
export function imageHint({ mime, url }: HarEntry) {
  const address = url.slice(0, 2000);
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(address)?.[1]?.toLowerCase() ?? '';
  const [, both, across] = SIZE.exec(address) ?? [];
  const numberOf = (text: string | undefined) => (text === undefined ? null : Number(text));
  return {
    format: FORMATS.get(/^image\/(.+)/.exec(mime)?.[1] ?? ending) ?? FORMATS.get(ending) ?? null,
    width: numberOf(both ?? WIDTH.exec(address)?.[1]),
    height: numberOf(across ?? HEIGHT.exec(address)?.[1]),
  };
}

/** Share of its bytes that WebP or AVIF saves by experience, by format; what is flat (few bytes a pixel) saves little. */
const SAVED: Readonly<Record<string, number>> = { JPEG: 0.3, PNG: 0.7, GIF: 0.4, BMP: 0.9 };
const FLAT_SAVED = 0.2;
const FLAT_BYTES_PER_PIXEL = 0.3;
/** A PNG of unknown dimensions below this is an icon or a drawing. */
const LEAST_PHOTO_BYTES = 60_000;

/** The estimated share of an image's bytes that a modern format saves; 0 where it is one, or is not known. */
export function savedShare(image: HarEntry): number {
  const { format, width, height } = imageHint(image);
  const leastBytes = width && height ? FLAT_BYTES_PER_PIXEL * width * height : LEAST_PHOTO_BYTES;
  if (format === 'PNG' && weight(image) < leastBytes) return FLAT_SAVED;
  return SAVED[format ?? ''] ?? 0;
}

/** `PNG, 1.98 MB, 1200×700 by its address`. */
export function imageWords(image: HarEntry): string {
  const { format, width, height } = imageHint(image);
  const size = width !== null && `${width}${height === null ? ' px wide' : `×${height}`} by its address`;
  return present(format ?? '', formatBytes(weightOf(image)), size).join(', ');
}
