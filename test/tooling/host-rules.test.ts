import { describe, expect, it } from 'vitest';
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
const keywordsOf = (tool: Listed) => new Set(schemasOf(tool).flatMap(Object.keys));
const onlyKeywords = (allowed: readonly string[]) => (tool: Listed) => [...keywordsOf(tool)].every((keyword) => allowed.includes(keyword));
const nameFits =
  (pattern: RegExp) =>
  ({ name }: Listed) =>
    pattern.test(name);

/** Fields of an enrichment are free: strict mode has no word for it, so hosts list this tool without strict mode. */
const NOT_STRICT = new Set(['send_enrichments']);

const every: Record<string, (tool: Listed) => boolean> = {
  'an object at the root and nothing beside it': ({ inputSchema }) =>
    inputSchema.type === 'object' &&
    Object.keys(inputSchema).every((key) => ['type', 'properties', 'required', 'additionalProperties'].includes(key)),
  'one type for each value, no list of types': (tool) => schemasOf(tool).every(({ type }) => typeof type === 'string'),
  'no combination of schemas and no reference': (tool) =>
    !/"(anyOf|oneOf|allOf|not|if|\$ref|\$defs|definitions|\$schema)":/.test(JSON.stringify(tool.inputSchema)),
  'no propertyNames, and additionalProperties only as true or false': (tool) =>
    !keywordsOf(tool).has('propertyNames') &&
    schemasOf(tool).every(({ additionalProperties: more }) => more === undefined || typeof more === 'boolean'),
  'items in every list': (tool) => schemasOf(tool).every(({ type, items }) => type !== 'array' || isObject(items)),
  'required members that exist': (tool) =>
    schemasOf(tool).every(({ required = [], properties = {} }) =>
      (required as string[]).every((name) => Object.hasOwn(properties as Json, name)),
    ),
};

/** Keywords of JSON Schema that every host accepts. */
const COMMON_KEYWORDS =
  'type properties required additionalProperties items enum description minimum maximum minItems maxItems pattern'.split(' ');

/** What each host refuses, from its documentation. */
const hosts: Record<string, Record<string, (tool: Listed) => boolean>> = {
  'OpenAI, strict mode': {
    'a name of at most 64 letters, digits, _ and -': nameFits(/^[\w-]{1,64}$/),
    'only keywords that strict mode takes': onlyKeywords(COMMON_KEYWORDS),
    'closed objects, so that each can be made strict': (tool) =>
      NOT_STRICT.has(tool.name) ||
      schemasOf(tool).every(({ type, additionalProperties }) => type !== 'object' || additionalProperties === false),
    'at most 10 levels': ({ inputSchema }) => depthOf(inputSchema) <= 10,
    'a description of at most 1,024 characters': ({ description = '' }) => description.length > 0 && description.length <= 1024,
  },
  Gemini: {
    'a name of at most 64 characters that begins with a letter or _': nameFits(/^[a-z_][\w.:-]{0,63}$/i),
    'only keywords of its subset': onlyKeywords(COMMON_KEYWORDS),
    'lists of values that are texts': (tool) =>
      schemasOf(tool).every(
        ({ enum: values = [], type }) =>
          (values as unknown[]).length === 0 ||
          (type === 'string' && (values as unknown[]).every((value) => typeof value === 'string' && value !== '')),
      ),
  },
  Anthropic: {
    'a name of at most 64 characters with the prefix of the server': ({ name }) => /^[\w-]{1,64}$/.test(`mcp__web-analytics-mcp__${name}`),
    'names of parameters of at most 64 characters': (tool) =>
      schemasOf(tool).every(({ properties = {} }) => Object.keys(properties as Json).every((name) => /^[\w.-]{1,64}$/.test(name))),
  },
  'Cursor and VS Code': {
    'at most 60 characters for server and tool': ({ name }) => `web-analytics-mcp:${name}`.length <= 60,
    'a description': ({ description = '' }) => description !== '',
  },
};

describe.each(Object.keys(hosts))('%s takes all tools:', (host) => {
  it.each(Object.entries({ ...every, ...hosts[host] }))('%s', (_, holds) => {
    expect(tools.length).toBeGreaterThan(50);
    expect(tools.filter((tool) => !holds(tool)).map(({ name }) => name)).toEqual([]);
  });
});

it('the rules find what a host refuses', () => {
  const bad = {
    name: 'x'.repeat(70),
    inputSchema: { type: 'object', anyOf: [], properties: { a: { type: ['string', 'null'], propertyNames: {} }, b: { type: 'array' } } },
  } as unknown as Listed;
  const broken = [...Object.values(every), ...Object.values(hosts).flatMap((rules) => Object.values(rules))].filter((holds) => !holds(bad));
  expect(broken.length).toBeGreaterThan(10);
});
