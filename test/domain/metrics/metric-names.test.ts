import { expect, it } from 'vitest';
import { siteMetricDefinitions, zoneMetricDefinitions } from '../../../src/domain/metrics/metric-definitions.ts';
import { nameOf } from '../../../src/domain/metrics/metric-names.ts';

it('each metric of site and zone has a name', () => {
  const metrics = Object.keys({ ...siteMetricDefinitions, ...zoneMetricDefinitions });
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((metric) => nameOf(metric) === metric)).toEqual([]);
});
