import type { Ask, CallInput, CallOptions, Client } from '../api/client.ts';
import type { Observer } from '../api/observer.ts';
import type { Operation } from '../api/operation.ts';
import { previewOf, type WriteRequest } from '../api/write-request.ts';
import { pathOf } from '../domain/names/match-name.ts';
import type { RequestFacts } from '../telemetry/call-watch.ts';
import type { AnswerParts, MakeChart, NameParts, PlatformParts } from '../usecases/context.ts';
import { type Asked, type Consent, digestOf, requireConsent } from './confirmation.ts';
import type { ResolvedRange } from './resolve-dates.ts';
import type { Session } from './session.ts';
import { type AnyTool, type Link, type Offer, scopeOf, type ToolContext } from './tool.ts';

/**
 * The fate of a question: accepted with its box ticked, accepted without, declined by the person or the host, closed or not shown, or
 * nothing came back.
 */
export type Reply = 'accepted' | 'unticked' | 'declined' | 'closed' | 'unanswered';

/** The answer to the question of an earlier round, as it came. */
export interface Answered {
  readonly reply: Reply;
  /** The state that the question carried; it comes back from the client, so it is not trusted. */
  readonly state: unknown;
}

/** Facts about a call beside its arguments. */
export interface Caller {
  readonly session: Session;
  /** The tools of the connection; left out: all tools. */
  readonly offer?: Offer;
  readonly signal: AbortSignal;
  /** Left out where calls are not watched. */
  readonly request?: RequestFacts;
  /** Whether the caller can put a question to the person. */
  readonly canAsk: boolean;
  /** Sends progress of a long call, where the caller asked for it. */
  readonly progress?: ToolContext['progress'];
  readonly answered?: Answered;
  /** A program reads the answer: all rows, whatever they cost. */
  readonly whole?: true;
  /** It is the only call of its session: nothing was shown before. */
  readonly single?: true;
}

/** Arguments by name. */
export type Input = Record<string, unknown>;

/** The state of one running call. */
export interface Call {
  readonly tool: AnyTool;
  /** As they came. */
  readonly args: unknown;
  readonly input: Input;
  readonly caller: Caller;
  readonly client: Client;
  readonly nowMs: number;
  /** The consent of an earlier round. */
  readonly asked: Asked | undefined;
  readonly notes: string[];
  readonly links: Link[];
  /** Requests that were answered so far, by the platform or from what is kept. */
  readonly done: { answers: number };
  /** The call goes to several projects, and this is its part in one. */
  readonly isOneOfSeveral?: true;
  /** Set by the handler of a charted tool. */
  makeChart?: MakeChart;
  readonly options: {
    readonly signal: AbortSignal;
    readonly deadlineMs: number;
    readonly projectId?: number;
    readonly observe?: Observer | undefined;
    readonly onLeftOut: (sentence: string) => void;
    /** Set where the same was asked before: what was read by then is read anew, unless it never changes. */
    readonly newerThan: number | undefined;
    readonly onKept: (sinceMs: number) => void;
  };
}

/** Sends an operation; a write makes names be read anew, whatever becomes of it. */
function send<T extends Operation>({ client, caller, options, done }: Call, operation: T, request: CallInput<T>, how?: CallOptions) {
  const answer = client.call(operation, request, { ...options, ...how }).then((payload) => {
    done.answers += 1;
    return payload;
  });
  return operation.safe ? answer : answer.finally(() => caller.session.names.forget());
}

/** How a call asks the platform. */
export function askOf(call: Call): Ask {
  const { clock } = call.caller.session.options;
  const endOf = (withinMs: number) => Math.min(call.options.deadlineMs, clock.now() + withinMs);
  return (operation, request, { fresh, passing, withinMs } = {}) =>
    send(call, operation, request, { fresh, passing, ...(withinMs !== undefined && { deadlineMs: endOf(withinMs) }) });
}

