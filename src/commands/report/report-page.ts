import { type ThemeName, themes } from '../../views/charts/theme.ts';
import { drawSvg } from '../../views/draw-svg.ts';
import type { Block } from '../../views/overview/blocks.ts';
import { blockHtml, escaped, OVERVIEW_CSS } from '../../views/overview/html.ts';
import type { ChartSpec } from '../../views/spec.ts';

/** The words above the parts of a report. */
export interface ReportHead {
  readonly title: string;
  /** Days, zone, and when it was made. */
  readonly subtitle: string;
}

/** Widths that each picture is drawn in: text in it stays readable on both. */
const WIDTHS = { wide: 900, narrow: 334 } as const;
const THEMES: readonly ThemeName[] = ['light', 'dark'];

/** A picture for each look and width; the page shows the one that fits, without any script. */
function picture(spec: ChartSpec): string {
  const drawn = THEMES.flatMap((theme) =>
    Object.entries(WIDTHS).map(([width, px]) => `<div class="${theme} ${width}">${drawSvg(spec, theme, px).svg}</div>`),
  );
  return `<figure>${drawn.join('')}</figure>`;
}

/** The colours of a look as variables of the page. */
function colours(theme: ThemeName): string {
  const { text, faintText, line, gridLine, background } = themes[theme];
  const page = theme === 'dark' ? '#0e1014' : '#f4f6f9';
  const variables = { page, card: background, text, faint: faintText, line, grid: gridLine };
  const set = Object.entries(variables).map(([name, value]) => `--${name}: ${value};`);
  return `color-scheme: ${theme}; ${set.join(' ')}`;
}

const CSS = `
:root { ${colours('light')} }
@media (prefers-color-scheme: dark) { :root { ${colours('dark')} } }
body { margin: 0; background: var(--page); color: var(--text); }
body { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { box-sizing: border-box; max-width: 980px; margin: 0 auto; padding: 28px 20px; }
header { margin: 0 2px 20px; }
h1 { margin: 0 0 4px; font-size: 1.6rem; line-height: 1.25; }
header p, footer { margin: 0; color: var(--faint); }
footer { margin: 8px 2px; font-size: 0.85em; }
figure { margin: 8px 0 12px; overflow: hidden; }
figure svg { display: block; max-width: 100%; height: auto; }
.dark, .narrow { display: none; }
@media (prefers-color-scheme: dark) { .light { display: none; } .dark.wide { display: block; } }
@media (max-width: 560px) {
  main { padding: 16px 12px; }
  h1 { font-size: 1.3rem; }
  .light.wide, .dark.wide { display: none; }
  .light.narrow { display: block; }
}
@media (max-width: 560px) and (prefers-color-scheme: dark) { .light.narrow { display: none; } .dark.narrow { display: block; } }
@media print { :root { ${colours('light')} } section { break-inside: avoid; } }
${OVERVIEW_CSS}`;

/** The whole report as one file that needs no other and no network. */
export function reportPage({ title, subtitle }: ReportHead, blocks: readonly Block[]): string {
  const sections = blocks.map((block) => blockHtml(block, block.chart ? picture(block.chart) : ''));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${CSS}</style>
</head>
<body>
<main>
<header><h1>${escaped(title)}</h1><p>${escaped(subtitle)}</p></header>
${sections.join('\n')}
<footer>Significant: chance alone exceeds it once in a hundred comparisons. Speed is measured in lab runs, not with visitors.</footer>
</main>
</body>
</html>
`;
}
