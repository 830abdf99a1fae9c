import type * as z from 'zod';
import type { CallInput, Client } from '../api/client.ts';
import type { Operation, PayloadOf, Scope } from '../api/operation.ts';
import type { WithWorkspace } from '../exports/export-lists.ts';
import type { ProjectWorkspace } from '../exports/project-workspace.ts';
import type { ToolName } from '../lib/tool-name.ts';
import type { Context } from '../names/context.ts';
import type { ChartSpec } from '../views/spec.ts';

/** All four hints of the protocol, each stated. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Writes to the platform what a second call only writes again. */
export const OVERWRITE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true };
/** Reads from the platform and changes nothing. */
export const READ: Annotations = { ...OVERWRITE, readOnlyHint: true };
/** Adds to the platform; a second call adds again. */
export const CREATE: Annotations = { ...OVERWRITE, idempotentHint: false };
/** Removes from the platform for good. */
export const DELETE: Annotations = { ...OVERWRITE, destructiveHint: true };
/** Copies what the platform holds to this machine: it fills the disk and changes nothing of the platform. */
export const FETCH: Annotations = { ...OVERWRITE };
/** Removes files of this machine for good; the platform keeps what it has. */
export const PURGE: Annotations = { ...DELETE, openWorldHint: false };

/** Address of the view that draws charts in hosts with MCP Apps. */
export const CHART_VIEW_URI = 'ui://web-analytics/chart';
/** Address of the view that shows an overview of a period: changes, key figures, speed and exports. */
export const OVERVIEW_VIEW_URI = 'ui://web-analytics/overview';

/** A resource that an answer points to instead of holding it. */
export interface Link {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A tool as hosts list it, and what settings choose it by: plain JSON, so that a start need not load the tool itself. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  /** Metadata for hosts, not for models: the view of its charts, and how it is found. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly toolset: string;
  readonly scope?: Scope;
  /** It only copies what the platform holds to this machine. */
  readonly fetches?: true;
}

/** Whether a tool changes the platform or removes files: what a read-only server and a caller who may only read do not get. */
export function changesSomething({ annotations, fetches }: Pick<ListedTool, 'annotations' | 'fetches'>): boolean {
  return !annotations.readOnlyHint && fetches !== true;
}

/** The tools of a connection, and those that its settings leave out. */
export interface Offer {
  readonly tools: readonly ListedTool[];
  /** Names of the tools that are left out: no text may send a reader to them. */
  readonly absent: ReadonlySet<string>;
}

/** Makes the chart of an answer; undefined where there is nothing to draw. */
export type MakeChart = () => ChartSpec | undefined | Promise<ChartSpec | undefined>;

/** The context of an answering tool's handler, which neither formats nor catches. */
export interface AnswerContext extends Context, WithWorkspace {
  readonly client: Client;
  /** Registers how the chart is made; called only where the caller asks for a picture. */
  readonly draw: (make: MakeChart) => void;
  /** The `projectId` argument, for the few that pass it on. */
  readonly chosenProjectId: number | undefined;
  /** The tools of the connection; undefined where they are not known. */
  readonly offer: Offer | undefined;
  /** Adds a link to a resource to the answer, under its own title or this one; gives its address. */
  readonly link: <Variables>(
    resource: Required<Pick<Link, 'name' | 'title' | 'mimeType'>> & { readonly uri: (variables: Variables) => string },
    variables: Variables,
    title?: string,
  ) => string;
}

/** The same for a tool that stands for one operation. */
export interface ToolContext<O extends Operation = Operation> extends AnswerContext {
  /**
   * Sends the tool's own operation; a confirmed tool's write waits for the confirmation here, which asks the `question` and shows the
   * `warning`. `apart`: what is warned of cannot be undone, so `confirm` counts only after the warning was shown.
   */
  readonly call: (
    input: CallInput<O>,
    options?: { encoding?: 'form' | 'json'; question?: string; warning?: string | undefined; apart?: boolean },
  ) => Promise<PayloadOf<O>>;
}

/** The words of a published name one version before it is removed. */
export interface Deprecation {
  /** The first version that says it. */
  readonly since: string;
  /** The tool or argument to use. */
  readonly use: string;
}

