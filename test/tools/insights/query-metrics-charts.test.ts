import { describe, expect, it } from 'vitest';
import { records, useTools, WEEK } from '../support.ts';

const tools = useTools();
const { call } = tools;

describe('a chart', () => {
  it('draws each metric over time, a line for each device; of a part of a unit its figure under its day, hollow', async () => {
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
    const most = 'Most visits from 1 Sept to 20 Nov: Oct 2026, mobile (61,967); fewest in a whole month: Sept 2026, desktop (48,715)';
    const since = { change: { name: 'since 10 Nov', time: '2026-11-10' } };
    expect(answer.structured['chart']).toEqual({
      kind: 'panels',
      panels: [
        {
          metric: 'conversionRate',
          title: 'Mobile conversion rate has been 68% lower since 10 Nov',
          measure: '%, e-commerce goal',
          unit: 'percent',
          told: since,
        },
        { metric: 'visits', title: most, measure: 'sessions', unit: 'none', told: {} },
      ].map(({ metric, title, measure, unit, told }) => ({
        kind: 'trend',
        title,
        subtitle: `Nordlicht Shop, 1 Sept – 20 Nov 2026, UTC, ${measure}, hollow: a part of its month only (November 2026)`,
        unit,
        timeZone: 'UTC',
        times: ['2026-09-01', '2026-10-01', '2026-11-01'],
        series: ['desktop', 'mobile'].map((device) => ({
          name: device,
          values: values(metric, device),
          inPart: ['2026-11-01'],
          ...('change' in told && device === 'mobile' && { isAccent: true }),
        })),
        events: [],
        ...told,
      })),
    });
  });

  it('is none where there is a single row', async () => {
    const answer = await call('query_metrics', { ...WEEK, metrics: ['visits'], chart: true });
    expect(answer.text).toContain('No chart');
    expect(answer.structured).not.toHaveProperty('chart');
  });
});
