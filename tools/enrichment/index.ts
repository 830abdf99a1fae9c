import type { Toolset } from '../../src/tooling/tool.ts';
import sendEnrichments from './send-enrichments.ts';

export default {
  name: 'enrichment',
  description: 'Server-side data of sessions',
  tools: [sendEnrichments],
} satisfies Toolset;
