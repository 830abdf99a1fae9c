import type { CallInput } from '../api/client.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import type { Session } from './session.ts';

/** What a resource may do while it is read. */
export interface ResourceContext {
  readonly ask: <T extends Operation>(operation: T, input: CallInput<T>) => Promise<PayloadOf<T>>;
  readonly session: Session;
}

type VariablesOf<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | VariablesOf<Rest> : never;

/** A readable thing with an address, as data with one reader. */
export interface Resource<Template extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** `analytics://{projectId}/…`; every resource begins with its project. */
  readonly template: Template;
  /** Gives the text of the resource; throws an `ApiError` of kind `missing` where there is none. */
  read(variables: Record<VariablesOf<Template>, string>, context: ResourceContext): Promise<string>;
}

/** A resource with the function that makes its addresses. */
export interface DefinedResource<Template extends string = string> extends Resource<Template> {
  uri(variables: Record<VariablesOf<Template>, string | number>): string;
}

/** Adds `uri` to a resource, so that links and template are one fact. */
export function defineResource<const Template extends string>(resource: Resource<Template>): DefinedResource<Template> {
  return {
    ...resource,
    uri: (variables) =>
      resource.template.replace(/\{(\w+)\}/g, (_, name: VariablesOf<Template>) => encodeURIComponent(String(variables[name]))),
  };
}
