import { type ClientCapabilities, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../lib/clock.ts';
import type { Answered, Reply } from '../tooling/call-context.ts';
import type { Question } from '../tooling/call-tool.ts';
import { ANSWER_MS } from '../tooling/repeats.ts';

/** A client that can show a form; one that only opens addresses cannot ask. */
export function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
}

/** Whether a request is of the 2026-07-28 era, which has no requests to the client. */
export function isOf2026({ mcpReq: { envelope } }: ServerContext): boolean {
  return envelope !== undefined;
}

/** Longest text of a question. */
const QUESTION_CHARS = 4_000;

/** The form that the client shows to the person before a write: a box that is not ticked, because a press of Enter must confirm nothing. */
function formOf({ ask: { question, project, warning } }: Question) {
  const words = question.length > QUESTION_CHARS ? `${question.slice(0, QUESTION_CHARS).toWellFormed()}…` : question;
  const lines = [words, ...(project === undefined ? [] : [`Project: ${project}.`]), ...(warning === undefined ? [] : [warning])];
  const confirm = { type: 'boolean' as const, title: 'Yes', default: false };
  return { message: lines.join('\n'), requestedSchema: { type: 'object' as const, properties: { confirm }, required: ['confirm'] } };
}

/** The reply that came back to a question; only a ticked box is a yes. */
function replyOf(answer: { readonly action?: unknown; readonly content?: unknown } | undefined): Reply {
  if (answer === undefined) return 'unanswered';
  const { action, content } = answer;
  if (action === 'decline') return 'declined';
  if (action !== 'accept') return 'closed';
  return typeof content === 'object' && content !== null && Reflect.get(content, 'confirm') === true ? 'accepted' : 'unticked';
}

/** The answer that a call of the 2026-07-28 era brings to its question; undefined where none was asked. */
export function answeredIn({ mcpReq }: ServerContext): Answered | undefined {
  const state = mcpReq.requestState();
  const responses = mcpReq.inputResponses;
  if (state === undefined && responses === undefined) return undefined;
  // Checked by the SDK, which exports no type of it.
  return { reply: replyOf(responses?.['confirm'] as Parameters<typeof replyOf>[0]), state };
}

/** The result that asks in the 2026-07-28 era: the client calls again with the answer. */
export function questionIn2026(question: Question) {
  return inputRequired({ inputRequests: { confirm: inputRequired.elicit(formOf(question)) }, requestState: question.state });
}

/**
 * Asks the client in the 2025 era while the call waits. A client that refuses the request, or lets it lie, has not answered: some declare
 * that they can ask and cannot.
 */
export async function askIn2025(question: Question, { mcpReq }: ServerContext, clock: Clock): Promise<Reply> {
  const [late, done] = [new AbortController(), new AbortController()];
  const params = { mode: 'form', ...formOf(question) };
  const answer = mcpReq
    .send({ method: 'elicitation/create', params }, { signal: late.signal, timeout: 2 * ANSWER_MS })
    .then(replyOf, () => 'unanswered' as const);
  const wait = clock.sleep(ANSWER_MS, AbortSignal.any([mcpReq.signal, done.signal])).then(() => 'unanswered' as const);
  try {
    return await Promise.race([answer, wait]);
  } finally {
    done.abort();
    wait.catch(() => undefined);
    late.abort();
  }
}
