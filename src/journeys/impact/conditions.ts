import * as z from 'zod';
import { nth } from '../../lib/nth.ts';

/** Conditions that a view can meet. */
export const conditionKinds = ['slow_page', 'js_error', 'api_error', 'rage_click', 'frustration', 'page', 'variable'] as const;

/** A text of a question. */
export const questionText = z.string().trim().min(1);

/** A condition in the caller's words. */
export const askedCondition = z.strictObject({
  what: z.enum(conditionKinds),
  pages: z.array(questionText).min(1).describe('/p/*').optional(),
  overSeconds: z.number().positive().describe('slow_page').optional(),
  over: z.number().min(1).max(100).describe('Score').optional(),
  message: questionText.describe('Error').optional(),
  name: questionText.describe('Variable').optional(),
  value: questionText.describe('Variant').optional(),
});
/** A condition in the caller's words. */
export type AskedCondition = z.output<typeof askedCondition>;

/**
 * Something that a view has or has not. `pages`: patterns, left out every page with enough visits; `over`: of a slow page in seconds, of
 * frustration a score, left out chosen by the page; `message`: the text of an error, numbers as `#` and addresses as `{address}`.
 */
export interface Condition extends Pick<AskedCondition, 'pages' | 'over' | 'message'> {
  readonly what: Exclude<AskedCondition['what'], 'variable'>;
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
