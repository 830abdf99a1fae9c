import { ApiError } from '../api/errors.ts';
import type { DefinedResource } from './resource.ts';

/** A resource that an address names, with the values in the address. */
export interface Addressed {
  readonly resource: DefinedResource;
  readonly variables: Record<string, string>;
  /** Absent where the template has no project. */
  readonly projectId?: number;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError('missing', `"${text}" is not encoded as an address is`);
  }
}

/** Decodes what an address gives for the variables of a template; throws an `ApiError` of kind `missing` where it names nothing. */
export function addressed(resource: DefinedResource, encoded: Readonly<Record<string, unknown>>): Addressed {
  const variables = Object.fromEntries(Object.entries(encoded).map(([name, value]) => [name, decoded(String(value))]));
  const { projectId } = variables;
  if (projectId === undefined) return { resource, variables };
  if (!/^[1-9]\d{0,14}$/.test(projectId)) throw new ApiError('missing', `"${projectId}" is no project id`);
  return { resource, variables, projectId: Number(projectId) };
}

/** The first resource whose template the address fits, undefined where there is none. */
export function findAddressed(resources: readonly DefinedResource[], uri: string): Addressed | undefined {
  for (const resource of resources) {
    const names = [...resource.template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const pattern = resource.template.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('([^/]+)'); // biome-ignore format: one thought
    const match = new RegExp(`^${pattern}$`).exec(uri);
    if (match) return addressed(resource, Object.fromEntries(names.map((name, index) => [name, match[index + 1]])));
  }
  return undefined;
}
