import { type McpServer, ProtocolError, ProtocolErrorCode, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { Prompt } from '../tooling/prompt.ts';

/** Longest text of an argument; a name or a date is shorter. */
const MAX_ARGUMENT_CHARS = 500;

/** Tells hosts the arguments and lets everything through: they are checked below, in our own words. */
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
