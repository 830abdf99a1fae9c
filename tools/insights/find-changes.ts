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
    'Did anything happen on site lately, this month, last weeks, what should you know, any things missed: new, unusual, ' +
    'odd, strange, wrong, bad, broken; problems, anomaly detection, outlier days, drops, spikes in traffic, tracking ' +
    '(tag), all segments, goals, devices (zones)? Quick health check, highlights, summary.' +
    hint('compare_metrics', ' Causes: compare_metrics.'),
  annotations: READ,
  searchHint: 'news, alerts, anomalies, drifts, trouble, surprises, tracking outage, overview, biggest changes, went wrong, declining',
  overview: true,
  scope: 'metrics',
  idsFrom: 'find_objects',
  provisionalDays: ({ zoneIds, include }) => (zoneIds !== undefined || (Array.isArray(include) && include.includes('zones')) ? 7 : 0),
  input: z.strictObject({
    days: z.int().min(2).max(92).describe('Last days').default(28),
    startDate: p.startOf('First day').optional(),
    endDate: p.endOf('Last day').optional(),
    metrics: p.rangeMetrics.optional(),
    devices: p.devices,
    segmentIds: p.refs('segment', 'Default all').optional(),
    goalIds: p.refs('goal', 'Default all').optional(),
    zoneIds: several.zoneIds,
    include: p.subjects(changeSubjects).describe('Default site; ["site", "speed"] adds scenarios').optional(),
    limit: z.int().min(1).max(50).describe('Changes, anomalies, alerts').default(10),
  }),
  output: changesShape,
  handler: async (input, context) => (await import('../../src/usecases/metrics/find-changes.ts')).findChanges(input, context),
});
