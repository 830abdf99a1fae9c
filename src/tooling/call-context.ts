import type { Ask, CallInput, CallOptions, Client } from '../api/client.ts';
import type { Operation } from '../api/operation.ts';
import { previewOf, type WriteRequest } from '../api/wire.ts';
import { pathOf } from '../names/match-name.ts';
import type { RequestFacts } from '../telemetry/call-watch.ts';
import { type Asked, type Consent, digestOf, requireConsent } from './confirmation.ts';
import type { ResolvedRange } from './resolve-params.ts';
import type { Session } from './session.ts';
import { type AnyTool, type Link, type MakeChart, type Offer, scopeOf, type ToolContext } from './tool.ts';

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
  readonly notes: readonly string[];
  /** Adds a sentence to the notes, once. */
  readonly note: (sentence: string) => void;
  /** The range that the arguments name, or the handler covers. */
  readonly range: ResolvedRange;
  readonly links: Link[];
  /** Requests that were answered so far, by the platform or from what is kept. */
  readonly done: { answers: number };
  /** The call goes to several projects, and this is its part in one. */
  readonly isOneOfSeveral?: true;
  /** Set by the handler of a charted tool. */
  makeChart?: MakeChart;
  readonly options: CallOptions & { readonly signal: AbortSignal; readonly deadlineMs: number };
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
  return (operation, request, { withinMs, ...how } = {}) =>
    send(call, operation, request, { ...how, ...(withinMs !== undefined && { deadlineMs: endOf(withinMs) }) });
}

const linkInto =
  (links: Link[]): ToolContext['link'] =>
  ({ name, mimeType, uri: uriOf, title: usual }, variables, title = usual) => {
    const uri = uriOf(variables);
    links.push({ uri, name, title, mimeType });
    return uri;
  };

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

/** The context of a tool's handler. */
export function contextOf(call: Call, zonesElsewhere: ToolContext['zonesElsewhere']): ToolContext {
  const { tool, caller, client, links, options, nowMs, note, range } = call;
  const { session, signal, offer, progress = () => undefined, whole = false } = caller;
  const { clock, timeZone, ownDomains = [], calendar = {} } = session.options;
  const ask = askOf(call);
  const projectId = () => client.projectId(options);
  return {
    ask,
    client,
    clock,
    nowMs,
    timeZone,
    ownDomains,
    calendar,
    signal,
    offer,
    note,
    progress,
    whole,
    projectId,
    zonesElsewhere,
    chosenProjectId: options.projectId,
    isOneOfSeveral: call.isOneOfSeveral ?? false,
    isDrawn: call.input['chart'] === true,
    remember: (key, make) => client.remember(JSON.stringify(key), make, options),
    confirm: (request) => requireConsent(consentOf(call), request),
    workspace: async () => session.workspace(await projectId()),
    link: linkInto(links),
    draw(make) {
      call.makeChart = make;
    },
    covers(startMs, endMs) {
      Object.assign(range, { start: { ms: startMs }, end: { ms: endMs } } satisfies ResolvedRange);
    },
    async lists() {
      const { names } = session;
      const id = await projectId();
      return {
        of: (kind, onPart) => names.list(kind, id, ask, onPart),
        nameOf(kind, objectId) {
          const known = names.known(kind, objectId, id);
          return known ? pathOf(known) : String(objectId);
        },
        ask: names.remembered(id, ask),
      };
    },
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
  };
}
