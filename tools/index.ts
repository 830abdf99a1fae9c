import type { Toolset } from '../src/tooling/tool.ts';
import { toolsetLoaders } from './loaders.ts';

/** All toolsets, in the order in which their tools are listed. */
export const toolsets: readonly Toolset[] = (await Promise.all(Object.values(toolsetLoaders).map((load) => load()))).map(
  (module) => module.default,
);
