import type { Prompt, DefinedResource } from '../../../src/tooling/resource.ts';
import type { SurfaceChange } from './classify.ts';

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

const breaking = (tool: string, what: string): SurfaceChange => ({ kind: 'breaking', tool, what });
const compatible = (tool: string, what: string): SurfaceChange => ({ kind: 'compatible', tool, what });

function promptChanges(before: SurfacePrompt, after: SurfacePrompt | undefined): SurfaceChange[] {
  const label = `prompt ${before.name}`;
  if (!after) return [breaking(label, 'is gone')];
  const old = new Map(before.arguments.map((argument) => [argument.name, argument]));
  const own = new Map(after.arguments.map((argument) => [argument.name, argument]));
  return [
    ...before.arguments.filter(({ name }) => !own.has(name)).map(({ name }) => breaking(label, `${name} is gone`)),
    ...after.arguments.flatMap(({ name, required }) => {
      const was = old.get(name);
      if (required && !was?.required) return [breaking(label, `${name} is required`)];
      if (!was) return [compatible(label, `takes ${name}`)];
      return was.required && !required ? [compatible(label, `${name} may be left out`)] : [];
    }),
  ];
}

/** An address as it is written, whatever its variables are called. */
const shapeOf = (template: string) => template.replaceAll(/\{\w+\}/g, '{}');

function resourceChanges(before: SurfaceResource, after: readonly SurfaceResource[]): SurfaceChange[] {
  const label = `resource ${before.template}`;
  const own = after.find(({ template }) => shapeOf(template) === shapeOf(before.template));
  if (!own) return [breaking(label, 'is gone')];
  return [
    ...(own.mimeType === before.mimeType ? [] : [breaking(label, `is ${own.mimeType} (${before.mimeType} before)`)]),
    // Old addresses still lead there; only forms show other names.
    ...(own.template === before.template ? [] : [compatible(label, `is written ${own.template}`)]),
  ];
}

/** What changed of prompts and resources, and whether hosts that knew the old ones trip over it. */
export function classifyOffers(before: Offers, after: Offers): SurfaceChange[] {
  const isNew = ({ name }: SurfacePrompt) => !before.prompts.some((prompt) => prompt.name === name);
  const shapes = new Set(before.resources.map(({ template }) => shapeOf(template)));
  return [
    ...before.prompts.flatMap((prompt) =>
      promptChanges(
        prompt,
        after.prompts.find(({ name }) => name === prompt.name),
      ),
    ),
    ...after.prompts.filter(isNew).map(({ name }) => compatible(`prompt ${name}`, 'is new')),
    ...before.resources.flatMap((resource) => resourceChanges(resource, after.resources)),
    ...after.resources
      .filter(({ template }) => !shapes.has(shapeOf(template)))
      .map(({ template }) => compatible(`resource ${template}`, 'is new')),
  ];
}
