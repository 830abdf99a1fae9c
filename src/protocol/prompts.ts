import { type McpServer, ProtocolError, ProtocolErrorCode, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { abortable, withDeadline } from '../api/deadline.ts';
import { fold } from '../domain/names/match-name.ts';
import { plainText } from '../lib/strangers-text.ts';
import { visibleText } from '../lib/visible-text.ts';
import type { Prompt } from '../tooling/prompt.ts';
import type { Candidate, Completer, CompletionContext, DefinedResource } from '../tooling/resource.ts';
import type { Session } from '../tooling/session.ts';

/** Values that one completion may hold (protocol). */
const MAX_VALUES = 100;
/** A person is typing: a completion that takes longer is of no use. */
const MAX_WAIT_MS = 3_000;

/** Candidates that begin like the typed text, then those that contain it, by value or words; each value once. */
export function matching(candidates: readonly Candidate[], typed: string): string[] {
  const wanted = fold(typed);
  const rank = ({ value, words = '' }: Candidate) => {
    const texts = [fold(value), fold(words)];
    if (texts.some((text) => text.startsWith(wanted))) return 0;
    return texts.some((text) => text.includes(wanted)) ? 1 : 2;
  };
  const ranked = candidates.map((candidate) => ({ value: candidate.value, rank: rank(candidate) })).filter((each) => each.rank < 2);
  return [...new Set(ranked.toSorted((a, b) => a.rank - b.rank).map(({ value }) => value))];
}

function contextOf(session: Session, filled: Readonly<Record<string, string>>): CompletionContext {
  const chosen = /^[1-9]\d{0,14}$/.test(filled['projectId'] ?? '') ? { projectId: Number(filled['projectId']) } : {};
  return {
    session,
    filled,
    projectId: async () => chosen.projectId ?? (await session.client()).projectId(),
    ask: async (operation, input) => (await session.client()).call(operation, input, chosen),
  };
}

interface Completable {
  readonly resources: readonly DefinedResource[];
  readonly prompts: readonly Prompt[];
  readonly session: Session;
}

/** Completes the arguments of templates and prompts while a person types: at most 100 values, and none where they cannot be read. */
export function registerCompletion(server: McpServer, { resources, prompts, session }: Completable): void {
  server.server.registerCapabilities({ completions: {} });
  server.server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, { mcpReq: { signal } }) => {
    const completers = ref.type === 'ref/prompt' ? promptCompleters(prompts, ref.name) : resourceCompleters(resources, ref.uri);
    const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
    const values = completer ? await proposals(completer, argument.value, contextOf(session, context?.arguments ?? {}), signal) : [];
    return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: values.length > MAX_VALUES } };
  });
}

/** Waits no longer than a person does; what is still on its way is there for the next key. */
async function proposals(completer: Completer, typed: string, context: CompletionContext, signal: AbortSignal): Promise<string[]> {
  const { clock } = context.session.options;
  const all = async () => {
    // Completions that need no credential are proposed without one.
    const redact = await context.session.client().then(
      (client) => client.redact,
      () => visibleText,
    );
    return (await completer(context)).map(({ value, ...rest }) => ({ ...rest, value: plainText(redact(value)) }));
  };
  try {
    return matching(await withDeadline({ clock, timeoutMs: MAX_WAIT_MS, signal }, (limits) => abortable(all(), limits.signal)), typed);
  } catch {
    return []; // without proposals the person can still type
  }
}

function promptCompleters(prompts: readonly Prompt[], name: string): Readonly<Record<string, Completer | undefined>> {
  const prompt = prompts.find((each) => each.name === name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}.`);
  return Object.fromEntries(Object.entries(prompt.arguments).map(([argument, { complete }]) => [argument, complete]));
}

function resourceCompleters(resources: readonly DefinedResource[], uri: string): Readonly<Record<string, Completer | undefined>> {
  const resource = resources.find(({ template }) => template === uri);
  if (!resource) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource template ${uri}.`);
  return resource.complete;
}

/** Longest text of an argument; a name or a date is shorter. */
const MAX_ARGUMENT_CHARS = 500;

/** Shows the arguments to hosts and accepts everything: they are checked below, with our own messages. */
function declared({ arguments: all }: Prompt): StandardSchemaWithJSON {
  const properties = Object.fromEntries(Object.entries(all).map(([name, { description }]) => [name, { type: 'string', description }]));
  const required = Object.entries(all)
    .filter(([, argument]) => argument.required)
    .map(([name]) => name);
  const json = () => ({ type: 'object', properties, required });
  return {
    '~standard': { version: 1, vendor: 'web-analytics-mcp', validate: (value) => ({ value }), jsonSchema: { input: json, output: json } },
  };
}

/** The arguments without empty ones, on one line each; throws where one is missing, unknown or no argument at all. */
function checked({ name, arguments: all }: Prompt, args: unknown): Record<string, string> {
  const given = Object.entries(args ?? {}).flatMap(([key, value]): [string, string][] => {
    const text = String(value)
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return text === '' ? [] : [[key, text]];
  });
  const complaints = [
    ...given
      .filter(([key]) => !Object.hasOwn(all, key))
      .map(([key]) => `${key}: not an argument of ${name}; there are ${Object.keys(all).join(', ') || 'none'}`),
    ...given.filter(([, text]) => text.length > MAX_ARGUMENT_CHARS).map(([key]) => `${key}: longer than ${MAX_ARGUMENT_CHARS} characters`),
    ...Object.entries(all)
      .filter(([key, { required }]) => required && !given.some(([each]) => each === key))
      .map(([key, { description }]) => `${key}: required (${description})`),
  ];
  if (complaints.length > 0) throw new ProtocolError(ProtocolErrorCode.InvalidParams, complaints.join('\n'));
  return Object.fromEntries(given);
}

/** Offers one prompt to the host. */
export function registerPrompt(server: McpServer, prompt: Prompt): void {
  const { name, title, description } = prompt;
  const answer = (args: unknown) => ({
    description,
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text(checked(prompt, args)) } }],
  });
  server.registerPrompt(name, { title, description, argsSchema: declared(prompt) }, answer);
}