/** Members that all tools declare. */
interface Declaration<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /**
   * One to three sentences for the model: what it does, where ids come from, what the numbers are. Other tools are named in hints
   * (`src/lib/hint.ts`), which go where those tools are switched off.
   */
  readonly description: string;
  readonly annotations: Annotations;
  /** Words of people for what it does, for hosts that search tools; no words that belong to another tool's answer. */
  readonly searchHint: string;
  /** It goes with the next major version: since which version that is said, and the tool that takes its place. */
  readonly deprecated?: Deprecation;
  /** Hosts that search load it from the first turn: the few tools that most questions begin with. */
  readonly alwaysLoad?: true;
  /** Parameters without `projectId`, and without `confirm` and `chart` of confirmed and charted tools. */
  readonly input: Input;
  readonly output: Output;
  /** It only copies what the platform holds to this machine: read-only servers keep it. */
  readonly fetches?: true;
  /** Asks the person before the write leaves. */
  readonly confirmed?: true;
  /** Takes `chart: true` and draws through `draw`. */
  readonly charted?: true;
  /** Hosts with MCP Apps show the overview of the same days around its answer. */
  readonly overview?: true;
  /** The tool that lists the ids it takes or makes, for error messages. */
  readonly idsFrom?: ToolName | undefined;
  /** The workspace that holds what the arguments name, of one of all projects: the call goes to that project where it names none. */
  readonly holderOf?: (
    input: Readonly<Record<string, unknown>>,
    workspaces: readonly ProjectWorkspace[],
  ) => Promise<ProjectWorkspace | undefined>;
  /** The member that holds one page of a list, so that a full page is noted. */
  readonly paged?: string;
  /** Lists that say more of the items of `paged`, by the same `jobId`: an answer that is cut keeps of them what it keeps of the page. */
  readonly beside?: readonly string[];
  /** Members of the items of `paged` that go first where an answer is too long, and words on the tool that shows them of one item. */
  readonly heavy?: { readonly members: readonly string[]; readonly seeAlso: string };
  /** Tokens of an answer to a call that names no limit; left out: 2,000. A list whose first rows matter most is shorter. */
  readonly usualTokens?: number;
  /** The `page` of an answer again after the boundary kept only the first `shown` of its `rows`, so that no row falls between two pages. */
  readonly pageAfterCut?: (page: unknown, shown: number, asked: Record<string, unknown>) => unknown;
  /** Days before now in which answers may still change, where that depends on the arguments a function of them. */
  readonly provisionalDays?: number | ((input: Record<string, unknown>) => number);
}

/** A tool that stands for one operation of the interface, as data with one handler. */
export interface Tool<O extends Operation = Operation, Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject>
  extends Declaration<Input, Output> {
  readonly operation: O;
  handler(input: z.output<Input>, context: ToolContext<O>): Promise<z.input<Output>>;
}

/** A tool that answers a question with several operations. */
interface AnsweringTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject>
  extends Declaration<Input, Output> {
  /** The scope that a credential must grant for the answer, or for most of it. */
  readonly scope: Scope;
  handler(input: z.output<Input>, context: AnswerContext): Promise<z.input<Output>>;
}

/** Returns the tool unchanged, with its types checked against its operation. */
export function defineTool<const O extends Operation, const Input extends z.ZodObject, const Output extends z.ZodObject>(
  tool: Tool<O, Input, Output>,
): Tool<O, Input, Output> {
  return tool;
}

/** Returns the answering tool unchanged, with its types checked. */
export function defineAnsweringTool<const Input extends z.ZodObject, const Output extends z.ZodObject>(
  tool: AnsweringTool<Input, Output>,
): AnsweringTool<Input, Output> {
  return tool;
}

/** A named group of tools that a setting can switch on. */
export interface Toolset {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly AnyTool[];
}

/** A tool whose schemas only its own handler knows. */
export type AnyTool = Declaration & {
  handler(input: never, context: never): Promise<Record<string, unknown>>;
  readonly operation?: Operation;
  readonly scope?: Scope;
};

/** The scope that a credential must grant for a tool; undefined for those of the account. */
export function scopeOf({ operation, scope }: Pick<AnyTool, 'operation' | 'scope'>): Scope | undefined {
  return operation?.scope ?? scope;
}

/** A toolset of a connection, and whether the scopes of its credential open it. */
interface OpenedToolset {
  readonly toolset: string;
  /** `partly`: some of its tools need a scope that is missing. */
  readonly opened: 'yes' | 'partly' | 'no';
  /** Missing scopes, separated by commas. */
  readonly missing?: string;
}

/** Which of the offered toolsets the granted scopes open; enrichment may have a credential of its own. */
export function openedToolsets({ tools }: Offer, granted: readonly string[]): OpenedToolset[] {
  return [...new Set(tools.map(({ toolset }) => toolset))].map((toolset) => {
    const own = tools.filter((tool) => tool.toolset === toolset);
    const lacking = own.flatMap(({ scope }) => (scope !== undefined && !granted.includes(scope) ? [scope] : []));
    if (lacking.length === 0) return { toolset, opened: 'yes' };
    return { toolset, opened: lacking.length < own.length ? 'partly' : 'no', missing: [...new Set(lacking)].join(', ') };
  });
}

/** The first words of the description of a name that the next major version removes. */
export function deprecationWords({ since, use }: Deprecation): string {
  return `Deprecated since ${since}: use ${use}.`;
}

const deprecatedParams = new WeakMap<z.core.$ZodType, Deprecation>();

/** An argument that goes with the next major version: listed with the one that takes its place, to which its value is moved. */
export function deprecated<Schema extends z.ZodType>(schema: Schema, deprecation: Deprecation) {
  const listed = schema.optional().describe(deprecationWords(deprecation));
  deprecatedParams.set(listed, deprecation);
  return listed;
}

/** Since when an argument is deprecated, and for which; undefined where it is not. */
export function deprecationOf(schema: z.core.$ZodType | undefined): Deprecation | undefined {
  return schema && deprecatedParams.get(schema);
}
