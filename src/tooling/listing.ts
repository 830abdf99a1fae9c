import type { Scope } from '../api/operation.ts';
import { inputJsonSchema, inputOf, outputJsonSchema, outputOf } from './schema.ts';
import type { Annotations, Toolset } from './tool.ts';

/** Address of the view that draws charts in hosts with MCP Apps. */
export const CHART_VIEW_URI = 'ui://web-analytics/chart';

/** Connects a tool with the view of its charts; hosts before 2026 read the second key. */
const chartToolMeta: Readonly<Record<string, unknown>> = { ui: { resourceUri: CHART_VIEW_URI }, 'ui/resourceUri': CHART_VIEW_URI };

/** A tool as hosts list it, and what settings choose it by: plain JSON, so that a start need not load the tool itself. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  /** What hosts read and models do not: the view of its charts. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly toolset: string;
  readonly scope?: Scope;
}

/** Lists the tools of these toolsets in order. */
export function listTools(toolsets: readonly Toolset[]): ListedTool[] {
  return toolsets.flatMap(({ name: toolset, tools }) =>
    tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      annotations: tool.annotations,
      inputSchema: inputJsonSchema(inputOf(tool)),
      outputSchema: outputJsonSchema(outputOf(tool)),
      ...(tool.charted && { _meta: chartToolMeta }),
      toolset,
      ...(tool.operation.scope && { scope: tool.operation.scope }),
    })),
  );
}
