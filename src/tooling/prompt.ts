import type { Completer } from './resource.ts';

/** One argument of a prompt, always text. */
export interface PromptArgument {
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
