import type { Toolset } from '../../src/tooling/tool.ts';
import analyzeFunnel from './analyze-funnel.ts';
import analyzePaths from './analyze-paths.ts';
import analyzeRetention from './analyze-retention.ts';
import measureImpact from './measure-impact.ts';

export default {
  name: 'journeys',
  description: 'What visitors do and what it costs, from downloaded exports of sessions and views',
  tools: [analyzeFunnel, analyzePaths, analyzeRetention, measureImpact],
} satisfies Toolset;
