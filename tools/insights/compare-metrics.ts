import * as z from 'zod';
import { comparisonShape } from '../../src/domain/metrics/compare/comparison-rows.ts';
import { baselineKinds } from '../../src/domain/metrics/compare/comparison-windows.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/several-params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'compare_metrics',
  title: 'Compare metrics',
  description:
    'Why are sales, orders, revenue, bounce rate, basket lower, down or up: did they drop, fall, decline, rise, since which day? ' +
    'Compares this week, month, year with the one before or last year, before and after a date, segments, mobile versus desktop (who ' +
    'buys more): a real, significant change or noise, what it cost.' +
    hint('query_metrics', ' Figures: query_metrics.'),
  annotations: READ,
  searchHint:
    'why did it drop, selling less, compare weeks, versus, year over year, week over week, report of the change, decline, is it ' +
    'noise or chance, root cause',
  alwaysLoad: true,
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
    baseline: z.enum(baselineKinds).describe('Default previous: days or month before').optional(),
    by: z.enum(['period', 'device', 'segment']).default('period'),
    devices: p.devices,
    segmentIds: p.segmentIds,
    compareSegments: p.compareSegments,
    goalId: p.goalId,
    zoneIds: several.zoneIds,
    projectIds: several.projectIds,
    detect: z.number().min(0.1).max(500).describe('Percent: how long we must wait to see it').optional(),
    explain: z.boolean().describe('By device').default(true),
  }),
  output: comparisonShape,
  handler: async (input, context) => (await import('../../src/usecases/metrics/compare-metrics.ts')).compareMetrics(input, context),
});
