import { fileURLToPath } from 'node:url';
import type { Svg } from './draw-svg.ts';
import { encodePng } from './encode-png.ts';

/** The one font that pictures are drawn with; bundled, because without a TTF all text is silently left out. */
const FONT = fileURLToPath(new URL('../../dist/fonts/DejaVuSans.ttf', import.meta.url));

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
