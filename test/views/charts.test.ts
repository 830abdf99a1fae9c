import { describe, expect, it } from 'vitest';
import { drawChart } from '../../src/views/charts/index.ts';
import { stagger, type TooltipLine } from '../../src/views/charts/look.ts';
import { type ThemeName, themes } from '../../src/views/charts/theme.ts';
import { plainText } from '../../src/views/charts/values.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import type { ChartSpec, PanelSpec } from '../../src/views/spec.ts';
import { bars, contribution, longWaterfall, panels, segments, trend, waterfall } from './samples.ts';

interface Series {
  readonly symbol?: string;
  readonly lineStyle?: { readonly type?: unknown };
  readonly id?: string;
  readonly name?: string;
  readonly stack?: string;
  readonly data: readonly unknown[];
  readonly markLine?: { readonly data: readonly { readonly name: string; readonly xAxis: number }[] };
  readonly markArea?: { readonly data: readonly unknown[] };
}

const LOOK = { theme: themes.light, widthPx: 960 };

function seriesOf(spec: PanelSpec): readonly Series[] {
  return drawChart(spec, LOOK).option['series'] as Series[];
}

/** All numbers of an option, however deep. */
function numbersIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : typeof value === 'object' ? Object.values(value ?? {}).flatMap(numbersIn) : [];
}

/** What a tooltip says, as a view would get it. */
function tooltipOf(spec: PanelSpec, dataIndex: number): readonly TooltipLine[] {
  let shown: readonly TooltipLine[] = [];
  const tooltip = (lines: readonly TooltipLine[]) => {
    shown = lines;
    return {};
  };
  const { option } = drawChart(spec, { theme: themes.dark, widthPx: 960, tooltip });
  (option['tooltip'] as { formatter: (hovered: { dataIndex: number }[]) => object }).formatter([{ dataIndex }]);
  return shown;
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
  ['contributions', contribution()],
  ['contributions of segments', segments()],
  ['contributions of nothing', contribution({ steps: [], change: Number.NaN })],
];

