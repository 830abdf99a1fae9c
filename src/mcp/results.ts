import type { ChartSpec } from '../views/spec.ts';
import { fitAnswer } from './budget.ts';
import type { Drawn, Image } from './images.ts';
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
  readonly image?: Image;
}

interface AnswerOptions {
  readonly session: Session;
  readonly links: readonly Link[];
  readonly redact: (text: string) => string;
  /** The arguments as given: who names a `limit` wants that many. */
  readonly asked: Record<string, unknown>;
  /** The chart that was asked for; it counts in no budget and stands in no text. */
  readonly drawn?: Drawn;
  /** No token budget. */
  readonly whole?: boolean | undefined;
}

function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactDeep(member, redact)]));
}

/** A chart without secrets. */
export function redactChart(chart: ChartSpec, redact: (text: string) => string): ChartSpec {
  return redactDeep(chart, redact) as ChartSpec; // texts stay texts
}

/** Strips data to the tool's output, cuts it to the budget, removes secrets, and makes the text from it. */
export function answerOf(tool: AnyTool, data: Record<string, unknown>, options: AnswerOptions): Answer {
  const { notes, ...documented } = outputOf(tool).parse(data);
  const whole = Array.isArray(notes) && notes.length > 0 ? { ...documented, notes } : documented;
  const maxTokens = options.session.options.maxResultTokens;
  const fitted = options.whole ? { structured: whole, told: whole } : fitAnswer(tool, whole, { maxTokens, asked: options.asked });
  const structured = redactDeep(fitted.structured, options.redact) as Record<string, unknown>;
  const told = fitted.told === fitted.structured ? structured : (redactDeep(fitted.told, options.redact) as Record<string, unknown>);
  const links = options.links.map((link) => redactDeep(link, options.redact) as Link);
  const { chart, image } = options.drawn ?? {};
  return { structured: chart ? { ...structured, chart } : structured, text: renderText(told), links, ...(image && { image }) };
}
