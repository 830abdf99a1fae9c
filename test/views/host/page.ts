import type { CallToolResult } from '@modelcontextprotocol/client';

/** A call of a tool as the view sends it. */
export interface ToolCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}

/** What the host page offers to a test, as `globalThis.host`. */
export interface HostPage {
  /** Opens the view in a frame and resolves once it has introduced itself. */
  open(options: {
    context: Record<string, unknown>;
    widthPx: number;
    args?: Record<string, unknown>;
    /** The test answers calls through `answerCall`. */
    callsTools?: boolean;
  }): Promise<void>;
  result(result: CallToolResult): Promise<void>;
  context(changed: Record<string, unknown>): Promise<void>;
  resize(widthPx: number): void;
  /** Sizes that the view asked for, in order. */
  readonly sizes: { width?: number | undefined; height?: number | undefined }[];
  /** Tools that the view called, with their arguments. */
  readonly calls: ToolCall[];
  /** What the view told the assistant, in order. */
  readonly told: string[];
}
