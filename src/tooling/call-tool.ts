import { check } from '../api/check-input.ts';
import type { Ask, Client } from '../api/client.ts';
import { ApiError, onApiError, reworded } from '../api/errors.ts';
import type { Observer } from '../api/operation.ts';
import type { WriteRequest } from '../api/wire.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { shownHints } from '../lib/hint.ts';
import { ofAnswer, unmarked } from '../lib/note-mark.ts';
import { present } from '../lib/sentences.ts';
import { ORDERS_ARE_DATA, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import { matchName, type Named, pathOf } from '../names/match-name.ts';
import { isAppZone } from '../names/zone-kind.ts';
import { askOf, type Call, type Caller, contextOf, type Input, type Reply } from './call-context.ts';
import { errorText, outcomeOf, wayOn } from './call-errors.ts';
import { type Asked, digestOf, NeedsConfirmation } from './confirmation.ts';
import { understand } from './lenient-input.ts';
import { chosenProject, type Names } from './names.ts';
import { overProjects, type Project, projectsAsked, refuseSeveral, withoutProjects } from './over-projects.ts';
import { rangeWords, resolveParams } from './resolve-params.ts';
import { type Answer, answerOf, drawAnswer, notePage } from './results.ts';
import { inputOf } from './schema.ts';
import type { Session } from './session.ts';
import { type AnyTool, changesSomething, deprecationWords, scopeOf } from './tool.ts';

/** With more projects, looking for a zone would cost more than it saves. */
const MOST_PROJECTS = 6;

/** Zones of one name that are listed. */
const MOST_LISTED = 4;

/** Zones of a project that a text names: one, those of its container, or several that are called so. */
async function zonesNamed(text: string, projectId: number, names: Names, ask: Ask): Promise<{ zones: readonly Named[]; of?: string }> {
  try {
    return { zones: [await names.find('zone', text, projectId, ask)] };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  const match = await matchName(text, await names.list('zone', projectId, ask));
  if ('several' in match) return { zones: match.several };
  const within = await names.zonesWithin(text, projectId, ask);
  return within ? { zones: within.objects, of: `${within.kind} "${pathOf(within.container)}"` } : { zones: [] };
}

/**
 * A sentence on the project in which a text names zones of an app, which has to be passed by its id; empty where no other project is
 * known to have any, or the call chose its project. Zones lie in one project, and only those of an app have metrics.
 */
async function zonesElsewhere(text: string, call: Call): Promise<string> {
  const { client, caller, input, nowMs, options } = call;
  if (input['projectId'] !== undefined || input['projectIds'] !== undefined) return '';
  const [own, { projects }] = await Promise.all([client.projectId(options), client.credential({ signal: caller.signal })]);
  const others = projects.filter(({ id }) => id !== own);
  for (const { id, name } of others.length > MOST_PROJECTS ? [] : others) {
    const ask = askOf({ ...call, options: { ...options, projectId: id } });
    const { zones, of } = await zonesNamed(text, id, caller.session.names, ask).catch(() => ({ zones: [], of: undefined }));
    const [first] = zones;
    if (!first || !(await isAppZone(first.id, { ask, nowMs }))) continue;
    const listed = zones.slice(0, MOST_LISTED).map((zone) => `${zone.id} "${pathOf(zone)}"`);
    const what = of === undefined ? listed.join(', ') : `${of} with ${zones.length} zones`;
    return `As zones of an app project ${id} (${name}) has ${what}: call again with projectId "${id}".`;
  }
  return '';
}

/** The same; empty too where the other projects cannot be read. */
const knownZonesElsewhere = (text: string, call: Call) => zonesElsewhere(text, call).catch(onApiError(() => ''));

/** Whether a call failed because a zone is not known here, or has no metrics. */
const isAboutZones = ({ kind, message }: ApiError) =>
  (kind === 'invalid' && /^zoneIds?\b/.test(message)) || (kind === 'missing' && message.includes('/metrics/zone/'));

/**
 * The failure of a call that named a zone, behind the project in which it is a zone of an app; any other failure as it is. What is found
 * here has no metrics, so choosing among it would lead nowhere.
 */
async function withZonesElsewhere(text: string | undefined, error: unknown, call: Call): Promise<unknown> {
  if (!(error instanceof ApiError) || text === undefined || !isAboutZones(error)) return error;
  const sentence = await knownZonesElsewhere(text, call);
  const here = error.message.replace(' Pass the id or a longer path.', '');
  return sentence === '' ? error : reworded(error, `${sentence} In this project: ${here}`, { saysWayOn: true });
}

/** No call for a host lasts longer, whatever it does: hosts give up soon after. */
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
  const { clock, admit, takeTurn } = session.options;
  admit?.();
  await takeTurn?.();
  // First, because without a credential no argument helps, and because it knows which secrets to redact.
  const client = await session.client();
  progress.redact = client.redact;
  await refuseSeveral(tool, args, { client, signal });
  const schema = inputOf(tool);
  const { input: understood, notes } = understand(schema, args ?? {}, { guess: !changesSomething(tool) });
  const input = check(schema, understood);
  const asked = await redeemed(tool, args, caller);
  const refusal = asked && caller.answered && REFUSALS[caller.answered.reply];
  const note = (sentence: string) => void (notes.includes(sentence) || notes.push(sentence));
  const projectId = await projectOfCall(tool, input, { client, session, signal, note });
  progress.projectId = projectId;
  const startedMs = clock.now();
  const call: Call = {
    tool,
    args,
    input,
    caller,
    client,
    asked,
    notes,
    note,
    nowMs: asked?.nowMs ?? startedMs,
    range: {},
    links: [],
    done: progress.done,
    options: {
      signal,
      deadlineMs: caller.whole ? Number.POSITIVE_INFINITY : startedMs + MAX_CALL_MS,
      observe,
      onLeftOut: note,
      onKept: notingAge(note, clock),
      newerThan: session.repeats.isRepeat(tool.name, args) ? client.readsBegun() : undefined,
      ...(projectId !== undefined && { projectId }),
    },
  };
  return refusal === undefined ? run(call) : answerOf(call, { status: 'declined', notes: [refusal] });
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
const REFUSALS: Readonly<Partial<Record<Reply, string>>> = {
  unticked: 'The question came back without its box ticked; nothing was sent.',
  declined: 'The question was declined, by the person or the host; nothing was sent.',
  closed: 'The question was closed or could not be shown; nothing was sent. Ask the user; the same call asks again.',
};

function failure(error: unknown, tool: AnyTool, { session, signal, offer }: Caller, { redact, done, projectId }: Progress): Answer {
  const report = { log: session.options.log, redact, signal, projectId };
  const text = present(redact(errorText(error, tool, report, offer?.absent)), wayOn(error, done.answers)).join('\n');
  const words = readsAsOrders(text) ? `${text}\n${ORDERS_ARE_DATA}` : text;
  return { isError: true, text: clipped(unrendered(words), 4 * session.options.maxResultTokens), links: [] };
}

/** An error is an answer too: it keeps its limit, whatever the arguments or the platform put into it. */
function clipped(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** An answer that is older is said to be: younger ones are as good as new. */
const OLD_MS = 60_000;

/** Says of when an answer is that was kept for longer; once, of the first. */
function notingAge(note: (sentence: string) => void, clock: Clock): (sinceMs: number) => void {
  let isNoted = false;
  return (sinceMs) => {
    if (isNoted || clock.now() - sinceMs < OLD_MS) return;
    isNoted = true;
    note(`As of ${isoTime(sinceMs)}, from memory; asking the same again reads it anew.`);
  };
}

/** Runs the handler for the project of the call. */
async function handled(call: Call): Promise<Record<string, unknown>> {
  const { tool, input, caller, client, nowMs, note, range } = call;
  const { names, options } = caller.session;
  const ask = askOf(call);
  const projectId = () => client.projectId(call.options);
  const isWrite = changesSomething(tool);
  let zone: string | undefined;
  try {
    const { input: resolved, range: named } = await resolveParams(tool.input, input, {
      nowMs,
      timeZone: options.timeZone,
      note,
      operation: tool.operation,
      find: async (kind, text) => {
        if (kind === 'zone') zone ??= text;
        return names.find(kind, text, await projectId(), ask, !isWrite);
      },
      list: async (kind) => names.list(kind, await projectId(), ask),
      eventAt:
        scopeOf(tool) === 'speed-analysis' && !isWrite
          ? async (text) => (await import('../speed/event-named.ts')).eventAt(text, ask)
          : undefined,
      within: async (kind, text) => (kind === 'zone' ? names.zonesWithin(text, await projectId(), ask) : undefined),
    });
    Object.assign(range, named);
    const { projectId: _project, confirm: _confirm, chart: _chart, ...own } = resolved;
    // Each handler takes the types of its own schemas, which only the tool itself knows.
    return await tool.handler(own as never, contextOf(call, (text) => knownZonesElsewhere(text, call)) as never);
  } catch (error) {
    throw await withZonesElsewhere(zone, error, call);
  }
}

/** The same for several projects, in one table; a picture would be of one of them. */
async function handledForEach(projects: readonly Project[], call: Call): Promise<Record<string, unknown>> {
  const input = withoutProjects(call.input);
  const { data, notes } = await overProjects(projects, call.input, ({ id: projectId }, own) => {
    const note = (sentence: string) => own(shownHints(sentence, call.caller.offer?.absent, projectId));
    return handled({ ...call, input, note, isOneOfSeveral: true, options: { ...call.options, projectId } });
  });
  for (const sentence of notes) call.note(sentence);
  return data;
}

async function run(call: Call): Promise<Outcome> {
  const { tool, args, input, caller, client, nowMs, note } = call;
  const { confirmations, repeats, said } = caller.session;
  try {
    const projects = await projectsAsked(input, { client, signal: caller.signal, note });
    const data = projects ? await handledForEach(projects, call) : await handled(call);
    notePage(tool, data, input, note);
    if (tool.deprecated) note(deprecationWords(tool.deprecated));
    if (!projects) noteProject(call);
    const drawn = input['chart'] === true ? await drawnOf(call) : undefined;
    if (drawn) note(drawn.note);
    const range = rangeOf(call);
    const notes = caller.single ? call.notes.map(unmarked) : said.unsaid(call.notes);
    return answerOf(call, { ...data, ...(tool.confirmed && { status: 'done' }), ...range, notes }, drawn);
  } catch (error) {
    if (!(error instanceof NeedsConfirmation)) throw error;
    const { request } = error;
    if (!caller.canAsk) return previewed(call, request);
    const digest = digestOf(request);
    // The client has let the same question lie: some cannot show one, although they say so.
    if (repeats.wasLeftOpen(digest) && input['confirm'] === true) return run({ ...call, caller: { ...caller, canAsk: false } });
    return { ask: request, state: confirmations.seal({ digest, nowMs }, { tool: tool.name, args }) };
  }
}

/** The range of an answer; says in the notes what it is, and whether it is final. */
function rangeOf({ tool, input, nowMs, note, range: named, caller: { session } }: Call) {
  const { provisionalDays: stated = 0 } = tool;
  const provisionalDays = typeof stated === 'function' ? stated(input) : stated;
  const { range, notes } = rangeWords(named, { timeZone: session.options.timeZone, nowMs, provisionalDays });
  for (const sentence of notes) note(sentence);
  return range;
}

/** The picture of an answer, which names the project also where there is only one. */
function drawnOf({ input, client, options, makeChart }: Call) {
  const isOfOne = input['projectIds'] === undefined;
  return drawAnswer(makeChart, client.redact, isOfOne ? client.chosenProject(options.projectId, { orOnly: true })?.name : undefined);
}

/** Names the project where the credential reaches several. */
function noteProject({ tool, client, options, note }: Call): void {
  const project = tool.operation?.base === 'auth' ? undefined : client.chosenProject(options.projectId);
  if (project) note(ofAnswer(`Project: ${project.name} (${project.id}).`));
}

function previewed(call: Call, { question, ...request }: WriteRequest): Answer {
  const { caller, note, notes } = call;
  const range = rangeOf(call);
  if (caller.answered?.reply === 'unanswered') note('The client did not answer the question; it may not be able to show one.');
  note(question.split('\n', 1).join());
  note('Nothing was sent. Call again with confirm: true once the person who asked has seen this.');
  return answerOf(call, { status: 'preview', request, ...range, notes: notes.map(unmarked) });
}
