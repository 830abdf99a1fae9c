import { nth } from '../../../lib/nth.ts';
/** Conditions that a view can meet. */
export const conditionKinds = ['slow_page', 'js_error', 'api_error', 'rage_click', 'frustration', 'page', 'variable'] as const;
/** A kind of condition at a view. */
type ConditionKind = (typeof conditionKinds)[number];

/** A condition in the caller's words. */
export interface AskedCondition {
  readonly what: ConditionKind;
  readonly pages?: readonly string[] | undefined;
  readonly overSeconds?: number | undefined;
  readonly over?: number | undefined;
  readonly message?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
}

/** Something that a view has or has not. */
export interface Condition {
  readonly what: Exclude<ConditionKind, 'variable'>;
  /** Patterns of the pages that are asked about; left out: every page with enough visits. */
  readonly pages?: readonly string[] | undefined;
  /** Of a slow page in seconds, of frustration a score; left out: chosen by the page. */
  readonly over?: number | undefined;
  /** Of an error: its text, numbers as `#` and addresses as `{address}`. */
  readonly message?: string | undefined;
}

/** Loading times in seconds from which a page may count as slow. */
export const SLOW_SECONDS = [2.5, 3, 4, 5, 6, 8, 10, 15] as const;
/** Scores from which a view may count as frustrating. */
export const FRUSTRATION_SCORES = [30, 50, 70] as const;
/** No more than this share of views counts as slow or frustrating where the caller names no limit. */
const MOST_OVER = 0.2;

/** The lowest limit which few enough views exceed; `exceeded` has how many exceed each one, in the order of the limits. */
export function usualLimit(limits: readonly number[], exceeded: readonly number[], views: number): number {
  const at = exceeded.findIndex((count) => count <= MOST_OVER * views);
  return nth(limits, at < 0 ? limits.length - 1 : at);
}

/** How texts that differ only in addresses and numbers are made equal, in order: a pattern of RE2, and what takes its place. */
export const MESSAGE_RULES = [
  [String.raw`https?://[^\s"'<>)]+`, '{address}'],
  [String.raw`[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9]+(\.[0-9]+)*`, '#'],
] as const;

/** A message without what differs from one occurrence to the next; the same as the engines make. */
export function groupedMessage(message: string): string {
  return MESSAGE_RULES.reduce((text, [pattern, replacement]) => text.replaceAll(new RegExp(pattern, 'g'), replacement), message);
}

const LONGEST_MESSAGE = 90;

/** How the condition is called in a sentence, without the page. */
export function conditionWords({ what, over, message }: Condition): string {
  if (what === 'slow_page') return over === undefined ? 'slow loading' : `loading over ${over} s`;
  if (what === 'frustration') return over === undefined ? 'frustration' : `frustration of ${over} or more`;
  if (what === 'js_error') {
    if (message === undefined) return 'a JavaScript error';
    return `error "${message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message}"`;
  }
  return { api_error: 'an API error', rage_click: 'a rage click', page: 'going there next' }[what];
}
