import * as z from 'zod';
import { confirmedOutput } from './confirmation.ts';
import { chart, confirm, projectId } from './params.ts';
import { rangeOutput } from './ranges.ts';
import type { AnyTool } from './tool.ts';

/** Makes something of a tool once: zod compiles a schema at its first use, which costs far more than the use. */
function oncePerTool<T>(make: (tool: AnyTool) => T): (tool: AnyTool) => T {
  const made = new WeakMap<AnyTool, T>();
  return (tool) => {
    const known = made.get(tool) ?? make(tool);
    made.set(tool, known);
    return known;
  };
}

/** The whole input of a tool: its own parameters, the project, `confirm` where a write is confirmed, `chart` where there is one. */
export const inputOf = oncePerTool(
  (tool): z.ZodObject => tool.input.extend({ projectId, ...(tool.confirmed && { confirm }), ...(tool.charted && { chart }) }).strict(),
);

/** The whole structured content of a tool: its own output, the range, the chart as data, and the notes. */
export const outputOf = oncePerTool((tool): z.ZodObject => {
  const own = tool.confirmed ? tool.output.partial().extend(confirmedOutput) : tool.output;
  return own.extend({
    range: rangeOutput.optional(),
    ...(tool.charted && { chart: z.looseObject({ kind: z.string() }).optional() }),
    notes: z.array(z.string()).optional(),
  });
});
