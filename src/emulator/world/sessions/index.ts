export * from './catalogue.ts';
export * from './dimensions.ts';
export { createSessions } from './session-world.ts';
export { type MetricStories, metricStories } from './stories.ts';
export * from './structure.ts';
export * from './types.ts';
