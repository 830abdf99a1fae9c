import { beforeAll, describe, expect, it } from 'vitest';
import { drawPng, encodePng } from '../../src/views/draw-png.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import { decode, inked } from '../support/picture.ts';
import { freshBundle } from '../support/stdio.ts';
import { longWaterfall, panels, trend } from './samples.ts';

describe('the picture of a chart', () => {
  beforeAll(() => freshBundle().then(() => undefined));

  it.each([
    ['sixty requests', longWaterfall()],
    ['a trend', trend()],
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
