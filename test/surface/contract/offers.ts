import type { Prompt } from '../../../src/tooling/prompt.ts';
import type { DefinedResource } from '../../../src/tooling/resource.ts';
import type { SurfaceTool } from './classify.ts';

/** What hosts keep of a prompt: commands that people type, and forms. */
export interface SurfacePrompt {
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
}

/** What hosts keep of a resource: addresses in notes, and forms for those with variables. */
export interface SurfaceResource {
  readonly template: string;
  readonly mimeType: string;
}

/** What a server offers beside its tools. */
export interface Offers {
  readonly prompts: readonly SurfacePrompt[];
  readonly resources: readonly SurfaceResource[];
}

/** The part of the prompts and resources that is a contract. */
export function offersOf(prompts: readonly Prompt[], resources: readonly Pick<DefinedResource, 'template' | 'mimeType'>[]): Offers {
  return {
    prompts: prompts.map(({ name, arguments: known }) => ({
      name,
      arguments: Object.entries(known).map(([argument, { required = false }]) => ({ name: argument, required })),
    })),
    resources: resources.map(({ template, mimeType }) => ({ template, mimeType })),
  };
}

/** Prompts and resources as tools, so that their changes are classified alike; an address is the same however its variables are called. */
export function asTools({ prompts, resources }: Offers): SurfaceTool[] {
  const plain = { annotations: {}, inputSchema: {}, outputSchema: {} };
  return [
    ...prompts.map(({ name, arguments: known }) => ({
      ...plain,
      name: `prompt ${name}`,
      inputSchema: {
        properties: Object.fromEntries(known.map((argument) => [argument.name, { type: 'string' }])),
        required: known.filter(({ required }) => required).map((argument) => argument.name),
      },
    })),
    ...resources.map(({ template, mimeType }) => ({
      ...plain,
      name: `resource ${template.replaceAll(/\{\w+\}/g, '{}')}`,
      annotations: { mimeType },
    })),
  ];
}
