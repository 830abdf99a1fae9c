export * from './catalogue.ts';
export * from './dimensions.ts';
export type { Selection } from './selection.ts';
export { createSessions } from './session-world.ts';
export { type SiteTotals, siteTotals } from './site-totals.ts';
export { type MetricStories, metricStories } from './stories.ts';
export * from './structure.ts';
export { type PlacedZone, type ZoneTotals, zoneOf, zoneTotals } from './taps.ts';
export * from './types.ts';
