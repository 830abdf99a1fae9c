export * from './profiles.ts';
export * from './segments-and-goals.ts';
export * from './session-day.ts';
export { createSessions, type SessionWorld } from './session-world.ts';
export { type Selection, type SiteTotals, siteTotals } from './site-totals.ts';
export { type MetricStories, metricStories } from './stories.ts';
export * from './structure.ts';
export { type PlacedZone, type ZoneTotals, zoneOf, zoneTotals } from './taps.ts';
