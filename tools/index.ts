import type { Toolset } from '../src/tooling/tool.ts';
import account from './account/index.ts';
import dataExport from './data-export/index.ts';
import enrichment from './enrichment/index.ts';
import insights from './insights/index.ts';
import journeys from './journeys/index.ts';
import metrics from './metrics/index.ts';
import objects from './objects/index.ts';
import speedAnalysis from './speed-analysis/index.ts';

/** All toolsets, in the order in which their tools are listed. */
export const toolsets: readonly Toolset[] = [insights, journeys, account, speedAnalysis, dataExport, objects, metrics, enrichment];
