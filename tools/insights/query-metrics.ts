import * as z from 'zod';
import { measuredChangeShape } from '../../src/domain/metrics/compare/measured-change.ts';
import { breakdowns, exportedDimension, metricQuery } from '../../src/domain/metrics/read/metric-query.ts';
import { hint } from '../../src/lib/hint.ts';
import { tableOutput } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/several-params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'query_metrics',
  title: 'Query metrics',
  description:
    'How many visits, orders or sales did we have, what average conversion rate, which weekday or month was best, what ' +
    'share is mobile, were weeks normal or unusual, is the data of today complete? One table or chart over any range; zones of a ' +
    `screen with zoneIds.${hint('compare_metrics', ' Why it changed: compare_metrics.')}`,
  annotations: READ,
  searchHint: 'how many, how much, figures, table, KPI, trend, chart, forecast, Black Friday, best weekday, orders, money, people',
  alwaysLoad: true,
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds }) => (zoneIds === undefined ? 0 : 7),
  input: z.strictObject({
    metrics: p.rangeMetrics,
    startDate: p.startOf('First day', 'expected'),
    endDate: p.endOf('Last day', 'expected'),
    breakdown: z
      .array(z.enum([...breakdowns, 'project'], { error: ({ input }) => exportedDimension(input) }))
      .min(1)
      .describe('Rows by these')
      .optional(),
    totals: z.boolean().describe('true adds the whole').optional(),
    shares: z.boolean().describe('true adds percents').optional(),
    expected: z.boolean().describe('true: was it normal? Forecasts too').optional(),
    devices: p.devices,
    segmentIds: p.segmentIds,
    compareSegments: p.compareSegments,
    goalIds: p.refs('goal', 'Default e-commerce').optional(),
    zoneIds: several.zoneIds,
    projectIds: several.projectIds,
    orderBy: z.string().trim().min(1).describe('Metric, or "visits asc"').optional(),
    limit: z.int().min(1).describe('Rows').optional(),
  }),
  output: z.object({
    answer: z.string().optional(),
    ...tableOutput.shape,
    filters: z.record(z.string(), z.string()).optional(),
    changes: z.array(measuredChangeShape).optional(),
  }),
  charted: true,
  async handler({ breakdown, ...input }, context) {
    const { queryMetrics } = await import('../../src/usecases/metrics/query-metrics.ts');
    return queryMetrics(metricQuery({ ...input, breakdown: breakdown?.filter((by) => by !== 'project') }), context);
  },
});
