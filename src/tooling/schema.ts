import * as z from 'zod';
import { writeRequest } from '../api/write-request.ts';
import { isRecord } from '../lib/is-record.ts';
import { deprecationWords } from './deprecation.ts';
import { chart, confirm, listedSchemaOf, projectId } from './params.ts';
import { rangeOutput } from './resolve-params.ts';
import { type AnyTool, CHART_VIEW_URI, type ListedTool, OVERVIEW_VIEW_URI, scopeOf, type Toolset } from './tool.ts';

type Json = Record<string, unknown>;

/** `anyOf` of bare types as one `type` list: half the tokens, the same meaning. */
function joinTypes(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || !anyOf.every((option) => isRecord(option) && typeof option['type'] === 'string')) return schema;
  const options = anyOf.filter(isRecord);
  const bare = options.every((option) => Object.keys(option).length === 1 || (option['type'] === 'integer' && !('maximum' in option)));
  return bare ? { type: options.map((option) => option['type']), ...rest } : schema;
}

/** Bounds that say no more than "not empty" and "an id"; the boundary words them when they are broken. */
const PLAIN_BOUNDS: ReadonlySet<string> = new Set(['minLength 1', 'minItems 1', 'exclusiveMinimum 0', 'minimum 0', 'minimum 1']);

/**
 * Drops what zod writes and no model needs: `$schema`, plain bounds and those of safe integers, empty descriptions, the pattern beside a
 * `format`.
 */
function tidy(node: unknown, keepClosed: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, keepClosed));
  if (!isRecord(node)) return node;
  const entries = Object.entries(node)
    .filter(([key, value]) => {
      if (key === '$schema' || key === 'id') return false;
      if (key === 'description' && value === '') return false;
      if (PLAIN_BOUNDS.has(`${key} ${String(value)}`)) return false;
      if (key === 'pattern' && 'format' in node) return false;
      if (key === 'additionalProperties' && !isRecord(value) && !keepClosed) return false;
      return !((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER);
    })
    .map(([key, value]) => [key, key === 'properties' && isRecord(value) ? tidyAll(value, keepClosed) : tidy(value, keepClosed)]);
  return joinTypes(Object.fromEntries(entries));
}

/** Members of `properties` are names, not keywords: none of them is dropped. */
function tidyAll(properties: Json, keepClosed: boolean): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidy(schema, keepClosed)]));
}

/** Shows a parameter as it is listed where that differs from how it is checked. */
function asListed({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const listed = listedSchemaOf(zodSchema);
  if (!listed) return;
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, inputJsonSchema(listed));
}

/** An object of any members without the keywords that hosts refuse: it says no more than its type. */
function anyMembers({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  if (!(zodSchema instanceof z.ZodRecord)) return;
  Reflect.deleteProperty(jsonSchema, 'propertyNames');
  Reflect.deleteProperty(jsonSchema, 'additionalProperties');
}

/** JSON Schema of a tool's input as a model sees it: an object with nothing that a host refuses. */
export function inputJsonSchema(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override(context) {
      anyMembers(context);
      asListed(context);
    },
  });
  return defaultsInWords(tidy(json, true)) as Json; // an object stays one
}

/** Keywords of inputs that a host may refuse; the boundary checks and fills in what they say. */
const REFUSED = new Set(['default', 'maxLength', 'format']);

function withDefault(description: unknown, usual: unknown): unknown {
  if (usual === undefined) return description;
  const plain = JSON.stringify(usual).replaceAll('"', '');
  if (typeof description !== 'string') return `Default ${plain}`;
  return /default/i.test(description) ? description : `${description}; default ${plain}`;
}

/** Says defaults in the description instead of by a keyword. */
function defaultsInWords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(defaultsInWords);
  if (!isRecord(node)) return node;
  const { description, default: usual } = node;
  const kept = Object.entries(node).filter(([key]) => !REFUSED.has(key) && key !== 'description');
  // Members of `properties` are names, not keywords.
  const inner = kept.map(([key, value]) => [key, key === 'properties' && isRecord(value) ? inEach(value) : defaultsInWords(value)]);
  const words = withDefault(description, usual);
  return { ...Object.fromEntries(inner), ...(words !== undefined && { description: words }) };
}

function inEach(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, defaultsInWords(schema)]));
}

