import * as z from 'zod';
import { hint } from '../../src/lib/hint.ts';
import { changeSubjects, changesShape } from '../../src/metrics/changes/changes-answer.ts';
import { findChanges } from '../../src/metrics/find-changes.ts';
import * as p from '../../src/tooling/params.ts';
import * as several from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'find_changes',
  title: 'Find changes',
  description:
    'Did anything unusual, strange, wrong or bad happen on the site lately, is something broken, what should you ' +
    'know? Health check with anomaly detection: an overview of what changed, highlights of this month or recent ' +
    'weeks, outlier days, drops and spikes in traffic, tracking, all segments, goals, devices (zones, speed).' +
    hint('compare_metrics', ' Causes: compare_metrics.'),
  annotations: READ,
  searchHint:
    'new, odd, wrong, missed, summary, news, alerts, anomaly detection, drifts, trouble, surprises, tracking outage, tag, ' +
    'overview, biggest changes, went wrong, declining',
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
  handler: findChanges,
});
