import type { Toolset } from '../src/tooling/tool.ts';

/** Loads each toolset by its name, in the order in which their tools are listed: a call needs the schemas of its own toolset alone. */
export const toolsetLoaders: Readonly<Record<string, () => Promise<{ readonly default: Toolset }>>> = {
  insights: () => import('./insights/index.ts'),
  journeys: () => import('./journeys/index.ts'),
  account: () => import('./account/index.ts'),
  'speed-analysis': () => import('./speed-analysis/index.ts'),
  'data-export': () => import('./data-export/index.ts'),
  objects: () => import('./objects/index.ts'),
  metrics: () => import('./metrics/index.ts'),
  enrichment: () => import('./enrichment/index.ts'),
};
