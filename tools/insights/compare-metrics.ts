import * as z from 'zod';
import { comparisonShape } from '../../src/domain/metrics/compare/comparison-rows.ts';
import { baselineKinds } from '../../src/domain/metrics/compare/comparison-windows.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { compareMetrics } from '../../src/usecases/metrics/compare-metrics.ts';

export default defineAnsweringTool({
  name: 'compare_metrics',
  title: 'Compare metrics',
  description:
    'What changed between two periods, is it noise, since which day, and which device or segment explains it: traffic mix or a real ' +
    'rate change. Or devices or segments side by side.',
  annotations: READ,
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds }) => (zoneIds === undefined ? 0 : 7),
  charted: true,
  input: z.strictObject({
    metrics: p.rangeMetrics.describe('Default conversionRate, visits, revenueSum').optional(),
    startDate: p.startDate,
    endDate: p.endDate,
    baselineStartDate: p.startOf('Default by baseline').optional(),
    baselineEndDate: p.endOf('Default by baseline').optional(),
    baseline: z.enum(baselineKinds).describe('Default previous: the days (of a month: the month) before').optional(),
    by: z.enum(['period', 'device', 'segment']).default('period'),
    devices: p.devices,
    segmentIds: p.segmentIds,
    compareSegments: p.compareSegments,
    goalId: p.goalId,
    zoneIds: p.zoneIds,
    explain: z.boolean().describe('Default true: devices, segments, revenue').default(true),
  }),
  output: comparisonShape,
  handler: async (input, context) => compareMetrics(input, context),
});
