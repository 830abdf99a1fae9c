import * as z from 'zod';
import { changeSubjects, changesShape } from '../../src/domain/metrics/changes/changes-answer.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/several-params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'find_changes',
  title: 'Find changes',
  description:
    'What happened or changed on the site this week or month that we should know: did anything new, strange, unusual, bad, wrong ' +
    'happen lately, today, in the last days; any problems, anomaly, drops, spikes, outlier days, drifts of our sales, orders, ' +
    'traffic, conversion by device, segments, goals (zones, speed)? Largest first.' +
    hint('compare_metrics', ' Why: compare_metrics.'),
  annotations: READ,
  searchHint:
    'anything unusual, what happened, alerts, anomalies, outliers, drop, spike, sales fell, news of the last weeks, highlights, declining',
  alwaysLoad: true,
  overview: true,
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds, include }) => (zoneIds !== undefined || (Array.isArray(include) && include.includes('zones')) ? 7 : 0),
  input: z.strictObject({
    days: z.int().min(2).max(92).describe('Last complete days').default(28),
    startDate: p.startOf('First day').optional(),
    endDate: p.endOf('Last day').optional(),
    metrics: p.rangeMetrics.optional(),
    devices: p.devices,
    segmentIds: p.refs('segment', 'Default all').optional(),
    goalIds: p.refs('goal', 'Default all').optional(),
    zoneIds: several.zoneIds,
    include: p.subjects(changeSubjects).describe('Default site; ["site", "speed"] adds scenarios').optional(),
    limit: z.int().min(1).max(50).describe('Changes, anomalies to list').default(10),
  }),
  output: changesShape,
  handler: async (input, context) => (await import('../../src/usecases/metrics/find-changes.ts')).findChanges(input, context),
});
