import { inputJsonSchema, inputOf, outputJsonSchema, outputOf } from './schema.ts';
import { type ListedTool, scopeOf, type Toolset } from './tool.ts';

export type { ListedTool } from './tool.ts';

/** Address of the view that draws charts in hosts with MCP Apps. */
export const CHART_VIEW_URI = 'ui://web-analytics/chart';

/** Connects a tool with the view of its charts; hosts before 2026 read the second key. */
const chartToolMeta: Readonly<Record<string, unknown>> = { ui: { resourceUri: CHART_VIEW_URI }, 'ui/resourceUri': CHART_VIEW_URI };

/** Lists the tools of these toolsets in order. */
export function listTools(toolsets: readonly Toolset[]): ListedTool[] {
  return toolsets.flatMap(({ name: toolset, tools }) =>
    tools
      .map((tool) => ({ tool, scope: scopeOf(tool) }))
      .map(({ tool, scope }) => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        annotations: tool.annotations,
        inputSchema: inputJsonSchema(inputOf(tool)),
        outputSchema: outputJsonSchema(outputOf(tool)),
        ...(tool.charted && { _meta: chartToolMeta }),
        toolset,
        ...(scope && { scope }),
      })),
  );
}