/** Where the client can ask, only the person's answer counts; elsewhere the argument. */
function consentOf({ input, asked, caller: { canAsk } }: Call): Consent {
  if (canAsk) return asked ? { given: true, digest: asked.digest } : { given: false };
  return { given: input['confirm'] === true };
}

/** To a write that cannot be undone `confirm` counts only once the session was shown the warning with exactly this request. */
function consentTo(call: Call, request: WriteRequest): Consent {
  const consent = consentOf(call);
  const { canAsk, single, session } = call.caller;
  if (request.warning === undefined || canAsk || single) return consent;
  return session.repeats.wasShown(digestOf(request)) ? consent : { given: false };
}

/** The project that a write would go to; unknown where no token says it. */
async function projectOf({ tool, client, options }: Call): Promise<number | undefined> {
  try {
    return await client.projectId({ ...options, scope: scopeOf(tool) });
  } catch {
    return options.projectId;
  }
}

/** The parts of an answer that a handler's words go into. */
interface Speaking extends Pick<NameParts, 'zonesElsewhere'> {
  readonly range: ResolvedRange;
  readonly ask: Ask;
  readonly note: (sentence: string) => void;
}

/** The platform as the call may use it. */
function platformOf(call: Call, ask: Ask): PlatformParts {
  const { client, caller, nowMs, options } = call;
  const { session, signal } = caller;
  const { clock, timeZone, ownDomains = [], calendar = {} } = session.options;
  return {
    ask,
    remember: (key, make) => client.remember(JSON.stringify(key), make, options),
    confirm: (request) => requireConsent(consentOf(call), request),
    projectId: () => client.projectId(options),
    workspace: async () => session.workspace(await client.projectId(options)),
    clock,
    nowMs,
    timeZone,
    ownDomains,
    calendar,
    signal,
  };
}

/** The parts of the answer beside its data. */
function answerPartsOf(call: Call, { range, note }: Speaking): AnswerParts {
  return {
    note,
    progress: call.caller.progress ?? (() => undefined),
    draw(make) {
      call.makeChart = make;
    },
    covers(startMs, endMs) {
      range.start = { ms: startMs };
      range.end = { ms: endMs };
    },
    whole: call.caller.whole ?? false,
    isOneOfSeveral: call.isOneOfSeveral ?? false,
  };
}

/** The names of the project's objects. */
function namesOf({ client, caller, options }: Call, { ask, zonesElsewhere }: Speaking): NameParts {
  const { names } = caller.session;
  return {
    zonesElsewhere,
    async lists() {
      const projectId = await client.projectId(options);
      return {
        of: (kind, onPart) => names.list(kind, projectId, ask, onPart),
        nameOf(kind, id) {
          const known = names.known(kind, id, projectId);
          return known ? pathOf(known) : String(id);
        },
        ask: names.remembered(projectId, ask),
      };
    },
  };
}

/** The context of a tool's handler. */
export function contextOf(call: Call, speaking: Speaking): ToolContext {
  const { tool, caller, client, links, options } = call;
  // Assigned, not spread: an object of that many spread members is a hash table, five times as slow and twice as large.
  return Object.assign(platformOf(call, speaking.ask), answerPartsOf(call, speaking), namesOf(call, speaking), {
    async call(request, { question = `${tool.title}?`, warning, apart = false, ...extra } = {}) {
      const { operation } = tool;
      if (!operation) throw new TypeError(`${tool.name} stands for no operation; it asks for those that it needs`);
      if (tool.confirmed) {
        const preview = previewOf(operation, request, await projectOf(call), extra.encoding);
        const write = { question, ...preview, ...(warning && { warning }) };
        requireConsent(apart ? consentTo(call, write) : consentOf(call), write);
      }
      return send(call, operation, request, extra);
    },
    client,
    chosenProjectId: options.projectId,
    offer: caller.offer,
    link: (link: Link) => void links.push(link),
  } satisfies Partial<ToolContext>);
}