describe('every chart', () => {
  it.each(charts)('of %s holds only numbers that can be drawn', (_, spec) => {
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

  it.each(charts)('of %s becomes a picture that is all text and shapes', (_, spec) => {
    for (const theme of Object.keys(themes) as ThemeName[]) {
      const { svg, widthPx, heightPx } = drawSvg(spec, theme);
      expect(svg).toContain(`viewBox="0 0 ${widthPx} ${heightPx}"`);
      expect(svg).toContain(themes[theme].background);
      expect(svg).not.toMatch(/NaN|undefined|<image|<script|href=/);
      expect(svg).toContain(`>${spec.title}<`);
    }
  });

  it('says in words what it shows', () => {
    expect(drawChart(waterfall(), LOOK).words).toBe(
      'Shop: product page: waterfall of 6 requests; the longest /images/hero.avif with 880 ms; FCP 880 ms; LCP 1.58 s; onLoad 1.62 s.',
    );
    const [lines, ...marks] = drawChart(trend(), LOOK).words.split('; ');
    expect(lines).toBe('Checkout: largestContentfulPaint: Home, Product from 2026-10-31 to 2026-11-20 (Europe/Paris)');
    expect(marks).toEqual(['Release 42', 'New banner', 'Product slower since 12 Nov.']);
  });
});

describe('a waterfall', () => {
  it('stacks unseen starts, the phases in their order, and the words', () => {
    const series = seriesOf(waterfall());
    expect(series.map(({ id }) => id)).toEqual([
      'start',
      'blocked',
      'dns',
      'connect',
      'ssl',
      'send',
      'wait',
      'receive',
      'unsplit',
      'words',
    ]);
    expect(new Set(series.map(({ stack }) => stack)).size).toBe(1);
    expect(series[0]?.data).toEqual([0, 430, 432, 640, 660, 700]);
    expect(series.find(({ id }) => id === 'ssl')?.data).toEqual([55, null, null, 60, null, null]);
  });

  it('shows a duration whose phases are unknown as such, and no phase that no request has', () => {
    const [row] = waterfall().rows.slice(-1);
    const series = seriesOf(waterfall({ rows: row ? [row] : [] }));
    expect(series.map(({ id, data }) => [id, data])).toEqual([
      ['start', [700]],
      ['unsplit', [880]],
      ['words', [0]],
    ]);
    expect(series[1]?.name).toBe('duration (phases unknown)');
  });

  it('marks the moments that are known', () => {
    const marks = [
      { name: 'LCP', atMs: 900 },
      { name: 'FCP', atMs: Number.NaN },
    ];
    expect(seriesOf(waterfall({ marks }))[0]?.markLine?.data.map(({ name, xAxis }) => [name, xAxis])).toEqual([['LCP', 900]]);
  });

  it('tells each phase of a request, and that there was no response', () => {
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

  it('writes status and address before a bar, amounts behind it', () => {
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
});

describe('a trend', () => {
  it('leaves gaps where there is no value, in line and range alike', () => {
    const series = seriesOf(trend()).filter(({ id }) => id !== 'background');
    expect(series.map(({ name }) => name)).toEqual(['Home', 'Product', 'Home', 'Home', 'Product', 'Product']);
    for (const { data } of series) expect((data as [number, number | null][])[6]?.[1]).toBeNull();
    const [, , base, height] = series;
    expect([base?.data[0], height?.data[0]]).toEqual([
      [Date.UTC(2026, 9, 31, 12), 1310],
      [Date.UTC(2026, 9, 31, 12), 230],
    ]);
  });

  it('puts events and change at their local time, and shades what is judged', () => {
    const background = seriesOf(trend()).at(-1);
    expect(background?.markLine?.data.map(({ name, xAxis }) => [name, new Date(xAxis).toISOString()])).toEqual([
      ['Release 42', '2026-11-12T09:30:00.000Z'],
      ['New banner', '2026-11-04T16:00:00.000Z'],
      ['Product slower since 12 Nov', '2026-11-12T12:00:00.000Z'],
    ]);
    expect(background?.markArea?.data).toHaveLength(1);
  });

  it('distinguishes its lines without colour, also in the legend', () => {
    const [first, second] = seriesOf(trend());
    const shapeOf = (line: typeof first) => [line?.symbol, line?.lineStyle?.type];
    expect(shapeOf(first)).not.toEqual(shapeOf(second));
    expect(drawChart(trend(), LOOK).option).toMatchObject({ legend: { icon: undefined } });
  });

  it('draws the levels on both sides of the change, as far as the axis reaches', () => {
    const levels = [
      { name: 'before 1.4 s', from: '2026-10-31T00:07', to: '2026-11-12T08:07', value: 1400 },
      { name: 'since 2 s', from: '2026-11-12T09:07', to: '2026-11-20T18:07', value: 2000 },
    ];
    const { option } = drawChart(trend({ levels }), LOOK);
    const { min, max } = option['xAxis'] as { min: number; max: number };
    const held =
      seriesOf(trend({ levels }))
        .at(-1)
        ?.markLine?.data.filter((each): each is never => Array.isArray(each)) ?? [];
    const ends = (held as unknown as { coord: [number, number] }[][]).map((pair) => pair.map(({ coord }) => coord));
    expect(ends).toEqual([
      [
        [min, 1400],
        [Date.UTC(2026, 10, 12, 8, 7), 1400],
      ],
      [
        [Date.UTC(2026, 10, 12, 9, 7), 2000],
        [max, 2000],
      ],
    ]);
  });

  it('keeps the label of an event at the edge inside the picture', () => {
    const last = trend().times.at(-1) ?? '';
    const events = [{ name: 'Release 43: storefront and API', time: last }];
    const [mark] = seriesOf(trend({ events })).at(-1)?.markLine?.data ?? [];
    const [shiftPx] = (mark as unknown as { label: { offset: [number, number] } }).label.offset;
    expect(shiftPx).toBeLessThan(-50);
  });

  it('leaves out what has no readable time', () => {
    const events = [{ name: 'lost', time: 'soon' }];
    expect(
      seriesOf(trend({ events }))
        .at(-1)
        ?.markLine?.data.map(({ name }) => name),
    ).toEqual(['Product slower since 12 Nov']);
  });

  it('draws no ranges where lines are many', () => {
    const [one] = trend().series;
    const series = Array.from({ length: 6 }, (_, index) => ({ values: [], ...one, name: `Step ${index + 1}` }));
    expect(seriesOf(trend({ series }))).toHaveLength(7);
  });

  it('tells the values of a day with their range, and what happened on it', () => {
    expect(tooltipOf(trend(), 12)).toEqual([
      { name: 'Thu, 12 Nov 2026' },
      { name: 'Home', value: '1.41 s (1.32 s – 1.55 s)', colour: themes.dark.series[0] },
      { name: 'Product', value: '2.73 s (2.61 s – 2.94 s)', colour: themes.dark.series[1] },
      { name: 'Release 42' },
    ]);
    expect(tooltipOf(trend(), 6).slice(1)).toEqual([
      { name: 'Home', value: '–', colour: themes.dark.series[0] },
      { name: 'Product', value: '–', colour: themes.dark.series[1] },
    ]);
  });
});

describe('bars', () => {
  it('begin at zero, with a dash and no length where there is no value', () => {
    const [desktop, mobile] = seriesOf(bars());
    expect([desktop?.data, mobile?.data]).toEqual([
      [3.91, 3.62, 5.2],
      [2.1, 0, 0],
    ]);
    const { svg } = drawSvg(bars());
    for (const text of ['3.91%', '–', '0%', 'Returning visitors from the summer sale']) expect(svg).toContain(`>${text}</text>`);
  });

  it('tell all amounts of a row', () => {
    expect(tooltipOf(bars(), 1)).toEqual([
      { name: 'France' },
      { name: 'desktop', value: '3.62%', colour: themes.dark.series[0] },
      { name: 'mobile', value: '–', colour: themes.dark.series[1] },
    ]);
  });
});

describe('contributions', () => {
  /** From where to where the bar of each row runs. */
  function spans(spec: PanelSpec): [number, number][] {
    const [start, ...parts] = seriesOf(spec).filter(({ id }) => id !== 'words');
    const all = (series: Series | undefined) => (series?.data ?? []) as number[];
    return all(start).map((low, row) => [low, low + parts.reduce((sum, part) => sum + (all(part)[row] ?? 0), 0)]);
  }
  const near = (...all: [number, number][]) => all.map(([low, high]) => [expect.closeTo(low, 6), expect.closeTo(high, 6)]);

  it('lead from no change to the whole change, each from where the one before ends', () => {
    expect(spans(contribution())).toEqual(near([-0.62, 0], [-0.62, -0.58], [-0.58, -0.48], [-0.4999, -0.48], [-0.5, -0.4999], [-0.5, 0]));
    expect(seriesOf(contribution())[0]?.markLine?.data.map(({ xAxis }) => xAxis)).toEqual([-0.5]);
  });

  it('of groups that overlap begin at zero for each, across zero too', () => {
    expect(spans(segments())).toEqual(near([0, 0.2], [0.1, 0.2], [0.1, 0.3], [0.3, 0.3], [-0.05, 0], [-0.05, 0.2], [0.2, 0.3], [0.3, 0.3]));
  });

  it('are told in words', () => {
    const [mobile, ...desktop] = drawChart(contribution(), { theme: themes.light, widthPx: 960 }).words.split('; desktop: ');
    expect(mobile).toBe('Conversion rate 3.1% → 2.6% (-0.5 pp, -16.1%): mobile: own rate -0.62 pp; mobile: traffic mix +0.04 pp');
    expect(desktop).toEqual(['own rate +0.1 pp', 'traffic mix -0.0199 pp; remainder -0.0001 pp; whole change -0.5 pp.']);
    expect(tooltipOf(segments(), 2)).toEqual([
      { name: 'Germany: rate of all others' },
      { name: 'rate of all others', value: '+0.2 pp', colour: themes.dark.series[2] },
    ]);
  });
});

describe('several pictures', () => {
  it('stand below each other in one', () => {
    const spec: ChartSpec = panels();
    const [first, second] = [drawSvg(trend()), drawSvg(contribution())];
    const { svg, heightPx } = drawSvg(spec);
    expect(heightPx).toBe(first.heightPx + second.heightPx);
    expect(svg).toContain(`<svg y="${first.heightPx}" `);
    expect(svg.match(/id="[^"]+"/g)?.length).toBe(new Set(svg.match(/id="[^"]+"/g)).size);
    expect(svg).not.toMatch(/NaN|undefined/);
  });
});

describe('texts in pictures', () => {
  it('are one line of signs that can be seen, cut in the middle', () => {
    expect(plainText('a\u0000b\u202ec\n d\t\u2028e')).toBe('a b c d e');
    expect(plainText('abcdefghij', 7)).toBe('abc…hij');
    expect(plainText('😀😀😀😀', 3)).toBe('😀…😀');
  });

  it('of hostile kind stay texts', () => {
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

  it('that mark close moments stand above each other', () => {
    const at = (atPx: number) => ({ atPx, widthPx: 50 });
    expect(stagger([at(0), at(200), at(10), at(20), at(205)], 3)).toEqual([0, 0, 1, 2, 1]);
    expect(stagger([at(0), at(1), at(2)], 2)).toEqual([0, 1, 0]);
    expect(stagger([], 3)).toEqual([]);
  });
});
