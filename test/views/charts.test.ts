import { describe, expect, it } from 'vitest';
import { drawChart, drawPanels } from '../../src/views/charts/draw-chart.ts';
import { stagger } from '../../src/views/charts/look.ts';
import { type ThemeName, themes } from '../../src/views/charts/theme.ts';
import { plainText } from '../../src/views/charts/values.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import type { ChartSpec, PanelSpec } from '../../src/views/spec.ts';
import { complaintsOf } from './complaints.ts';
import { LOOK, seriesOf, tooltipOf } from './drawn.ts';
import { bars, costs, flow, funnel, grid, longWaterfall, panels, parts, trend, waterfall } from './samples.ts';

/** All numbers of an option, however deep. */
function numbersIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : typeof value === 'object' ? Object.values(value ?? {}).flatMap(numbersIn) : [];
}

const charts: [string, PanelSpec][] = [
  ['a waterfall', waterfall()],
  ['a waterfall of sixty requests', longWaterfall()],
  ['a waterfall of nothing', waterfall({ rows: [], marks: [] })],
  ['a trend', trend()],
  ['a trend of nothing', trend({ times: [], series: [], events: [] })],
  ['bars', bars()],
  ['bars of nothing', bars({ labels: [], series: [] })],
  ['bars of no number', bars({ labels: ['a'], series: [{ name: 'x', values: [Number.NaN] }] })],
  ['parts of a change', parts()],
  ['parts of nothing', parts({ labels: [], series: [] })],
  ['costs with intervals', costs()],
  ['a funnel', funnel()],
  ['a grid', grid()],
  ['a grid of nothing', grid({ columns: [], rows: [] })],
  ['a flow', flow()],
];

it.each(charts)('every chart of %s holds only numbers that can be drawn', (_, spec) => {
  for (const heightPx of [undefined, 300]) {
    const { option, heightPx: drawn } = drawChart(spec, {
      theme: themes.light,
      widthPx: 320,
      tooltip: () => ({}),
      ...(heightPx && { heightPx }),
    });
    expect(numbersIn(option).filter((value) => !Number.isFinite(value))).toEqual([]);
    expect(drawn).toBeGreaterThan(100);
  }
});

it.each(charts)('every chart of %s becomes a picture that is all text and shapes', (_, spec) => {
  for (const theme of Object.keys(themes) as ThemeName[]) {
    const { svg, widthPx, heightPx } = drawSvg(spec, theme);
    expect(svg).toContain(`viewBox="0 0 ${widthPx} ${heightPx}"`);
    expect(svg).toContain(themes[theme].background);
    expect(svg).not.toMatch(/NaN|undefined|<image|<script|href=/);
    expect(svg).toContain(`>${spec.title}<`);
  }
});

it('every chart says in words what it shows', () => {
  expect(drawChart(waterfall(), LOOK).words).toBe(
    'Shop: product page: waterfall of 6 requests; the longest /images/hero.avif with 880 ms; FCP 880 ms; LCP 1.58 s; onLoad 1.62 s.',
  );
  expect(drawChart(bars(), LOOK).words).toContain('France desktop 3.62%, mobile –');
  const [lines, ...marks] = drawChart(trend(), LOOK).words.split('; ');
  expect(lines).toBe('Checkout: largestContentfulPaint: Home, Product from 2026-10-31 to 2026-11-20 (Europe/Paris)');
  expect(marks).toEqual(['Release 42', 'New banner', 'Product slower since 12 Nov.']);
});

it('a waterfall stacks unseen starts, the phases in their order, and the words', () => {
  const series = seriesOf(waterfall());
  expect(series.map(({ id }) => id)).toEqual(['start', 'blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive', 'unsplit', 'words']);
  expect(new Set(series.map(({ stack }) => stack)).size).toBe(1);
  expect(series[0]?.data).toEqual([0, 430, 432, 640, 660, 700]);
  expect(series.find(({ id }) => id === 'ssl')?.data).toEqual([55, null, null, 60, null, null]);
});

it('a waterfall shows a duration whose phases are unknown as such, and no phase that no request has', () => {
  const [row] = waterfall().rows.slice(-1);
  const series = seriesOf(waterfall({ rows: row ? [row] : [] }));
  expect(series.map(({ id, data }) => [id, data])).toEqual([
    ['start', [700]],
    ['unsplit', [880]],
    ['words', [0]],
  ]);
  expect(series[1]?.name).toBe('duration (phases unknown)');
});

