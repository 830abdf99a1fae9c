import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { nth, nthUnsigned } from '../lib/nth.ts';
import { shippedFile } from '../lib/shipped.ts';
import type { Svg } from './draw-svg.ts';

const COLOURS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Opaque pixels, four bytes each: red, green, blue, alpha. */
export interface Pixels {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Five bits of each channel: fine enough that no eye sees the difference in a chart. */
function binAt(pixels: Uint8Array, at: number): number {
  const [red, green, blue] = [nthUnsigned(pixels, at), nthUnsigned(pixels, at + 1), nthUnsigned(pixels, at + 2)];
  return ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
}

/** The 256 commonest colours, each as the first of its bin. */
function paletteOf({ pixels }: Pixels): { colours: number[][]; nearest: Uint8Array } {
  const [counts, nearest] = [new Uint32Array(32_768), new Uint8Array(32_768)];
  const firsts = new Map<number, number[]>();
  for (let at = 0; at < pixels.length; at += 4) {
    const bin = binAt(pixels, at);
    counts[bin] = nthUnsigned(counts, bin) + 1;
    if (counts[bin] === 1) firsts.set(bin, [...pixels.subarray(at, at + 3)]);
  }
  const used = [...firsts].toSorted(([a], [b]) => nthUnsigned(counts, b) - nthUnsigned(counts, a));
  const colours = used.slice(0, COLOURS).map(([, first]) => first);
  for (const [bin, own] of used) {
    const distances = colours.map((colour) => colour.reduce((sum, value, channel) => sum + (value - nth(own, channel)) ** 2, 0));
    nearest[bin] = distances.indexOf(Math.min(...distances));
  }
  return { colours, nearest };
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG of at most 256 colours: a third of the size of one in true colour, which a model pays for. */
export async function encodePng(image: Pixels): Promise<Buffer> {
  const { pixels, width, height } = image;
  const { colours, nearest } = paletteOf(image);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      lines[y * (width + 1) + 1 + x] = nthUnsigned(nearest, binAt(pixels, at));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // eight bits each, by palette
  const data = await promisify(deflate)(lines, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.flat())),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The one font that pictures are drawn with; bundled, because without a TTF all text is silently left out. */
const FONT = fileURLToPath(shippedFile('fonts/DejaVuSans.ttf'));

async function loadResvg(): Promise<typeof import('@resvg/resvg-js') | undefined> {
  try {
    return await import('@resvg/resvg-js');
  } catch {
    return undefined; // optional: there is no build of it for every platform
  }
}

/** Turns a drawn picture into PNG; undefined where `@resvg/resvg-js` is not installed. */
export async function drawPng({ svg }: Svg, load = loadResvg): Promise<Buffer | undefined> {
  const resvg = await load();
  if (!resvg) return undefined;
  const font = { loadSystemFonts: false, fontFiles: [FONT], defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' };
  const image = await resvg.renderAsync(svg, { font, logLevel: 'off' });
  return encodePng(image);
}
