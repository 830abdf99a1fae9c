import { toolsets } from '../../tools/index.ts';

/** The type that lets any layer name a tool: the layers below the tools cannot import them. */
export function toolNameType(): string {
  const names = toolsets.flatMap(({ tools }) => tools.map(({ name }) => name));
  return [
    '// Written by npm run generate.',
    '',
    '/** The names of all tools. */',
    'export type ToolName =',
    ...names.map((name, at) => `  | '${name}'${at === names.length - 1 ? ';' : ''}`),
    '',
  ].join('\n');
}
