import { describe, expect, it } from 'vitest';
import { records, useTools, WEEK } from '../support.ts';

const tools = useTools();
const { call } = tools;

describe('a chart', () => {
  it('draws each metric over time, a line for each device, a part of a unit under its day', async () => {
    const args = {
      startDate: '2026-09',
      endDate: 'now',
      metrics: ['conversionRate', 'visits'],
      breakdown: ['month'],
      devices: ['desktop', 'mobile'],
    };
    const answer = await call('query_metrics', { ...args, chart: true });
    const values = (metric: string, device: string) =>
      records(answer)
        .filter((row) => row['device'] === device)
        .map((row) => row[metric]);
    expect(answer.structured['chart']).toEqual({
      kind: 'panels',
      panels: [
        ['conversionRate', 'Conversion rate', '%, e-commerce goal', 'percent'],
        ['visits', 'Visits', 'sessions', 'none'],
      ].map(([metric = '', name, measure, unit]) => ({
        kind: 'trend',
        title: expect.stringMatching(new RegExp(`^${name} by month: highest [\\d.,]+%? \\((desktop|mobile), (September|October) 2026\\)$`)),
        subtitle: `Nordlicht Shop, 1 Sept – 20 Nov 2026, UTC, ${measure}, hollow: a part of its month only (November 2026)`,
        unit,
        timeZone: 'UTC',
        times: ['2026-09-01', '2026-10-01', '2026-11-01'],
        inPart: ['2026-11-01'],
        series: ['desktop', 'mobile'].map((device) => ({ name: device, values: values(metric, device) })),
        events: [],
      })),
    });
    expect(values('conversionRate', 'mobile')).toHaveLength(3);
  });

  it('draws bars where rows are no times: a picture for each of a few metrics, colours for the last column', {
    tags: 'nightly',
  }, async () => {
    const args = {
      ...WEEK,
      metrics: ['visits', 'revenueSum'],
      breakdown: ['device', 'segment'],
      devices: ['desktop', 'mobile'],
      compareSegments: ['Germany', 'France'],
    };
    const answer = await call('query_metrics', { ...args, chart: true });
    const of = (metric: string, segment: string) =>
      records(answer)
        .filter((row) => row['segment'] === segment)
        .map((row) => row[metric]);
    expect(answer.structured['chart']).toEqual({
      kind: 'panels',
      panels: [
        ['visits', 'Visits', 'sessions'],
        ['revenueSum', 'Revenue', 'EUR'],
      ].map(([metric = '', name, unit]) => ({
        kind: 'bars',
        title: expect.stringMatching(
          new RegExp(`^${name} by device and segment: highest \\w+, \\w+ [\\d.,]+, lowest \\w+, \\w+ [\\d.,]+$`),
        ),
        subtitle: `Nordlicht Shop, 9 – 15 Nov 2026, UTC, ${unit}`,
        unit: 'none',
        labels: ['desktop', 'mobile'],
        series: ['Germany', 'France'].map((segment) => ({ name: segment, values: of(metric, segment) })),
      })),
    });
    expect(answer.text).toMatch(
      /Drawn as bars chart: Visits by device and segment: highest .*; bars chart: Revenue by device and segment: highest/,
    );
    const many = await call('query_metrics', { ...WEEK, metrics: ['all'], breakdown: ['segment'], chart: true });
    expect(many.structured['chart']).toMatchObject({
      kind: 'bars',
      title: expect.stringMatching(/^Bounce rate by segment: highest .*%, lowest .*%$/),
      subtitle: expect.stringMatching(/^Nordlicht Shop, 9 – 15 Nov 2026, UTC, %, the first of 8 metrics/),
    });
  });

  it('ranks segments and goals by their value, and leaves devices in their order', { tags: 'nightly' }, async () => {
    const bars = async (breakdown: string) => {
      const answer = await call('query_metrics', { ...WEEK, metrics: ['conversionRate'], breakdown: [breakdown], chart: true });
      const { labels, series, subtitle } = answer.structured['chart'] as {
        labels: string[];
        series: { values: (number | null)[] }[];
        subtitle: string;
      };
      const hasValue = (row: Record<string, unknown>) => Number(row['conversionRate'] ?? 0) !== 0;
      const rows = records(answer).flatMap((row) => (hasValue(row) ? [[row[breakdown], row['conversionRate']]] : []));
      // What has no bar is named.
      const unnamed = records(answer).filter((row) => !hasValue(row) && !subtitle.includes(String(row[breakdown])));
      expect(unnamed).toEqual([]);
      const drawn = labels.map((label, index) => [label, series[0]?.values[index]]);
      expect(new Set(drawn.map(String))).toEqual(new Set(rows.map(String)));
      return drawn.map(([, value]) => (value === null ? -1 : Number(value)));
    };
    for (const breakdown of ['goal', 'segment']) {
      const values = await bars(breakdown);
      expect(values).toEqual(values.toSorted((a, b) => b - a));
    }
    const devices = await call('query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['device'], chart: true });
    expect(devices.structured['chart']).toMatchObject({ labels: ['desktop', 'mobile', 'tablet'] });
  });

  it('is none where there is a single row', async () => {
    const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], chart: true });
    expect(answer.text).toContain('No chart');
    expect(answer.structured).not.toHaveProperty('chart');
  });
});
