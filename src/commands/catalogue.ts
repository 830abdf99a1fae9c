import type { ListedTool } from '../mcp/listing.ts';
import type { AnyTool } from '../mcp/tool.ts';

/** Put in by the build, because making 46 JSON schemas costs more than the rest of a start. */
declare const LISTED_TOOLS: readonly ListedTool[] | undefined;

/** All tools as listed; computed where nothing was built. */
export async function listedTools(): Promise<readonly ListedTool[]> {
  if (typeof LISTED_TOOLS !== 'undefined') return LISTED_TOOLS;
  const [{ listTools }, { toolsets }] = await Promise.all([import('../mcp/listing.ts'), import('../../tools/index.ts')]);
  return listTools(toolsets);
}

let byName: ReadonlyMap<string, AnyTool> | undefined;

/** The tool behind a listed name; loaded with the first call. */
export async function loadTool(name: string): Promise<AnyTool> {
  const { toolsets } = await import('../../tools/index.ts');
  byName ??= new Map(toolsets.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])));
  const tool = byName.get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}
