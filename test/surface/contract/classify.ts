import { isRecord } from '../../../src/lib/is-record.ts';

/** What hosts and directories keep of a tool. */
export interface SurfaceTool {
  readonly name: string;
  /** Only where it says that the tool goes. */
  readonly description?: string | undefined;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
}

/** One difference between two surfaces. */
export interface SurfaceChange {
  readonly kind: 'breaking' | 'compatible';
  readonly tool: string;
  readonly what: string;
}

/** Whether the tool of today takes these arguments; what a call of the released version sent. */
export type Accepts = (tool: string, args: Readonly<Record<string, unknown>>) => boolean;

type Schema = Readonly<Record<string, unknown>>;

const membersOf = (schema: Schema): Record<string, Schema> =>
  isRecord(schema['properties']) ? (schema['properties'] as Record<string, Schema>) : {};
const requiredOf = (schema: Schema): string[] => (Array.isArray(schema['required']) ? schema['required'].map(String) : []);
const isGoing = (schema: Schema) => /^Deprecated since /.test(String(schema['description'] ?? ''));

/** The types that a schema lets through; all of them where it names none. */
function typesOf(schema: Schema): readonly string[] {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((option: Schema) => typesOf(option));
  const named = [type].flat().filter((each): each is string => typeof each === 'string');
  const all = named.length > 0 ? named : ['object', 'array', 'string', 'number', 'boolean', 'null'];
  return all.includes('number') ? [...all, 'integer'] : all;
}

/** Values that mean something, where a text or number of any kind is refused for what it says. */
const SENSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  metrics: [['visits']],
  status: [404],
  budgets: [[{ metric: 'largestContentfulPaint', limit: 2_500 }]],
};

/** Values that a schema lets through: of each type, each choice, at each bound, and with each member. */
function samplesOf(schema: Schema): unknown[] {
  const { enum: values, minimum, maximum, items } = schema;
  if (Array.isArray(values)) return values;
  return typesOf(schema).flatMap((type): unknown[] => {
    if (type === 'null') return [];
    if (type === 'boolean') return [true];
    if (type === 'integer' || type === 'number')
      return [Math.max(1, Number(minimum ?? 1)), ...(typeof maximum === 'number' ? [maximum] : [])];
    if (type === 'array') return samplesOf(isRecord(items) ? items : { type: 'string' }).map((item) => [item]);
    if (type === 'object') return Object.keys(membersOf(schema)).flatMap((name) => objectsWith(schema, name));
    return ['x'];
  });
}

/** Objects with all that is required, and one member as each of its samples. */
function objectsWith(schema: Schema, name: string, added: Readonly<Record<string, unknown>> = {}): Record<string, unknown>[] {
  const samples = (each: string) => SENSIBLE[each] ?? samplesOf(membersOf(schema)[each] ?? { type: 'string' });
  const needed = Object.fromEntries(requiredOf(schema).map((each) => [each, samples(each)[0]]));
  return (Object.hasOwn(membersOf(schema), name) ? samples(name) : []).map((value) => ({ ...added, ...needed, [name]: value }));
}

function inputChanges({ name: tool, inputSchema: before }: SurfaceTool, { inputSchema: after }: SurfaceTool, accepts: Accepts): SurfaceChange[] {
  const [old, own] = [membersOf(before), membersOf(after)];
  const wanted = requiredOf(after).filter((name) => !requiredOf(before).includes(name));
  const added = Object.fromEntries(wanted.map((name) => [name, samplesOf(own[name] ?? {})[0]]));
  const kept = Object.entries(old).flatMap(([name, member]): SurfaceChange[] => {
    const now = own[name];
    if (JSON.stringify(member) === JSON.stringify(now)) return [];
    const refused = objectsWith(before, name, added).filter((args) => !accepts(tool, args));
    const values = refused.map((args) => JSON.stringify(args[name])).join(', ');
    const what = now ? `${name} is listed otherwise` : `${name} is gone`;
    if (refused.length === 0) return [{ kind: 'compatible', tool, what: `${what}, what was sent before is understood` }];
    return [{ kind: 'breaking', tool, what: now ? `${name} no longer takes ${values}` : `${what}${isGoing(member) ? ', as announced' : ''}` }];
  });
  const fresh = Object.keys(own).filter((name) => !(name in old) && !wanted.includes(name));
  return [
    ...kept,
    ...wanted.map((name): SurfaceChange => ({ kind: 'breaking', tool, what: `${name} is required` })),
    ...fresh.map((name): SurfaceChange => ({ kind: 'compatible', tool, what: `takes ${name}` })),
  ];
}