it('a waterfall marks the moments that are known', () => {
  const marks = [
    { name: 'LCP', atMs: 900 },
    { name: 'FCP', atMs: Number.NaN },
  ];
  expect(seriesOf(waterfall({ marks }))[0]?.markLine?.data.map(({ name, xAxis }) => [name, xAxis])).toEqual([['LCP 900 ms', 900]]);
});

it('a waterfall tells each phase of a request, and that there was no response', () => {
  expect(tooltipOf(waterfall(), 3).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'cdn.tracker.example/tag.js: undefined',
    'Status: 404',
    'Over the network: 512 B',
    'Start: 640 ms',
    'Duration: 300 ms',
    'blocked: 0 ms',
    'dns: 40 ms',
    'connect: 80 ms',
    'ssl: 60 ms',
    'send: 1 ms',
    'wait: 110 ms',
    'receive: 9 ms',
  ]);
  expect(tooltipOf(waterfall(), 4)).toContainEqual({ name: 'Status', value: 'no response' });
  expect(tooltipOf(waterfall(), 99)).toEqual([]);
});

it('a waterfall writes status and address before a bar, amounts behind it', () => {
  const { svg } = drawSvg(waterfall());
  for (const text of [
    '/assets/app.css',
    '404 cdn.tracker.example/tag.js',
    'failed fonts.example/brand.woff2',
    '610 ms · 182 kB',
    '240 ms',
    'LCP 1.58 s',
  ])
    expect(svg).toContain(`>${text}</text>`);
});

/** Contrast of two colours by WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe.each(Object.entries(themes))('colours of the %s theme', (_, theme) => {
  it('differ enough from the background: texts by a contrast of 4.5, shapes of 3', () => {
    const { background, text, faintText, error, mark, accent, series, phases } = theme;
    for (const colour of [text, faintText, error, mark, accent]) expect(contrast(colour, background)).toBeGreaterThanOrEqual(4.5);
    for (const colour of [...series, ...Object.values(phases)]) expect(contrast(colour, background)).toBeGreaterThanOrEqual(3);
  });
});

it('bars of several series are told apart without colour', () => {
  const decals = (seriesOf(bars()) as readonly { itemStyle?: { decal?: object } }[]).map(({ itemStyle }) => itemStyle?.decal);
  expect(decals[0]).toBeUndefined();
  expect(decals[1]).toBeDefined();
});

it('bars leave no room for labels that are short', () => {
  const left = (labels: string[]) => (drawChart(bars({ labels }), LOOK).option['grid'] as { left: number }).left;
  expect(left(['a', 'b', 'c'])).toBeLessThan(50);
  expect(left(['a', 'b', 'c'.repeat(200)])).toBeLessThanOrEqual(320);
});

it('bars begin at zero, with a dash and no length where there is no value', () => {
  const [desktop, mobile] = seriesOf(bars());
  expect([desktop?.data, mobile?.data].map((data) => (data as { value: number }[]).map(({ value }) => value))).toEqual([
    [3.91, 3.62, 5.2],
    [2.1, 0, 0],
  ]);
  const { svg } = drawSvg(bars());
  for (const text of ['3.91%', '–', '0%', 'Returning visitors from the summer sale']) expect(svg).toContain(`>${text}</text>`);
});

it('bars tell all amounts of a row', () => {
  expect(tooltipOf(bars(), 1)).toEqual([
    { name: 'France' },
    { name: 'desktop', value: '3.62%', colour: themes.dark.series[0] },
    { name: 'mobile', value: '–', colour: themes.dark.series[1] },
  ]);
});

/** Labels and colours of the first series of bars. */
const coloursOf = (spec: PanelSpec) =>
  ((seriesOf(spec)[0]?.data ?? []) as { itemStyle: { color: string; opacity?: number } }[]).map(({ itemStyle }) => itemStyle);

it('the finding is drawn in the accent colour and the rest in grey; of several series the rest is paler', () => {
  const { accent, grey, series } = themes.light;
  expect(coloursOf(costs())).toEqual([{ color: accent }, { color: grey }]);
  expect(coloursOf(parts())).toEqual([
    { color: series[0], opacity: 1 },
    { color: series[0], opacity: 0.4 },
  ]);
  expect(coloursOf(bars())).toEqual([0, 1, 2].map(() => ({ color: series[0] })));
  const spec = trend();
  const lines = (isAccent: boolean) =>
    seriesOf(
      trend({ series: spec.series.map((each, index) => ({ ...each, ...(isAccent && index === 1 && { isAccent: true as const }) })) }),
    )
      .slice(0, 2)
      .map((line) => (line.lineStyle as { color?: string }).color);
  expect(lines(true)).toEqual([accent, grey]);
  expect(lines(false)).toEqual(series.slice(0, 2));
});

