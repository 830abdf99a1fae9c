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

async function indexTools(): Promise<ReadonlyMap<string, AnyTool>> {
  const { toolsets } = await import('../../tools/index.ts');
  return new Map(toolsets.flatMap(({ tools }) => tools.map((tool) => [tool.name, tool])));
}

// Kept, because even an import of what is loaded takes a while.
let byName: ReadonlyMap<string, AnyTool> | undefined;

/** The tool behind a listed name; loaded with the first call. */
export async function loadTool(name: string): Promise<AnyTool> {
  byName ??= await indexTools();
  const tool = byName.get(name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}
