import { expect, it } from 'vitest';
import { listing } from '../support/listing.ts';

type Json = Readonly<Record<string, unknown>>;
type Listed = Awaited<ReturnType<typeof listing>>['tools'][number];

const { tools } = await listing();

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema inside a schema, itself first. */
function schemasIn(schema: Json): Json[] {
  const { properties, items } = schema;
  const members = isObject(properties) ? Object.values(properties) : [];
  return [schema, ...[...members, items].filter(isObject).flatMap(schemasIn)];
}

const schemasOf = ({ inputSchema }: Listed) => schemasIn(inputSchema);
const depthOf = ({ properties, items }: Json): number => {
  const below = [...(isObject(properties) ? Object.values(properties) : []), items].filter(isObject);
  return 1 + Math.max(0, ...below.map(depthOf));
};
/** Fields of an enrichment are free: strict mode has no word for it, so hosts list this tool without strict mode. */
const NOT_STRICT = new Set(['send_enrichments']);

/** Keywords of JSON Schema that every host accepts. */
const COMMON_KEYWORDS =
  'type properties required additionalProperties items enum description minimum maximum minItems maxItems pattern'.split(' ');

/** What the documentation of OpenAI (strict mode), Gemini, Anthropic, Cursor or VS Code asks for. */
const rules: Record<string, (tool: Listed) => boolean> = {
  'an object at the root and nothing beside it': ({ inputSchema }) =>
    inputSchema.type === 'object' &&
    Object.keys(inputSchema).every((key) => ['type', 'properties', 'required', 'additionalProperties'].includes(key)),
  'one type for each value, no list of types': (tool) => schemasOf(tool).every(({ type }) => typeof type === 'string'),
  'only keywords that all take: no combination of schemas, no reference': (tool) =>
    schemasOf(tool).every((schema) => Object.keys(schema).every((keyword) => COMMON_KEYWORDS.includes(keyword))),
  'additionalProperties only as true or false, and closed objects, so that each can be made strict': (tool) =>
    schemasOf(tool).every(({ type, additionalProperties: more }) =>
      type === 'object' && !NOT_STRICT.has(tool.name) ? more === false : more === undefined || typeof more === 'boolean',
    ),
  'items in every list': (tool) => schemasOf(tool).every(({ type, items }) => type !== 'array' || isObject(items)),
  'required members that exist': (tool) =>
    schemasOf(tool).every(({ required = [], properties = {} }) =>
      (required as string[]).every((name) => Object.hasOwn(properties as Json, name)),
    ),
  'at most 10 levels': ({ inputSchema }) => depthOf(inputSchema) <= 10,
  'a description of at most 1,024 characters': ({ description = '' }) => description.length > 0 && description.length <= 1024,
  'lists of values that are texts': (tool) =>
    schemasOf(tool).every(({ enum: values = [] }) => (values as unknown[]).every((value) => typeof value === 'string' && value !== '')),
  'a name that begins with a letter and is short, with what hosts put before it': ({ name }) =>
    /^[a-z][\w-]*$/i.test(name) && `web-analytics-mcp:${name}`.length <= 60 && `mcp__web-analytics-mcp__${name}`.length <= 64,
  'names of parameters of at most 64 characters': (tool) =>
    schemasOf(tool).every(({ properties = {} }) => Object.keys(properties as Json).every((name) => /^[\w.-]{1,64}$/.test(name))),
};

it.each(Object.entries(rules))('hosts take all tools: %s', (_, holds) => {
  expect(tools.length).toBeGreaterThan(50);
  expect(tools.filter((tool) => !holds(tool)).map(({ name }) => name)).toEqual([]);
});
