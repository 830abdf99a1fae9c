import type { AskTool } from '../ask.ts';

/** What an earlier question found out for a later one. */
export interface Memory {
  /** The server's present when the demo began. */
  readonly nowMs: number;
  /** Result of a step that became slow. */
  slowStep?: string;
}

/** What a user asks, and how an assistant finds the answer. */
export interface Question {
  readonly text: string;
  readonly answer: (ask: AskTool, memory: Memory) => Promise<void>;
}
