import type { Ask, CallInput } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import type { Session } from './session.ts';

/**
 * A value that may be inserted. The protocol shows values only, no labels beside them: typed text is matched
 * against `words` too, so that a name finds its id, and `resources/list` shows ids with their names.
 */
export interface Candidate {
  readonly value: string;
  readonly words?: string;
}

/** The context of a completer. */
export interface CompletionContext {
  readonly session: Session;
  /** Arguments that are filled in already, not decoded. */
  readonly filled: Readonly<Record<string, string>>;
  /** The given project, or the default one. */
  readonly projectId: () => Promise<number>;
  /** Sends an operation for that project. */
  readonly ask: Ask;
}

/** Gives all that a variable may be; what does not fit the typed text is dropped afterwards. Whatever it throws means no proposal. */
export type Completer = (context: CompletionContext) => Promise<readonly Candidate[]> | readonly Candidate[];

/** The context of a resource while it is read or watched. */
export interface ResourceContext {
  /** Sends an operation for the project of the address; for the default project where the address has none. */
  readonly ask: <T extends Operation>(operation: T, input: CallInput<T>) => Promise<PayloadOf<T>>;
  readonly session: Session;
}

/** One resource that is listed: the values of its address, and how it is called. */
export interface ListedResource<Variable extends string = string> {
  readonly variables: Readonly<Record<Variable, string | number>>;
  readonly name: string;
  readonly title: string;
}

/** A project whose resources are listed. */
export interface ListContext {
  readonly projectId: number;
  /** Empty where the credential does not say it. */
  readonly projectName: string;
  /** Scenarios of the project, at most as many as a list shows. */
  readonly scenarios: readonly { readonly id: number; readonly name: string }[];
}

type VariablesOf<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | VariablesOf<Rest> : never;

/** A readable thing with an address, as data with one reader. */
interface Resource<Template extends string = string> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** `analytics://{projectId}/…`, or `analytics://reference/…` for what holds in every project and needs no credential. */
  readonly template: Template;
  /** Proposals for each variable, offered while it is typed. */
  readonly complete: Readonly<Record<VariablesOf<Template>, Completer>>;
  /** Those that exist, of one project, where they are few enough to be listed. */
  readonly list?: (context: ListContext) => readonly ListedResource<VariablesOf<Template>>[];
  /** Those that exist whatever the project is. */
  readonly known?: readonly ListedResource<VariablesOf<Template>>[];
  /**
   * Timestamp of the newest part; undefined while there is none. A resource with it can be subscribed to.
   * `known` is what an earlier look gave, so that only what came later need be read.
   */
  readonly newest?: (
    variables: Record<VariablesOf<Template>, string>,
    context: ResourceContext,
    known: number | undefined,
  ) => Promise<number | undefined>;
  /** True where the text goes out as it came, with what looks like a secret in it. */
  readonly verbatim?: (session: Session) => boolean;
  /** Gives the text of the resource; throws an `ApiError` of kind `missing` where there is none. */
  read(variables: Record<VariablesOf<Template>, string>, context: ResourceContext): Promise<string>;
}

/** A resource with the function that makes its addresses. */
export interface DefinedResource<Template extends string = string> extends Resource<Template> {
  readonly uri: (variables: Readonly<Record<VariablesOf<Template>, string | number>>) => string;
}

/** Adds `uri` to a resource, so that links and template are one fact. */
export function defineResource<const Template extends string>(resource: Resource<Template>): DefinedResource<Template> {
  return {
    ...resource,
    uri: (variables) =>
      resource.template.replace(/\{(\w+)\}/g, (_, name: VariablesOf<Template>) => encodeURIComponent(String(variables[name]))),
  };
}

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
  if (!/^[1-9]\d{0,14}$/.test(projectId)) throw new ApiError('missing', `"${projectId}" is not a project id`);
  return { resource, variables, projectId: Number(projectId) };
}

/** The first resource whose template the address fits, undefined where there is none. */
export function findAddressed(resources: readonly DefinedResource[], uri: string): Addressed | undefined {
  for (const resource of resources) {
    const pattern = resource.template.replace(/[\\^$.*+?()[\]|/-]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(uri);
    if (match) return addressed(resource, { ...match.groups });
  }
  return undefined;
}

/** One argument of a prompt, always text. */
interface PromptArgument {
  readonly description: string;
  readonly required?: true;
  readonly complete: Completer;
}

type Given<Arguments extends Record<string, PromptArgument>> = {
  readonly [Name in keyof Arguments]: Arguments[Name] extends { required: true } ? string : string | undefined;
};

/** A way of working that a person chooses in the host, as data with one function. */
export interface Prompt<Arguments extends Record<string, PromptArgument> = Record<string, PromptArgument>> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: Arguments;
  /** Tools that the text names; where one of them is switched off the prompt is not offered. */
  readonly tools: readonly string[];
  /** The task for the model: the tools in order, and the form of the answer; at most 250 words. */
  text(given: Given<Arguments>): string;
}

/** Returns the prompt for lists of prompts, with its types checked. */
export function definePrompt<const Arguments extends Record<string, PromptArgument>>(prompt: Prompt<Arguments>): Prompt {
  // Who asks for the text has checked the arguments against the declaration.
  return { ...prompt, text: (given) => prompt.text(given as Given<Arguments>) };
}

/** A call as a prompt writes it: `` `analyze_scenario {"scenarioId":"Checkout"}` ``; what is undefined is left out. */
export function callText(tool: string, args: Readonly<Record<string, unknown>> = {}): string {
  const given = JSON.stringify(args);
  return given === '{}' ? `\`${tool}\`` : `\`${tool} ${given}\``;
}
