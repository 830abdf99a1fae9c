import { Resvg } from '@resvg/resvg-js';

/** Pixels of a PNG as a decoder of another kind reads them: resvg, through an SVG that shows nothing else. */
export function decode(png: Buffer): { width: number; height: number; pixels: Uint8Array } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const href = `data:image/png;base64,${png.toString('base64')}`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image href="${href}" width="${width}" ` +
    `height="${height}"/></svg>`;
  return { width, height, pixels: new Resvg(svg, { font: { loadSystemFonts: false } }).render().pixels };
}

/** How much of an interval of the picture differs from its first pixel. */
export function inked(
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
