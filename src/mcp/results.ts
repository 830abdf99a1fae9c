import { countTokens, fitToBudget } from '../lib/token-budget.ts';
import { renderText } from './render-text.ts';
import type { Session } from './session.ts';
import { outputOf } from './shapes.ts';
import type { AnyTool, Link } from './tool.ts';

/** A finished answer: both channels say the same. */
export interface Answer {
  readonly isError?: true;
  readonly structured?: Record<string, unknown>;
  readonly text: string;
  readonly links: readonly Link[];
}

/** What an answer may cost when the caller asked for nothing special, in tokens. */
const USUAL_TOKENS = 2_000;

interface AnswerOptions {
  readonly session: Session;
  readonly links: readonly Link[];
  readonly redact: (text: string) => string;
  /** The arguments as given: who names a `limit` wants that many. */
  readonly asked: Record<string, unknown>;
}

function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactDeep(member, redact)]));
}

/** The list that makes an answer long. */
function longestList(data: Record<string, unknown>): string | undefined {
  const lists = Object.entries(data).filter(([name, value]) => Array.isArray(value) && name !== 'notes' && name !== 'columns');
  const sized = lists.map(([name, value]) => ({ name, size: JSON.stringify(value).length }));
  return sized.toSorted((a, b) => b.size - a.size)[0]?.name;
}

function budgetOf(tool: AnyTool, { session, asked }: AnswerOptions): number {
  const { maxResultTokens } = session.options;
  const mayAskForMore = 'limit' in tool.input.shape;
  return mayAskForMore && asked['limit'] === undefined ? Math.min(USUAL_TOKENS, maxResultTokens) : maxResultTokens;
}

function howToNarrow(tool: AnyTool, budget: number, maxResultTokens: number): string {
  const names = Object.keys(tool.input.shape);
  if (names.includes('limit') && budget < maxResultTokens) return 'pass limit to see more';
  return names.length > 0 ? `narrow with ${names.join(', ')}` : 'the rest does not fit into an answer';
}

/** Drops whole trailing items until both channels fit, and says so. */
function fit(tool: AnyTool, data: Record<string, unknown>, options: AnswerOptions): Record<string, unknown> {
  const budget = budgetOf(tool, options);
  const measure = (candidate: Record<string, unknown>) =>
    Math.max(countTokens(JSON.stringify(candidate)), countTokens(renderText(candidate)));
  const name = longestList(data);
  if (name === undefined || measure(data) <= budget) return data;
  const narrow = howToNarrow(tool, budget, options.session.options.maxResultTokens);
  const room = budget - 40; // for the note itself
  const { data: fitted, shown, total } = fitToBudget(data, name, room, measure);
  const notes = Array.isArray(data['notes']) ? data['notes'] : [];
  return shown < total ? { ...fitted, notes: [`Showing ${shown} of ${total} ${name}; ${narrow}.`, ...notes] } : data;
}

/** Strips data to the tool's output, cuts it to the budget, removes secrets, and makes the text from it. */
export function answerOf(tool: AnyTool, data: Record<string, unknown>, options: AnswerOptions): Answer {
  const { notes, ...documented } = outputOf(tool).parse(data);
  const whole = Array.isArray(notes) && notes.length > 0 ? { ...documented, notes } : documented;
  const structured = redactDeep(fit(tool, whole, options), options.redact) as Record<string, unknown>;
  const links = options.links.map((link) => redactDeep(link, options.redact) as Link);
  return { structured, text: renderText(structured), links };
}
