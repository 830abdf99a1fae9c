import { type ChartSpec, panelsOf } from '../views/spec.ts';

/** A picture as the protocol carries it. */
export interface Image {
  readonly data: string;
  readonly mimeType: 'image/png';
}

/** What a call with `chart: true` adds to its answer. */
export interface Drawn {
  readonly chart?: ChartSpec;
  readonly image?: Image;
  /** One sentence for the notes: what was drawn, or why nothing was. */
  readonly note: string;
}

/** Makes the chart of an answer; undefined where there is nothing to draw. */
export type MakeChart = () => ChartSpec | undefined | Promise<ChartSpec | undefined>;

const NOTHING = 'No chart: this answer holds nothing that can be drawn.';
const NO_RESVG = 'No image: that needs the optional package @resvg/resvg-js, which is not installed. The data of the chart is in chart.';

/** Draws the chart of an answer; what is drawn went through `clean` first, so that no secret stands in a picture. */
export async function drawAnswer(make: MakeChart | undefined, clean: (spec: ChartSpec) => ChartSpec): Promise<Drawn> {
  const made = await make?.();
  if (!made) return { note: NOTHING };
  const chart = clean(made);
  try {
    const [{ drawSvg }, { drawPng }] = await Promise.all([import('../views/draw-svg.ts'), import('../views/draw-png.ts')]);
    const png = await drawPng(drawSvg(chart));
    if (!png) return { chart, note: NO_RESVG };
    const drawn = panelsOf(chart).map(({ kind, title }) => `${kind} chart: ${title}`);
    return { chart, image: { data: png.toString('base64'), mimeType: 'image/png' }, note: `Drawn as ${drawn.join('; ')}.` };
  } catch (error) {
    // The numbers are right without their picture.
    return { chart, note: `No image: drawing failed (${error instanceof Error ? error.message : String(error)}).` };
  }
}
