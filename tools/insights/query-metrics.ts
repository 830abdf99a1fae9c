import * as z from 'zod';
import { findingShape } from '../../src/findings/finding.ts';
import { hint } from '../../src/lib/hint.ts';
import { zoneMetricWords } from '../../src/metrics/metric-definitions.ts';
import { queryMetrics } from '../../src/metrics/query-metrics.ts';
import { breakdowns, exportedDimension, metricQuery } from '../../src/metrics/read/metric-query.ts';
import { tableOutput } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'query_metrics',
  title: 'Query metrics',
  description:
    'How many visits, people, orders, how much traffic, turnover, sales or revenue do we have? Total, count, average ' +
    'basket, order value or conversion rate daily, per week, month, weekday or hour; best, top or worst days, weeks, ' +
    "zones tapped most, device share of phones. Is it normal, is today's data complete, the forecast?" +
    hint('compare_metrics', ' Causes: compare_metrics.'),
  annotations: READ,
  searchHint:
    'traffic, people, sessions, income, order value, top, KPI, numbers, trend, graph, daily, weekly, monthly, quarter, ' +
    'year, yesterday, Black Friday, takings, earnings, typical, expected, phones, tablets, mobile share, percentage split',
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds }) => (zoneIds === undefined ? 0 : 7),
  input: z.strictObject({
    metrics: p.rangeMetrics.describe('Revenue, bounce rate, pageviews, time on site … or all'),
    startDate: p.startOf('First day', 'expected'),
    endDate: p.endOf('Last day', 'expected'),
    breakdown: z
      .array(z.enum([...breakdowns, 'project'], { error: ({ input }) => exportedDimension(input) }))
      .min(1)
      .describe('Daily, weekly, monthly')
      .optional(),
    totals: z.boolean().describe('The whole').optional(),
    shares: z.boolean().describe('Percentages').optional(),
    expected: z.boolean().describe('Normal, forecast').optional(),
    devices: p.devices,
    segmentIds: p.segmentIds,
    compareSegments: p.compareSegments,
    goalIds: p.refsOrAll('goal', 'Default e-commerce').optional(),
    zoneIds: several.zoneIds,
    projectIds: several.projectIds,
    orderBy: z.string().trim().min(1).describe('Metric, or visits asc').optional(),
    limit: z.int().min(1).describe('Rows').optional(),
  }),
  output: z.object({
    answer: z.string().optional(),
    ...tableOutput.shape,
    filters: z.record(z.string(), z.string()).optional(),
    findings: z.array(findingShape).optional(),
    details: z.array(z.string()).optional(),
  }),
  charted: true,
  async handler({ breakdown, ...input }, context) {
    for (const words of zoneMetricWords(input)) context.note(words);
    return queryMetrics(metricQuery({ ...input, breakdown: breakdown?.filter((by) => by !== 'project') }), {
      ...context,
      draw: (read) =>
        context.draw(async () => {
          const { table, ...range } = await read();
          return (await import('../../src/views/from-table.ts')).chartOfTable(table, range);
        }),
    });
  },
});
