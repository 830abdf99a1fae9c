import type * as z from 'zod';
import type { Named } from '../analysis/names.ts';
import type { CallInput, Client } from '../api/client.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import type { ProjectWorkspace } from '../workspace/project-workspace.ts';
import type { WriteRequest } from './confirmation.ts';
import type { MakeChart } from './images.ts';
import type { NameKind } from './params.ts';

/** All four hints of the protocol, each stated. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Reads from the platform and changes nothing. */
export const READ: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
/** Adds to the platform; a second call adds again. */
export const CREATE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
/** Writes to the platform what a second call only writes again. */
export const OVERWRITE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true };
/** Removes from the platform for good. */
export const DELETE: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

/** Removes files of this machine for good; the platform keeps what it has. */
export const PURGE: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** A resource that an answer points to instead of holding it. */
export interface Link {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** The lists that a session keeps of the call's project; each is fetched once while it lives. */
export interface Lists {
  /** All objects of a kind. */
  readonly of: (kind: NameKind) => Promise<readonly Named[]>;
  /** The whole path of an object, where a list that was read holds it; else its id. Nothing is fetched. */
  readonly nameOf: (kind: NameKind, id: number) => string;
  /** Sends an operation whose answer may be some minutes old. */
  readonly ask: <T extends Operation>(operation: T, input: CallInput<T>) => Promise<PayloadOf<T>>;
}

/** What a handler may do and know; it neither formats nor catches. */
export interface ToolContext<O extends Operation = Operation> {
  /** Sends the tool's own operation; a confirmed tool's write waits for the confirmation here. */
  readonly call: (input: CallInput<O>, options?: { encoding?: 'form' | 'json' }) => Promise<PayloadOf<O>>;
  /** For a confirmed tool whose write is more than its own operation: goes on only with a consent to exactly this. */
  readonly confirm: (request: WriteRequest) => void;
  /** Sends another operation. */
  readonly ask: <T extends Operation>(operation: T, input: CallInput<T>) => Promise<PayloadOf<T>>;
  /** Tells the host how far a long call is; nothing that is needed may stand in it alone. */
  readonly progress: (done: number, total: number, message: string) => void;
  /** Lists of the call's project. */
  readonly lists: () => Promise<Lists>;
  /** Id of the project that the call goes to. */
  readonly projectId: () => Promise<number>;
  /** Downloaded exports of that project. */
  readonly workspace: () => Promise<ProjectWorkspace>;
  readonly client: Client;
  /** The `projectId` argument, for the few that pass it on. */
  readonly chosenProjectId: number | undefined;
  /** Adds one sentence to the notes of the answer. */
  readonly note: (sentence: string) => void;
  /** Adds a resource link to the answer. */
  readonly link: (link: Link) => void;
  /** Says how the chart of a `charted` tool is made; that happens only where the caller asks for it. */
  readonly draw: (make: MakeChart) => void;
  /** States the range that the answer covers, where no date parameter says it. */
  readonly covers: (startMs: number, endMs: number) => void;
  readonly nowMs: number;
  /** A program reads the answer and wants every row of it, instead of those that matter. */
  readonly whole: boolean;
  readonly timeZone: string;
  readonly signal: AbortSignal;
}

/** A tool as data with one handler. */
export interface Tool<O extends Operation = Operation, Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** One to three sentences for the model: what it does, where ids come from, what the numbers are. */
  readonly description: string;
  readonly annotations: Annotations;
  readonly operation: O;
  /** Parameters without `projectId`, and without `confirm` and `chart` of confirmed and charted tools. */
  readonly input: Input;
  readonly output: Output;
  /** Asks the person before the write leaves. */
  readonly confirmed?: true;
  /** Takes `chart: true` and draws through `draw`. */
  readonly charted?: true;
  /** The tool that lists the ids it takes or makes, for error messages. */
  readonly idsFrom?: string | undefined;
  /** The member that holds one page of a list, so that a full page is noted. */
  readonly paged?: string;
  /** What the text says of an answer whose records are long, with a note on what it leaves out; the structured content keeps every member. */
  readonly brief?: (data: z.output<Output>) => { readonly data: Record<string, unknown>; readonly note: string };
  /** The `page` of an answer again after the boundary kept only the first `shown` of its `rows`, so that no row falls between two pages. */
  readonly pageAfterCut?: (page: unknown, shown: number, asked: Record<string, unknown>) => unknown;
  /** Days before now in which answers may still change, where that depends on the arguments a function of them. */
  readonly provisionalDays?: number | ((input: Record<string, unknown>) => number);
  handler(input: z.output<Input>, context: ToolContext<O>): Promise<z.input<Output>>;
}

/** Returns the tool unchanged, with its types checked against its operation. */
export function defineTool<const O extends Operation, const Input extends z.ZodObject, const Output extends z.ZodObject>(
  tool: Tool<O, Input, Output>,
): Tool<O, Input, Output> {
  return tool;
}

/** A named group of tools that a setting can switch on. */
export interface Toolset {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tools: readonly AnyTool[];
}

/** A tool whose schemas only its own handler knows. */
export type AnyTool = Omit<Tool, 'handler' | 'brief'> & {
  handler(input: never, context: never): Promise<Record<string, unknown>>;
  readonly brief?: (data: never) => { readonly data: Record<string, unknown>; readonly note: string };
};
