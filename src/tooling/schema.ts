import * as z from 'zod';
import { writeRequest } from '../api/wire.ts';
import { isRecord } from '../lib/is-record.ts';
import { chart, confirm, listedSchemaOf, projectId } from './params.ts';
import { rangeOutput } from './resolve-params.ts';
import { type AnyTool, CHART_VIEW_URI, deprecationWords, type ListedTool, OVERVIEW_VIEW_URI, scopeOf, type Toolset } from './tool.ts';

type Json = Record<string, unknown>;

/** Bounds that say no more than "not empty" and "an id"; the boundary words them when they are broken. */
const PLAIN_BOUNDS: ReadonlySet<string> = new Set(['minLength 1', 'minItems 1', 'exclusiveMinimum 0', 'minimum 0', 'minimum 1']);

/** Whether a keyword says nothing that a model needs: a plain bound or that of safe integers, or an empty description. */
function isNeedless(key: string, value: unknown): boolean {
  if (PLAIN_BOUNDS.has(`${key} ${String(value)}`) || (key === 'description' && value === '')) return true;
  return (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
}

/** The JSON Schema that zod writes, each of its nodes as `shown` changes it, without what is undefined or needless. */
function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', shown: (node: Json, of: z.core.$ZodType) => Json): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const node = Object.entries(shown({ ...jsonSchema }, zodSchema));
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, Object.fromEntries(node.filter(([key, value]) => value !== undefined && !isNeedless(key, value))));
    },
  });
  return json;
}

/** A description that also says the default, where it does not do so itself. */
function withDefault(description: unknown, usual: unknown): unknown {
  if (usual === undefined) return description;
  const plain = JSON.stringify(usual).replaceAll('"', '');
  if (typeof description !== 'string') return `Default ${plain}`;
  return /default/i.test(description) ? description : `${description}; default ${plain}`;
}

/**
 * JSON Schema of a tool's input as a model sees it: an object with no keyword that a host refuses. The boundary checks and fills in what
 * those say.
 */
export function inputJsonSchema(schema: z.ZodType): Json {
  return jsonSchemaOf(schema, 'input', ({ description, default: usual, maxLength: _, ...node }, of) => {
    const listed = listedSchemaOf(of);
    if (listed) return inputJsonSchema(listed);
    // An object of any members says no more than its type.
    const free = of instanceof z.ZodRecord && { propertyNames: undefined, additionalProperties: undefined };
    const formatted = 'format' in node && { format: undefined, pattern: undefined };
    return { ...node, ...free, ...formatted, description: withDefault(description, usual) };
  });
}

/**
 * JSON Schema of a tool's structured content: what clients can rely on. It is open, because clients refuse answers over members they do
 * not know, and members that may be absent are left out: hosts that pass schemas on pay for each.
 */
function outputJsonSchema(schema: z.ZodType): Json {
  return jsonSchemaOf(schema, 'output', ({ propertyNames: _, ...node }) => {
    const { properties, additionalProperties, required } = node;
    const always = isRecord(properties) && Array.isArray(required) && Object.fromEntries(required.map((name) => [name, properties[name]]));
    return {
      ...node,
      ...('properties' in node && { properties: always || undefined }),
      ...(!isRecord(additionalProperties) && { additionalProperties: undefined }),
      ...('format' in node && { pattern: undefined }),
    };
  });
}

/** The same schema that keeps only its documented members: for what leaves the server. */
function documented(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodObject)
    return z.object(Object.fromEntries(Object.entries(schema.shape).map(([name, field]) => [name, documented(field)])));
  if (schema instanceof z.ZodArray) return z.array(documented(schema.element));
  if (schema instanceof z.ZodOptional) return z.optional(documented(schema.unwrap()));
  return schema instanceof z.ZodNullable ? z.nullable(documented(schema.unwrap())) : schema;
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
  const output = documented(tool.output) as z.ZodObject; // as the output is
  const own = tool.confirmed ? output.partial().extend(confirmedOutput) : output;
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
