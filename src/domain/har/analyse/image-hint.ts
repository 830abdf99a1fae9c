import { formatBytes } from '../../../lib/number-text.ts';
import type { HarEntry } from '../read/har-model.ts';

/** What the type and address of an image say of it; null where they do not. */
export interface ImageHint {
  readonly format: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** Width times height. */
  readonly pixels: number | null;
}

const SIZE = /(?:^|[^0-9])(\d{2,4})[x×](\d{2,4})(?![0-9])/;
const WIDTH = /(?:[?&,/_;-](?:w|width|wid|imwidth)[=_:-]?)(\d{2,4})(?![0-9])/i;
const HEIGHT = /(?:[?&,/_;-](?:h|height|hei|imheight)[=_:-]?)(\d{2,4})(?![0-9])/i;
const FORMATS: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/jpg': 'JPEG',
  'image/png': 'PNG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'image/avif': 'AVIF',
  'image/svg+xml': 'SVG',
  'image/bmp': 'BMP',
};
const ENDINGS: Readonly<Record<string, string>> = {
  jpg: 'JPEG',
  jpeg: 'JPEG',
  png: 'PNG',
  gif: 'GIF',
  webp: 'WebP',
  avif: 'AVIF',
  svg: 'SVG',
  bmp: 'BMP',
};

function numberIn(match: RegExpExecArray | null, group: number): number | null {
  const text = match?.[group];
  return text === undefined ? null : Number(text);
}

/** Format by MIME type, else by ending; dimensions where the address names them (`1200x800`, `w=640`, `/w_640/`). */
export function imageHint({ mime, url }: Pick<HarEntry, 'mime' | 'url'>): ImageHint {
  const address = url.slice(0, 2000);
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(address)?.[1]?.toLowerCase() ?? '';
  const both = SIZE.exec(address);
  const width = numberIn(both, 1) ?? numberIn(WIDTH.exec(address), 1);
  const height = numberIn(both, 2) ?? numberIn(HEIGHT.exec(address), 1);
  return {
    format: FORMATS[mime] ?? ENDINGS[ending] ?? null,
    width,
    height,
    pixels: width === null || height === null ? null : width * height,
  };
}

/** Share of its bytes that WebP or AVIF saves by experience, by format; what is flat (few bytes a pixel) saves little. */
const SAVED: Readonly<Record<string, number>> = { JPEG: 0.3, PNG: 0.7, GIF: 0.4, BMP: 0.9 };
const FLAT_SAVED = 0.2;
const FLAT_BYTES_PER_PIXEL = 0.3;
/** A PNG of unknown dimensions below this is an icon or a drawing. */
const LEAST_PHOTO_BYTES = 60_000;

type Image = Pick<HarEntry, 'mime' | 'url' | 'transferBytes' | 'contentBytes'>;

function isFlat(pixels: number | null, bytes: number): boolean {
  return pixels === null ? bytes < LEAST_PHOTO_BYTES : bytes < FLAT_BYTES_PER_PIXEL * pixels;
}

/** The estimated share of an image's bytes that a modern format saves; 0 where it is one, or is not known. */
export function savedShare(image: Image): number {
  const { format, pixels } = imageHint(image);
  const share = format === null ? 0 : (SAVED[format] ?? 0);
  const bytes = image.transferBytes ?? image.contentBytes ?? 0;
  return format === 'PNG' && isFlat(pixels, bytes) ? FLAT_SAVED : share;
}

/** `PNG, 1.98 MB, 1200×700 by its address`. */
export function imageWords(image: Image): string {
  const { format, width, height } = imageHint(image);
  const size = width === null ? null : `${width}${height === null ? ' px wide' : `×${height}`} by its address`;
  return [format, formatBytes(image.transferBytes ?? image.contentBytes), size].filter((part) => part !== null).join(', ');
}
