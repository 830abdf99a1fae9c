import type { ToolName } from '../../../src/lib/tool-name.ts';

/** A tool and its arguments; texts in braces are dates of the world, or names that an earlier answer gave (`worldNames`). */
export type Call = readonly [tool: ToolName, args: Readonly<Record<string, unknown>>];

/** A question of an analyst, an engineer or a data engineer, and the calls that answer it. */
export interface Question {
  readonly number: number;
  readonly asked: string;
  readonly calls: readonly Call[];
}
