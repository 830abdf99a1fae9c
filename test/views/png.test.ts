import { Resvg } from '@resvg/resvg-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawPng, encodePng } from '../../src/views/draw-png.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import { freshBundle } from '../support/stdio.ts';
import { bars, longWaterfall, panels, trend, waterfall } from './samples.ts';

/** Pixels of a PNG as a decoder of another kind reads them: resvg, through an SVG that shows nothing else. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint8Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const href = `data:image/png;base64,${png.toString('base64')}`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image href="${href}" width="${width}" ` +
    `height="${height}"/></svg>`;
  return { width, height, pixels: new Resvg(svg, { font: { loadSystemFonts: false } }).render().pixels };
}

/** How much of an interval of the picture differs from its first pixel. */
function inked(
  { width, pixels }: ReturnType<typeof decode>,
  [left, top, right, bottom]: readonly [number, number, number, number],
): number {
  let other = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * 4;
      if ([0, 1, 2].some((channel) => Math.abs((pixels[at + channel] ?? 0) - (pixels[channel] ?? 0)) > 24)) other += 1;
    }
  }
  return other / ((right - left) * (bottom - top));
}

describe('the picture of a chart', () => {
  beforeAll(() => freshBundle().then(() => undefined));

  it.each([
    ['a waterfall', waterfall()],
    ['sixty requests', longWaterfall()],
    ['a trend', trend()],
    ['bars', bars()],
    ['several pictures', panels()],
  ])('of %s is a small PNG that shows title and lines', async (_, spec) => {
    const drawn = drawSvg(spec);
    const png = await drawPng(drawn);
    expect(png?.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
    const read = decode(png ?? Buffer.alloc(24));
    expect([read.width, read.height]).toEqual([drawn.widthPx, drawn.heightPx]);
    expect((png?.length ?? 0) * (4 / 3)).toBeLessThan(150_000);
    expect(inked(read, [12, 8, 220, 28])).toBeGreaterThan(0.05); // the title: text is drawn only where its font is found
    expect(inked(read, [300, 80, 860, drawn.heightPx - 30])).toBeGreaterThan(0.005);
  });

  it('is left out where the renderer is missing', async () => {
    expect(await drawPng(drawSvg(trend()), async () => undefined)).toBeUndefined();
  });

  it('keeps its colours with a palette of 256', async () => {
    const [width, height] = [64, 64];
    const pixels = new Uint8Array(width * height * 4).map((_, index) =>
      index % 4 === 3 ? 255 : ((index >> 2) * (1 + (index % 4)) * 7) % 256,
    );
    const read = decode(await encodePng({ pixels, width, height }));
    const distances = [...read.pixels].map((value, index) => Math.abs(value - (pixels[index] ?? 0)));
    expect(distances.reduce((sum, each) => sum + each, 0) / distances.length).toBeLessThan(10);
    const flat = new Uint8Array(width * height * 4).map((_, index) => [31, 111, 184, 255][index % 4] ?? 0);
    expect([...decode(await encodePng({ pixels: flat, width, height })).pixels]).toEqual([...flat]);
  });
});
