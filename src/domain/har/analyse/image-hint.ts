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