/** The members that an object always has; what it may have besides is open anyway, and hosts that pass schemas on pay for each. */
function requiredAlone(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(requiredAlone);
  if (!isRecord(node)) return node;
  const required = Array.isArray(node['required']) ? node['required'].map(String) : [];
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'propertyNames' || (key === 'properties' && required.length === 0)) return [];
    if (key !== 'properties' || !isRecord(value)) return [[key, key === 'required' ? value : requiredAlone(value)]];
    return [[key, Object.fromEntries(required.map((name) => [name, requiredAlone(value[name])]))]];
  });
  return Object.fromEntries(entries);
}

/**
 * JSON Schema of a tool's structured content: what clients can rely on. It is open, because clients refuse answers over members they do
 * not know, and members that may be absent are left out.
 */
export function outputJsonSchema(schema: z.ZodType): Json {
  return requiredAlone(tidy(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }), false)) as Json;
}

/** The same schema that keeps only its documented members: for what leaves the server. */
export function documented<Schema extends z.ZodType>(schema: Schema): Schema {
  return exact(schema) as Schema; // the same members, only without the catch-all
}

function exact(schema: z.ZodType): z.ZodType {
  const inner = (part: z.core.$ZodType) => exact(part as z.ZodType); // zod types the parts of a schema by its core alone
  if (schema instanceof z.ZodObject) {
    return z.object(Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, inner(field)])));
  }
  if (schema instanceof z.ZodArray) return z.array(inner(schema.element));
  if (schema instanceof z.ZodOptional) return inner(schema.unwrap()).optional();
  if (schema instanceof z.ZodNullable) return inner(schema.unwrap()).nullable();
  return schema;
}

/** Makes something of a tool once: zod compiles a schema at its first use, which costs far more than the use. */
function oncePerTool<T>(make: (tool: AnyTool) => T): (tool: AnyTool) => T {
  const made = new WeakMap<AnyTool, T>();
  return (tool) => {
    const known = made.get(tool) ?? make(tool);
    made.set(tool, known);
    return known;
  };
}

/** The whole input of a tool: its own parameters, the project, `confirm` where a write is confirmed, `chart` where there is one. */
export const inputOf = oncePerTool(
  (tool): z.ZodObject => tool.input.extend({ projectId, ...(tool.confirmed && { confirm }), ...(tool.charted && { chart }) }).strict(),
);

/** Members that every confirmed tool's answer has. */
const confirmedOutput = {
  status: z.enum(['preview', 'done', 'declined']),
  request: writeRequest.optional(),
};

/** The whole structured content of a tool: its own output, the range, the chart as data, and the notes. */
export const outputOf = oncePerTool((tool): z.ZodObject => {
  const own = tool.confirmed ? tool.output.partial().extend(confirmedOutput) : tool.output;
  return own.extend({
    range: rangeOutput.optional(),
    ...(tool.charted && { chart: z.looseObject({ kind: z.string() }).optional() }),
    notes: z.array(z.string()).optional(),
  });
});

/** Connects a tool with its view; hosts before 2026 read the second key. */
const viewMeta = (resourceUri: string): Readonly<Record<string, unknown>> => ({ ui: { resourceUri }, 'ui/resourceUri': resourceUri });

/** Metadata for hosts: the words by which a tool is found, whether it is loaded from the first turn, and its view. */
function metaOf({ searchHint, alwaysLoad, charted, overview }: AnyTool): Readonly<Record<string, unknown>> {
  return {
    'anthropic/searchHint': searchHint,
    ...(alwaysLoad && { 'anthropic/alwaysLoad': true }),
    ...(charted && viewMeta(CHART_VIEW_URI)),
    ...(overview && viewMeta(OVERVIEW_VIEW_URI)),
  };
}

/** Lists the tools of these toolsets in order. */
export function listTools(toolsets: readonly Toolset[]): ListedTool[] {
  return toolsets.flatMap(({ name: toolset, tools }) =>
    tools
      .map((tool) => ({ tool, scope: scopeOf(tool) }))
      .map(({ tool, scope }) => ({
        name: tool.name,
        title: tool.title,
        description: tool.deprecated ? `${deprecationWords(tool.deprecated)} ${tool.description}` : tool.description,
        annotations: tool.annotations,
        inputSchema: inputJsonSchema(inputOf(tool)),
        outputSchema: outputJsonSchema(outputOf(tool)),
        _meta: metaOf(tool),
        toolset,
        ...(scope && { scope }),
        ...(tool.fetches && { fetches: true }),
      })),
  );
}
