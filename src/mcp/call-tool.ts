import { check } from '../api/check-input.ts';
import type { CallInput, Client } from '../api/client.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import { DEFAULT_PAGE_SIZE } from '../api/params.ts';
import { type Consent, NeedsConfirmation, requireConsent, type WriteRequest } from './confirmation.ts';
import { previewOf } from './preview.ts';
import { rangeWords } from './ranges.ts';
import { type ResolvedRange, resolveParams } from './resolve.ts';
import { type Answer, answerOf } from './results.ts';
import type { Session } from './session.ts';
import { inputOf } from './shapes.ts';
import type { AnyTool, Link, ToolContext } from './tool.ts';
import { errorText } from './tool-errors.ts';

/** No call lasts longer, whatever it does (tools.md). */
const MAX_CALL_MS = 40_000;

/** What a caller brings beside the arguments. */
export interface Caller {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Whether the caller can put a question to the person. */
  readonly canAsk: boolean;
  /** The person's answer to the question of an earlier round, with the digest it was asked for. */
  readonly answered?: { readonly accepted: boolean; readonly digest: string };
}

/** An answer, or a question that has to be put to the person first. */
export type Outcome = Answer | { readonly ask: WriteRequest };

/** The project that a write would go to; unknown where no token says it. */
async function projectOf(client: Client, options: { projectId?: number; signal: AbortSignal }): Promise<number | undefined> {
  try {
    return await client.projectId(options);
  } catch {
    return options.projectId;
  }
}

function consentOf(tool: AnyTool, input: Record<string, unknown>, caller: Caller): Consent {
  if (!tool.confirmed) return { given: true };
  if (caller.canAsk) return caller.answered?.accepted ? { given: true, digest: caller.answered.digest } : { given: false };
  return { given: input['confirm'] === true };
}

/** A page that is full may not be the last: the interface does not say how many there are. */
function notePage(tool: AnyTool, data: Record<string, unknown>, limit: unknown, note: (sentence: string) => void): void {
  const items = tool.paged === undefined ? undefined : data[tool.paged];
  const size = typeof limit === 'number' ? limit : DEFAULT_PAGE_SIZE;
  if (Array.isArray(items) && items.length >= size)
    note(`A full page of ${size}: there may be more; pass page (2, 3 …) or a larger limit.`);
}

/** Runs one tool from raw arguments to a finished answer; never throws, a failure is an answer with `isError`. */
export async function callTool(tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  const { session } = caller;
  const notes: string[] = [];
  const links: Link[] = [];
  let redact = (text: string): string => text;
  try {
    const schema = inputOf(tool);
    const input = check(schema, args ?? {}, Object.keys(schema.shape));
    if (tool.confirmed && caller.canAsk && caller.answered?.accepted === false) {
      return answerOf(
        tool,
        { status: 'declined', notes: ['The person declined; nothing was sent.'] },
        { session, redact, links, asked: input },
      );
    }
    const client = await session.client();
    redact = client.redact;
    const { clock, timeZone } = session.options;
    const nowMs = clock.now();
    const chosen = input['projectId'] as number | undefined;
    const options = { signal: caller.signal, deadlineMs: nowMs + MAX_CALL_MS, ...(chosen !== undefined && { projectId: chosen }) };
    const consent = consentOf(tool, input, caller);
    const ask = <T extends Operation>(operation: T, request: CallInput<T>): Promise<PayloadOf<T>> =>
      client.call(operation, request, options);
    const note = (sentence: string): void => void (notes.includes(sentence) || notes.push(sentence));

    const { input: resolved, range } = await resolveParams(tool.input, input, {
      nowMs,
      timeZone,
      note,
      find: async (kind, text) => session.names.find(kind, text, await client.projectId(options), ask),
    });
    const covered: ResolvedRange = range;

    const context: ToolContext = {
      ask,
      async call(request, extra) {
        if (tool.confirmed) requireConsent(consent, previewOf(tool.operation, request, await projectOf(client, options)));
        const payload = await client.call(tool.operation, request, { ...options, ...extra });
        if (!tool.operation.safe) session.names.forget();
        return payload;
      },
      projectId: () => client.projectId(options),
      client,
      chosenProjectId: chosen,
      note,
      link: (link) => void links.push(link),
      covers(startMs, endMs) {
        covered.start = { iso: new Date(startMs).toISOString(), ms: startMs };
        covered.end = { iso: new Date(endMs).toISOString(), ms: endMs };
      },
      nowMs,
      timeZone,
      signal: caller.signal,
    };
    const { projectId: _project, confirm: _confirm, ...own } = resolved;
    const data = await tool.handler(own as never, context as never);
    notePage(tool, data, input['limit'], note);
    const described = await rangeWords(covered, { timeZone, nowMs, provisionalDays: tool.provisionalDays });
    const whole = { ...data, ...(tool.confirmed && { status: 'done' }), ...described.range, notes: [...notes, ...described.notes] };
    return answerOf(tool, whole, { session, redact, links, asked: input });
  } catch (error) {
    if (error instanceof NeedsConfirmation) {
      if (caller.canAsk) return { ask: error.request };
      const preview = {
        status: 'preview',
        request: error.request,
        notes: [...notes, 'Nothing was sent. Show this to the user; call again with confirm: true to send it.'],
      };
      return answerOf(tool, preview, { session, redact, links, asked: {} });
    }
    return { isError: true, text: redact(errorText(error, tool)), links: [] };
  }
}