it('the finding has its interval drawn across its bar, which no words cover', () => {
  const [, behind, intervals] = seriesOf(costs());
  expect(intervals).toMatchObject({
    id: 'intervals',
    data: [
      [0, 300, 1_500],
      [1, -400, 900],
    ],
  });
  expect(behind?.data).toEqual([600, 650]);
  const { svg } = drawSvg(costs());
  expect(svg).toContain('>900 EUR · 300 to 1,500</text>');
});

it.each([
  ...charts,
  ['bars of one series', bars({ series: bars().series.slice(0, 1) })] as const,
  [
    'costs with a long name',
    costs({
      labels: [
        'error "TypeError: Cannot read properties of undefined (reading \'total\')" on /cart, /checkout/address and /checkout/payment',
        'b',
      ],
    }),
  ] as const,
])('a picture of any width of %s neither cuts nor covers a word', (_, spec) => {
  expect([390, 960].flatMap((widthPx) => complaintsOf(spec, widthPx))).toEqual([]);
});

it('a picture of any width writes amounts under the labels of a single series, and behind the bars of several', () => {
  const text = (spec: PanelSpec) => drawSvg(spec, 'light', 390).svg;
  for (const words of ['/p/*', '3,000 · 37.5% of the step before · 37.5% of all']) expect(text(funnel())).toContain(`>${words}</text>`);
  for (const words of ['desktop', '-0.02 pp']) expect(text(parts())).toContain(`>${words}</text>`);
  for (const words of ['1 after: /p/*', '60']) expect(text(flow())).toContain(`>${words}</text>`);
  for (const words of ['2026-11-02 1,240', '3%'])
    expect(text(grid({ columns: Array.from({ length: 12 }, (_, at) => `day ${at}`) }))).toContain(`>${words}</text>`);
});

it('several pictures of values over time are low, so that all are seen at once', () => {
  const heights = (spec: ChartSpec) => drawPanels(spec, LOOK).map(({ heightPx }) => heightPx);
  expect(heights({ kind: 'panels', panels: [trend(), trend(), trend()] })).toEqual([260, 260, 260]);
  expect(heights(trend())).toEqual([420]);
});

it('several pictures stand below each other in one', () => {
  const spec: ChartSpec = panels();
  const [first, second] = [drawSvg(trend()), drawSvg(parts())];
  const { svg, heightPx } = drawSvg(spec);
  expect(heightPx).toBe(first.heightPx + second.heightPx);
  expect(svg).toContain(`<svg y="${first.heightPx}" `);
  expect(svg.match(/id="[^"]+"/g)?.length).toBe(new Set(svg.match(/id="[^"]+"/g)).size);
});

it('texts in pictures are one line of signs that can be seen, cut in the middle', () => {
  expect(plainText('a\u0000b\u202ec\n d\t\u2028e')).toBe('a b c d e');
  expect(plainText('abcdefghij', 7)).toBe('abc…hij');
  expect(plainText('😀😀😀😀', 3)).toBe('😀…😀');
});

it('texts in pictures of hostile kind stay texts', () => {
  const hostile = '</text><script>alert(1)</script><text a="b" & \u0000';
  const { svg } = drawSvg(
    waterfall({ title: hostile, rows: [[hostile, 200, 1, 0, 9, 1, 1, 1, 1, 1, 1, 3]], marks: [{ name: hostile, atMs: 1 }] }),
  );
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;script&gt;');
  const other = drawSvg(
    trend({ title: hostile, series: [{ name: hostile, values: [1] }], events: [{ name: hostile, time: '2026-11-01' }] }),
  ).svg;
  expect(other).not.toContain('<script');
  for (const drawn of [svg, other]) expect(drawn).not.toContain('\u0000');
});

it('texts in pictures that mark close moments stand above each other', () => {
  const at = (atPx: number) => ({ atPx, widthPx: 50 });
  expect(stagger([at(0), at(200), at(10), at(20), at(205)])).toEqual([0, 0, 1, 2, 1]);
  expect(stagger([at(0), at(1), at(2)])).toEqual([0, 1, 2]);
  expect(stagger([])).toEqual([]);
});
