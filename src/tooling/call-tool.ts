import { check } from '../api/check-input.ts';
import type { Ask, Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Observer } from '../api/observer.ts';
import type { WriteRequest } from '../api/write-request.ts';
import { matchName, type Named, pathOf } from '../domain/names/match-name.ts';
import type { Clock } from '../lib/clock.ts';
import { callsOfProject } from '../lib/hint.ts';
import { ofSession, unmarked } from '../lib/note-mark.ts';
import { ORDERS_ARE_DATA, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import { isAppZone } from '../usecases/zone-kind.ts';
import { askOf, type Call, type Caller, contextOf, type Input, type Reply } from './call-context.ts';
import { errorText, outcomeOf, wayOn } from './call-errors.ts';
import { type Asked, digestOf, NeedsConfirmation } from './confirmation.ts';
import { deprecationWords } from './deprecation.ts';
import { understand } from './lenient-input.ts';
import { chosenProject, type Names } from './names.ts';
import { overProjects, type Project, projectsAsked, refuseSeveral, withoutProjects } from './over-projects.ts';
import type { ResolvedRange } from './resolve-dates.ts';
import { rangeWords, resolveParams } from './resolve-params.ts';
import { type Answer, answerOf, drawAnswer, notePage, redactChart } from './results.ts';
import { inputOf } from './schema.ts';
import type { Session } from './session.ts';
import { type AnyTool, changesSomething, scopeOf } from './tool.ts';

/** Where zones are looked for: the other projects of the credential, each asked with its own token. */
interface Elsewhere {
  readonly names: Pick<Names, 'list' | 'find' | 'zonesWithin'>;
  readonly projects: readonly Project[];
  readonly askFor: (projectId: number) => Ask;
  readonly nowMs: number;
}

/** With more projects, looking for a zone would cost more than it saves. */
const MOST_PROJECTS = 6;

/** Zones of one name that are listed. */
const MOST_LISTED = 4;

/** Zones of a project that a text names: one, those of its container, or several that are called so. */
async function zonesNamed(text: string, { id }: Project, { names, askFor }: Elsewhere): Promise<{ zones: readonly Named[]; of?: string }> {
  const ask = askFor(id);
  try {
    return { zones: [await names.find('zone', text, id, ask)] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  const match = await matchName(text, await names.list('zone', id, ask));
  if ('several' in match) return { zones: match.several };
  const within = await names.zonesWithin(text, id, ask);
  return within ? { zones: within.objects, of: `${within.kind} "${pathOf(within.container)}"` } : { zones: [] };
}

/**
 * A sentence on the project in which a text names zones of an app, which has to be passed by its id; empty where no other project is
 * known to have any. Zones lie in one project, and only those of an app have metrics.
 */
async function zonesElsewhere(text: string, elsewhere: Elsewhere): Promise<string> {
  const { projects, askFor, nowMs } = elsewhere;
  if (projects.length === 0 || projects.length > MOST_PROJECTS) return '';
  for (const project of projects) {
    const { zones, of } = await zonesNamed(text, project, elsewhere).catch(() => ({ zones: [], of: undefined }));
    const [first] = zones;
    if (!first || !(await isAppZone(first.id, { ask: askFor(project.id), nowMs }))) continue;
    const listed = zones.slice(0, MOST_LISTED).map((zone) => `${zone.id} "${pathOf(zone)}"`);
    const what = of === undefined ? listed.join(', ') : `${of} with ${zones.length} zones`;
    return `As zones of an app project ${project.id} (${project.name}) has ${what}: call again with projectId "${project.id}".`;
  }
  return '';
}

/** Whether a call failed because a zone is not known here, or has no metrics. */
const isAboutZones = ({ kind, message }: ApiError) =>
  (kind === 'invalid' && /^zoneIds?\b/.test(message)) || (kind === 'missing' && message.includes('/metrics/zone/'));

/** The way that leads on before the failure; what is found here has no metrics, so choosing among it would lead nowhere. */
function beforeOthers(sentence: string, message: string): string {
  const [, place = '', rest = message] = /^(zoneIds?[^:\s]*: )(.*)$/s.exec(message) ?? [];
  return `${place}${sentence} In this project: ${rest.replace(' Pass the id or a longer path.', '')}`;
}

/** The failure of a call that named zones, with the project in which one of them is a zone of an app; any other failure as it is. */
async function withZonesElsewhere(texts: readonly string[], error: unknown, find: () => Promise<Elsewhere>): Promise<unknown> {
  const [text] = texts;
  if (!(error instanceof ApiError) || text === undefined || !isAboutZones(error)) return error;
  const sentence = await zonesElsewhere(text, await find()).catch(() => '');
  if (sentence === '') return error;
  const { kind, message, status, code, retryAfterMs, transient } = error;
  return new ApiError(kind, beforeOthers(sentence, message), { status, code, retryAfterMs, transient, cause: error, saysWayOn: true });
}

/** No call lasts longer, whatever it does: hosts give up soon after. */
const MAX_CALL_MS = 40_000;

/** A question that has to be put to the person before anything is sent. */
export interface Question {
  readonly ask: WriteRequest;
  /** Sealed; it has to come back with the answer. */
  readonly state: string;
}

/** An answer, or a question first. */
export type Outcome = Answer | Question;

/** Runs one tool from raw arguments to a finished answer; never throws, a failure is an answer with `isError`. */
export async function callTool(tool: AnyTool, args: unknown, caller: Caller): Promise<Outcome> {
  const { session, signal, request } = caller;
  const watched = request && session.options.watch?.begin({ kind: 'tool', name: tool.name, ...request });
  const progress: Progress = { redact: (text) => text, done: { answers: 0 } };
  try {
    const outcome = await outcomeFor(tool, args, caller, progress, watched?.observe);
    watched?.end('ask' in outcome ? 'question' : 'ok');
    return outcome;
  } catch (error) {
    watched?.end(outcomeOf(error, signal));
    return failure(error, tool, caller, progress);
  }
}

/** How far a call got: its failure is worded by that. */
interface Progress {
  /** Removes the secrets that are known by then. */
  redact: (text: string) => string;
  readonly done: Call['done'];
  /** The project that the call chose, once that is known. */
  projectId?: number | undefined;
}

async function outcomeFor(tool: AnyTool, args: unknown, caller: Caller, progress: Progress, observe?: Observer): Promise<Outcome> {
  const { session, signal } = caller;
  session.options.admit?.();
  await session.options.takeTurn?.();
  // First, because without a credential no argument helps, and because it knows which secrets to redact.
  const client = await session.client();
  progress.redact = client.redact;
  const schema = inputOf(tool);
  await refuseSeveral({ name: tool.name, shape: schema.shape, isOfMetrics: scopeOf(tool) === 'metrics' }, args, { client, signal });
  const understood = understand(schema, args ?? {}, { guess: !changesSomething(tool) });
  const input = check(schema, understood.input);
  const asked = await redeemed(tool, args, caller);
  const refusal = asked && caller.answered && REFUSALS[caller.answered.reply];
  if (refusal !== undefined) return declined(tool, caller, refusal);
  const notes = [...understood.notes];
  const note = noting(notes);
  const projectId = await projectOfCall(tool, input, { client, session, signal, note });
  progress.projectId = projectId;
  const newerThan = session.repeats.isRepeat(tool.name, args) ? client.readsBegun() : undefined;
  const hears = { observe, onLeftOut: note, onKept: notingAge(note, session.options.clock) };
  const begun = beginning(caller, projectId, asked, { ...hears, newerThan });
  return run({ tool, args, input, caller, client, asked, ...begun, done: progress.done, notes, links: [] });
}

/** The project that the arguments name, or the one that holds what they name; undefined where that is for the credential to say. */
async function projectOfCall(
  tool: AnyTool,
  input: Input,
  { client, session, signal, note }: { client: Client; session: Session; signal: AbortSignal; note: (sentence: string) => void },
): Promise<number | undefined> {
  const text = typeof input['projectId'] === 'string' ? input['projectId'] : undefined;
  const chosen = await chosenProject(text, { client, signal, ...(!changesSomething(tool) && { note }) });
  if (!tool.holderOf) return chosen;
  const { projects } = await client.credential({ signal });
  if (projects.length < 2) return chosen;
  const holder = await tool.holderOf(input, await Promise.all(projects.map(({ id }) => session.workspace(id))));
  if (chosen === undefined || holder === undefined || holder.projectId === chosen) return chosen ?? holder?.projectId;
  throw new ApiError('invalid', `projectId: what is named is of project ${holder.projectId}, not of ${chosen}; leave projectId out.`);
}

/** The question of an earlier round that was answered; undefined where none was put, or nothing came back. */
async function redeemed(tool: AnyTool, args: unknown, { session, canAsk, answered }: Caller): Promise<Asked | undefined> {
  if (!tool.confirmed || !canAsk || !answered) return undefined;
  const asked = await session.confirmations.redeem(answered.state, { tool: tool.name, args });
  session.repeats.settle(asked.digest);
  return asked;
}

/** Why nothing is sent after a question; undefined after a yes. */
const REFUSALS: Readonly<Record<Reply, string | undefined>> = {
  accepted: undefined,
  unanswered: undefined,
  unticked: 'The question came back without its box ticked; nothing was sent.',
  declined: 'The question was declined, by the person or the host; nothing was sent.',
  closed: 'The question was closed or could not be shown; nothing was sent. Ask the user; the same call asks again.',
};

function failure(error: unknown, tool: AnyTool, { session, signal, offer }: Caller, { redact, done, projectId }: Progress): Answer {
  const report = { log: session.options.log, redact, signal, projectId };
  const text = [redact(errorText(error, tool, report, offer?.absent)), wayOn(error, done.answers)].filter(Boolean).join('\n');
  const words = readsAsOrders(text) ? `${text}\n${ORDERS_ARE_DATA}` : text;
  return { isError: true, text: clipped(unrendered(words), 4 * session.options.maxResultTokens), links: [] };
}

/** An error is an answer too: it keeps its limit, whatever the arguments or the platform put into it. */
function clipped(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** Adds each sentence once. */
function noting(notes: string[]): (sentence: string) => void {
  return (sentence) => void (notes.includes(sentence) || notes.push(sentence));
}

/** An answer that is older is said to be: younger ones are as good as new. */
const OLD_MS = 60_000;

/** Says of when an answer is that was kept for longer; once, of the first. */
function notingAge(note: (sentence: string) => void, clock: Clock): (sinceMs: number) => void {
  let isNoted = false;
  return (sinceMs) => {
    if (isNoted || clock.now() - sinceMs < OLD_MS) return;
    isNoted = true;
    note(`As of ${new Date(sinceMs).toISOString()}, from memory; asking the same again reads it anew.`);
  };
}

function beginning(
  { session, signal }: Caller,
  projectId: number | undefined,
  asked: Asked | undefined,
  more: Pick<Call['options'], 'observe' | 'onLeftOut' | 'newerThan' | 'onKept'>,
) {
  const startedMs = session.options.clock.now();
  const chosen = projectId === undefined ? {} : { projectId };
  return { nowMs: asked?.nowMs ?? startedMs, options: { signal, deadlineMs: startedMs + MAX_CALL_MS, ...more, ...chosen } };
}

function declined(tool: AnyTool, { session, offer }: Caller, why: string): Answer {
  const data = { status: 'declined', notes: [why] };
  return answerOf(tool, data, { session, offer, redact: (text) => text, links: [], asked: {} });
}

/** The instant of the speed event that a text names in place of a date. */
async function eventNamedBy(text: string, ask: Ask) {
  const { eventAt } = await import('../usecases/speed/event-named.ts');
  return eventAt(text, ask);
}

/** Runs the handler for the project of the call; the range that its arguments name goes into `range`. */
async function handled(call: Call, range: ResolvedRange, note: (sentence: string) => void): Promise<Record<string, unknown>> {
  const { tool, input, caller, client, nowMs } = call;
  const { names, options } = caller.session;
  const ask = askOf(call);
  const zoneTexts: string[] = [];
  try {
    const { input: resolved, range: named } = await resolveParams(tool.input, input, {
      nowMs,
      timeZone: options.timeZone,
      note,
      tool: changesSomething(tool) ? tool.name : undefined,
      operation: tool.operation,
      find: async (kind, text) => {
        if (kind === 'zone') zoneTexts.push(text);
        return names.find(kind, text, await client.projectId(call.options), ask, !changesSomething(tool));
      },
      list: async (kind) => names.list(kind, await client.projectId(call.options), ask),
      eventAt: scopeOf(tool) === 'speed-analysis' && !changesSomething(tool) ? (text) => eventNamedBy(text, ask) : undefined,
      within: async (kind, text) => (kind === 'zone' ? names.zonesWithin(text, await client.projectId(call.options), ask) : undefined),
    });
    Object.assign(range, named);
    const { projectId: _project, confirm: _confirm, chart: _chart, ...own } = resolved;
    // Each handler takes the types of its own schemas, which only the tool itself knows.
    return await tool.handler(own as never, contextOf(call, { range, ask, note, zonesElsewhere: elsewhereOf(call) }) as never);
  } catch (error) {
    throw await withZonesElsewhere(zoneTexts, error, () => otherProjects(call));
  }
}

/** Words on zones of other projects; empty too where these cannot be read. */
function elsewhereOf(call: Call): (text: string) => Promise<string> {
  return async (text) => {
    try {
      return await zonesElsewhere(text, await otherProjects(call));
    } catch (error) {
      if (error instanceof ApiError) return '';
      throw error;
    }
  };
}

/** The projects beside that of the call, where the call did not choose its own. */
async function otherProjects(call: Call): Promise<Elsewhere> {
  const { client, caller, input, nowMs } = call;
  const isChosen = input['projectId'] !== undefined || input['projectIds'] !== undefined;
  const [own, { projects }] = await Promise.all([client.projectId(call.options), client.credential({ signal: caller.signal })]);
  return {
    names: caller.session.names,
    projects: isChosen ? [] : projects.filter(({ id }) => id !== own),
    askFor: (projectId) => askOf({ ...call, options: { ...call.options, projectId } }),
    nowMs,
  };
}

/** The same for several projects, in one table; a picture would be of one of them. */
async function handledForEach(
  projects: readonly Project[],
  call: Call,
  range: ResolvedRange,
  note: (sentence: string) => void,
): Promise<Record<string, unknown>> {
  const input = withoutProjects(call.input);
  const { data, notes } = await overProjects(projects, call.input, (project, own) =>
    handled({ ...call, input, isOneOfSeveral: true, options: { ...call.options, projectId: project.id } }, range, (sentence) =>
      own(callsOfProject(sentence, project.id)),
    ),
  );
  for (const sentence of notes) note(sentence);
  return data;
}

async function run(call: Call): Promise<Outcome> {
  const { tool, input, caller, client, nowMs, notes, links } = call;
  const { session, offer } = caller;
  const note = noting(notes);
  const range: ResolvedRange = {};
  try {
    const projects = await projectsAsked(input, { client, signal: caller.signal, note });
    const data = projects ? await handledForEach(projects, call, range, note) : await handled(call, range, note);
    notePage(tool, data, input, note);
    if (tool.deprecated) note(deprecationWords(tool.deprecated));
    if (!projects) noteProject(call, note);
    const drawn = input['chart'] === true ? await drawnOf(call) : undefined;
    if (drawn) note(drawn.note);
    const described = await describedRange(call, range);
    const all = [...notes, ...described.notes];
    const said = caller.single ? all.map(unmarked) : session.said.shorten(all);
    const whole = { ...data, ...(tool.confirmed && { status: 'done' }), ...described.range, notes: said };
    return answerOf(tool, whole, {
      session,
      offer,
      redact: client.redact,
      links,
      asked: input,
      whole: caller.whole,
      projectId: call.options.projectId,
      ...(drawn && { drawn }),
    });
  } catch (error) {
    if (!(error instanceof NeedsConfirmation)) throw error;
    const { request } = error;
    if (!caller.canAsk) return previewed(call, request, await describedRange(call, range));
    const digest = digestOf(request);
    // The client has let the same question lie: some cannot show one, although they say so.
    if (session.repeats.wasLeftOpen(digest) && input['confirm'] === true) return run({ ...call, caller: { ...caller, canAsk: false } });
    const state = session.confirmations.seal({ digest, nowMs }, { tool: tool.name, args: call.args });
    return { ask: request, state };
  }
}

function describedRange({ tool, input, nowMs, caller: { session } }: Call, range: ResolvedRange) {
  const stated = typeof tool.provisionalDays === 'function' ? tool.provisionalDays(input) : tool.provisionalDays;
  const provisionalDays = stated ?? (scopeOf(tool) === 'metrics' ? 0 : undefined);
  return rangeWords(range, { timeZone: session.options.timeZone, nowMs, provisionalDays });
}

/** The picture of an answer, which names the project also where there is only one. */
function drawnOf({ input, client, options, makeChart }: Call) {
  const isOfOne = input['projectIds'] === undefined;
  const project = isOfOne ? client.chosenProject(options.projectId, { orOnly: true })?.name : undefined;
  return drawAnswer(makeChart, { clean: (chart) => redactChart(chart, client.redact), project });
}

/** Names the project where the credential reaches several. */
function noteProject({ tool, client, options }: Call, note: (sentence: string) => void): void {
  const project = tool.operation?.base === 'auth' ? undefined : client.chosenProject(options.projectId);
  if (project) note(ofSession('project', `Project: ${project.name} (${project.id}).`));
}

type Described = Awaited<ReturnType<typeof rangeWords>>;

function previewed(
  { tool, caller: { session, offer, answered }, client, notes, options }: Call,
  { question, ...request }: WriteRequest,
  described: Described,
): Answer {
  const unasked = answered?.reply === 'unanswered' ? ['The client did not answer the question; it may not be able to show one.'] : [];
  const [words = ''] = question.split('\n');
  const next = 'Nothing was sent. Show this to the user; call again with confirm: true to send it.';
  const data = {
    status: 'preview',
    request,
    ...described.range,
    notes: [...notes, ...described.notes, ...unasked, words, next].map(unmarked),
  };
  return answerOf(tool, data, { session, offer, redact: client.redact, links: [], asked: {}, projectId: options.projectId });
}
