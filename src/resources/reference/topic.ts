import type { ResourceContext } from '../../mcp/resource.ts';

/** Writes one topic of the reference as Markdown, without its title. */
export type WriteTopic = (context: ResourceContext) => string | Promise<string>;