/** What a reader of answers could rely on, and cannot any more: the other way round than for arguments. */
function outputChanges({ name: tool, outputSchema }: SurfaceTool, after: SurfaceTool): SurfaceChange[] {
  return lessPromised(outputSchema, after.outputSchema).map((what) => ({ kind: 'breaking', tool, what: `answer${what}` }));
}

function lessPromised(before: Schema, after: Schema, at = ''): string[] {
  const [old, own] = [membersOf(before), membersOf(after)];
  const types = typesOf(before);
  const more = before['type'] === undefined && before['anyOf'] === undefined ? [] : typesOf(after).filter((type) => !types.includes(type));
  const members = requiredOf(before).flatMap((name) => {
    const member = own[name];
    if (!member || !requiredOf(after).includes(name)) return [`${at}.${name} may be absent`];
    return lessPromised(old[name] ?? {}, member, `${at}.${name}`);
  });
  const items = isRecord(before['items']) && isRecord(after['items']) ? lessPromised(before['items'], after['items'], `${at}[]`) : [];
  return [...more.map((type) => `${at} may be ${type}`), ...members, ...items];
}

function annotationChanges({ name: tool, annotations }: SurfaceTool, after: SurfaceTool): SurfaceChange[] {
  const names = [...new Set([...Object.keys(annotations), ...Object.keys(after.annotations)])];
  return names
    .filter((name) => annotations[name] !== after.annotations[name])
    .map((name) => ({
      kind: 'breaking',
      tool,
      what: `${name} is ${String(after.annotations[name])} (${String(annotations[name])} before)`,
    }));
}

/** The changes from one surface to the next: what breaks those who keep the old one, and what does not. */
export function classify(before: readonly SurfaceTool[], after: readonly SurfaceTool[], accepts: Accepts): SurfaceChange[] {
  const now = new Map(after.map((tool) => [tool.name, tool]));
  const known = new Set(before.map(({ name }) => name));
  return [
    ...before.flatMap((tool): SurfaceChange[] => {
      const own = now.get(tool.name);
      if (!own)
        return [
          { kind: 'breaking', tool: tool.name, what: isGoing({ description: tool.description }) ? 'is gone, as announced' : 'is gone' },
        ];
      return [...inputChanges(tool, own, accepts), ...outputChanges(tool, own), ...annotationChanges(tool, own)];
    }),
    ...after.filter(({ name }) => !known.has(name)).map(({ name }): SurfaceChange => ({ kind: 'compatible', tool: name, what: 'is new' })),
  ];
}

/** What of a tool as it is listed belongs to its contract: words are free, but for those that say that something goes. */
export function contractOf(tool: Omit<SurfaceTool, 'annotations'> & { readonly annotations: object }): SurfaceTool {
  const plain = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(plain);
    if (!isRecord(node)) return node;
    const entries = Object.entries(node).filter(([name, value]) => name !== 'description' || typeof value !== 'string' || isGoing(node));
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
  };
  const { name, description, annotations, inputSchema, outputSchema } = tool;
  return {
    name,
    ...(isGoing({ description }) && { description }),
    annotations: { ...annotations },
    inputSchema: plain(inputSchema) as Schema,
    outputSchema: plain(outputSchema) as Schema,
  };
}
