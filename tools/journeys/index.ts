import type { Toolset } from '../../src/tooling/tool.ts';
import analyzeFunnel from './analyze-funnel.ts';

export default {
  name: 'journeys',
  title: 'Journeys',
  description: 'What visitors do and what it costs, from downloaded exports of sessions and views',
  tools: [analyzeFunnel],
} satisfies Toolset;
