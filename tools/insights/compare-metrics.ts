import * as z from 'zod';
import { hint } from '../../src/lib/hint.ts';
import { comparisonShape } from '../../src/metrics/compare/comparison-rows.ts';
import { baselineKinds } from '../../src/metrics/compare/comparison-windows.ts';
import { compareMetrics } from '../../src/metrics/compare-metrics.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'compare_metrics',
  title: 'Compare metrics',
  description:
    'Why did sales, orders, revenue, conversion drop, fall or go up, why do customers buy less, is it worse than before? ' +
    'Reasons for a change, dip; contribution, since when. How does this week, month compare to the one before, last' +
    ' year? Comparison of segments, new versus returning users, mobile vs desktop: real or noise?' +
    hint('query_metrics', ' Figures: query_metrics.'),
  annotations: READ,
  searchHint:
    'basket, fewer, increase, decline, loss, gap, who buys more, selling less, cause, drivers, explanation, growth, ' +
    'difference, year over year, week on week, weekly report, against, customers, people, regulars, newcomers, chance, ' +
    'random, coincidence, decrease, lower',
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds }) => (zoneIds === undefined ? 0 : 7),
  charted: true,
  input: z.strictObject({
    metrics: p.rangeMetrics.describe('Default conversion rate, visits, revenue').optional(),
    startDate: p.startDate,
    endDate: p.endDate,
    baselineStartDate: p.startOf('Default by baseline').optional(),
    baselineEndDate: p.endOf('Default by baseline').optional(),
    baseline: z.enum(baselineKinds).describe('Default previous: days or months before').optional(),
    by: z.enum(['period', 'device', 'segment']).default('period'),
    devices: p.devices,
    segmentIds: p.segmentIds,
    compareSegments: p.compareSegments,
    goalId: p.goalId,
    zoneIds: several.zoneIds,
    projectIds: several.projectIds,
    detect: z.number().min(0.1).max(500).describe('Change in percent: days we must wait until it shows').optional(),
    explain: z.boolean().describe('Drivers by device').default(true),
  }),
  output: comparisonShape,
  handler: (input, { draw, ...context }) =>
    compareMetrics(input, {
      ...context,
      draw: (drawn) =>
        draw(async () => {
          if ('result' in drawn) return (await import('../../src/views/from-comparison.ts')).chartOfComparison(drawn);
          return (await import('../../src/views/from-table.ts')).chartOfTable(drawn.table, drawn);
        }),
    }),
});
