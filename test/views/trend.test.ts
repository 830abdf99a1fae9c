import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../src/lib/calendar.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { drawChart } from '../../src/views/charts/draw-chart.ts';
import { themes } from '../../src/views/charts/theme.ts';
import type { TrendSpec } from '../../src/views/spec.ts';
import { LOOK, seriesOf, tooltipOf } from './drawn.ts';
import { trend } from './samples.ts';

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

  it('puts events and change at their local time, leaves out what has no readable one, and shades what is judged', () => {
    const events = [...trend().events, { name: 'lost', time: 'soon' }];
    const background = seriesOf(trend({ events })).at(-1);
    expect(background?.markLine?.data.map(({ name, xAxis }) => [name, isoTime(xAxis)])).toEqual([
      ['Release 42', '2026-11-12T09:30:00.000Z'],
      ['New banner', '2026-11-04T16:00:00.000Z'],
      ['Product slower since 12 Nov', '2026-11-12T12:00:00.000Z'],
    ]);
    expect(background?.markArea?.data).toHaveLength(1);
    // A change that is over from its first day to its last.
    const change = { name: 'Product slower from 12 to 14 Nov', time: '2026-11-12', to: '2026-11-14' };
    const [, area] = (seriesOf(trend({ change })).at(-1)?.markArea?.data ?? []) as { xAxis: number }[][];
    expect(area?.map(({ xAxis }) => isoTime(xAxis))).toEqual(['2026-11-12T00:00:00.000Z', '2026-11-15T00:00:00.000Z']);
  });

  it('distinguishes its lines without colour, and names them at their ends where it is wide enough, else in a legend', () => {
    const [first, second] = seriesOf(trend());
    const shapeOf = (line: typeof first) => [line?.symbol, line?.lineStyle?.type];
    expect(shapeOf(first)).not.toEqual(shapeOf(second));
    expect(drawChart(trend(), LOOK).option).not.toHaveProperty('legend');
    expect(first).toMatchObject({ endLabel: { show: true } });
    const narrow = (spec: TrendSpec) => drawChart(spec, { ...LOOK, widthPx: 390 }).option;
    expect(narrow(trend())).toMatchObject({ legend: { icon: undefined, type: 'plain' } });
    // A line alone is named by the title.
    expect(narrow(trend({ series: trend().series.slice(0, 1) }))).not.toHaveProperty('legend');
  });

  it('draws the levels on both sides of the change, as far as the axis reaches', () => {
    const levels = [
      { from: '2026-10-31T00:07', to: '2026-11-12T08:07', value: 1400 },
      { from: '2026-11-12T09:07', to: '2026-11-20T18:07', value: 2000 },
    ];
    const { option } = drawChart(trend({ levels }), LOOK);
    const { min, max } = option['xAxis'] as { min: number; max: number };
    const held = seriesOf(trend({ levels })).at(-1)?.markLine?.data.flat() as { coord?: [number, number] }[];
    expect(held.flatMap(({ coord }) => (coord ? [coord] : []))).toEqual([
      [min, 1400],
      [Date.UTC(2026, 10, 12, 8, 7), 1400],
      [Date.UTC(2026, 10, 12, 9, 7), 2000],
      [max, 2000],
    ]);
  });

  it('keeps the label of an event at the edge inside the picture, in lines where one is too short', () => {
    const last = trend().times.at(-1) ?? '';
    const events = [{ name: 'Release 43: storefront and API '.repeat(6), time: last }];
    const [mark] = seriesOf(trend({ events })).at(-1)?.markLine?.data ?? [];
    const { label } = mark as unknown as { label: { offset: [number, number]; formatter: () => string } };
    expect(label.offset[0]).toBeLessThan(-25);
    expect(label.formatter().split('\n').join(' ')).toBe(events[0]?.name.trim());
  });

  it('draws no ranges where lines are many', () => {
    const [one] = trend().series;
    const series = Array.from({ length: 6 }, (_, index) => ({ values: [], ...one, name: `Step ${index + 1}` }));
    const symbols = seriesOf(trend({ series })).map(({ symbol = '' }) => symbol);
    expect(symbols).toHaveLength(7);
    // A hollow mark is that of a part of a period alone.
    expect(symbols.join()).not.toContain('empty');
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

  /** What the axis writes at days and moments. */
  function labelsAt(spec: TrendSpec, times: readonly string[], look = LOOK): string[] {
    const { axisLabel } = drawChart(spec, look).option['xAxis'] as { axisLabel: { formatter: (atMs: number) => string } };
    return times.map((time) => axisLabel.formatter(Date.parse(time)));
  }
  const daily = (times: readonly string[]): TrendSpec => {
    const { change: _change, judged: _judged, ...spec } = trend({ times, events: [] });
    return spec;
  };

  it('names both ends of its axis, and leaves them the room', () => {
    const days = daily(trend().times);
    expect(labelsAt(days, ['2026-10-31', '2026-11-01', '2026-11-10', '2026-11-20'])).toEqual(['31 Oct', '', '10 Nov', '20 Nov']);
    expect(labelsAt(trend(), ['2026-10-31T12:00Z', '2026-11-08T12:00Z'])).toEqual(['31 Oct', '8 Nov']);
  });

  /** Where a still picture has its labels, and which. */
  function ticksOf(times: readonly string[], more: Partial<TrendSpec> = {}): { ticks: string[]; labels: string[] } {
    const [one] = trend().series;
    const spec = trend({ times, events: [], series: one ? [{ name: one.name, values: times.map(() => 1) }] : [], ...more });
    const { change: _change, judged: _judged, levels: _levels, ...plain } = spec;
    const { axisLabel } = drawChart(plain, LOOK).option['xAxis'] as {
      axisLabel: { customValues: number[]; formatter: (atMs: number) => string };
    };
    const { customValues, formatter } = axisLabel;
    return { ticks: customValues.map((atMs) => isoTime(atMs).slice(0, 16)), labels: customValues.map(formatter) };
  }

  it('has its labels on the periods, equally far apart, the last period among them', () => {
    // Thirteen steps of a week cannot be divided.
    const weeks = Array.from({ length: 14 }, (_, index) => dayAfter('2026-08-24', 7 * index));
    const { ticks, labels } = ticksOf(weeks, { until: '2026-11-24' });
    // In the middle of each week, of the last of what is over of it.
    expect(ticks.map((tick) => tick.slice(5))).toEqual([
      '09-03T12:00',
      '09-17T12:00',
      '10-01T12:00',
      '10-15T12:00',
      '10-29T12:00',
      '11-12T12:00',
      '11-24T00:00',
    ]);
    expect(labels.slice(0, 3)).toEqual(['week of 31 Aug', 'week of 14 Sept', 'week of 28 Sept']);
    expect(ticksOf(['2025-11-01', '2025-12-01', '2026-01-01']).labels).toEqual(['Nov 2025', 'Dec 2025', 'Jan 2026']);
    expect(ticksOf(['2026-04-01', '2026-07-01']).labels).toEqual(['Q2 2026', 'Q3 2026']);
    const days = Array.from({ length: 11 }, (_, index) => dayAfter('2026-11-15', index));
    expect(ticksOf(days).ticks.map((tick) => tick.slice(8, 10))).toEqual(['15', '17', '19', '21', '23', '25']);
  });

  it('has its labels at midnights between hours, and no second one for the last day', () => {
    const hours = Array.from(
      { length: 7 * 24 },
      (_, index) => `${dayAfter('2026-11-18', Math.floor(index / 24))}T${String(index % 24).padStart(2, '0')}:00`,
    );
    expect(ticksOf(hours).ticks).toEqual(Array.from({ length: 7 }, (_, index) => `${dayAfter('2026-11-18', index)}T00:00`));
    const zoomed = { ...LOOK, tooltip: () => ({}) };
    expect(labelsAt(daily(hours), ['2026-11-24T00:00Z', '2026-11-24T23:00Z'], zoomed)).toEqual(['24 Nov', '']);
  });

  it('names every midnight between hours, also one close to an end of the axis, which has no label of its own', () => {
    const from = Date.parse('2026-11-22T23:10Z');
    const hours = Array.from({ length: 72 }, (_, index) => isoTime(from + index * 3_600_000).slice(0, 16));
    const { axisLabel } = drawChart(daily(hours), LOOK).option['xAxis'] as {
      axisLabel: { customValues: number[]; formatter: (atMs: number) => string };
    };
    expect(axisLabel.customValues.map((atMs) => axisLabel.formatter(atMs))).toEqual(['23 Nov', '24 Nov', '25 Nov']);
  });

  it('leaves its plot a height, however many lines stand above it', () => {
    const title = 'A title that needs several lines where the picture is as narrow as a phone, with a figure of 3.6% in it';
    const series = Array.from({ length: 8 }, (_, index) => ({ name: `A segment with a long name ${index}`, values: [1, 2] }));
    const times = ['2026-11-01', '2026-11-02'];
    const narrow = trend({ title, subtitle: title, times, series, events: [] });
    const plotPx = (look: object) => {
      const { option, heightPx } = drawChart(narrow, { ...LOOK, widthPx: 390, ...look });
      const { top, bottom } = option['grid'] as { top: number; bottom: number };
      return heightPx - top - bottom;
    };
    expect([plotPx({}), plotPx({ heightPx: 260 })]).toEqual([220, 136]);
  });
});
