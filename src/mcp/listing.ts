import type { Scope } from '../api/operation.ts';
import { chartToolMeta } from './app-view.ts';
import { inputJsonSchema, outputJsonSchema } from './schema.ts';
import { inputOf, outputOf } from './shapes.ts';
import type { Annotations, Toolset } from './tool.ts';

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
