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

/** Bounds by the direction in which they get tighter. */
const BOUNDS = [
  ['maximum', -1],
  ['maxItems', -1],
  ['maxLength', -1],
  ['minimum', 1],
  ['minItems', 1],
  ['minLength', 1],
] as const;

/** In what `after` lets less through than `before`: types, values, bounds; empty where it takes all of it. */
function narrowed(before: Schema, after: Schema, at = ''): string[] {
  const types = typesOf(after);
  const lost = typesOf(before).filter((type) => !types.includes(type));
  const values = (schema: Schema) => (Array.isArray(schema['enum']) ? schema['enum'].map(String) : undefined);
  const [old, own] = [values(before), values(after)];
  const gone = own ? (old ?? ['other values']).filter((value) => !own.includes(value)) : [];
  const tighter = BOUNDS.filter(([name, sign]) => {
    const [was, is] = [before[name], after[name]];
    return typeof is === 'number' && (typeof was !== 'number' || Math.sign(is - was) === sign) && !isFree(name, is);
  });
  const items = isRecord(before['items']) && isRecord(after['items']) ? narrowed(before['items'], after['items'], `${at}[]`) : [];
  return [
    ...lost.map((type) => `${at} no longer takes ${type}`),
    ...gone.map((value) => `${at} no longer takes ${value}`),
    ...tighter.map(([name]) => `${at} has ${name} ${String(after[name])} (${String(before[name] ?? 'none')} before)`),
    ...items,
    ...membersNarrowed(before, after, at),
  ];
}

/** A bound that excludes nothing which could be sent in earnest. */
const isFree = (name: string, bound: number) => name.startsWith('min') && bound <= 0;

function membersNarrowed(before: Schema, after: Schema, at: string): string[] {
  const [old, own] = [membersOf(before), membersOf(after)];
  if (Object.keys(old).length === 0) return [];
  const wanted = requiredOf(after).filter((name) => !requiredOf(before).includes(name));
  return [
    ...Object.keys(old).flatMap((name) => {
      const member = old[name];
      const now = own[name];
      if (!member) return [];
      return now ? narrowed(member, now, `${at}.${name}`) : [`${at}.${name} is gone`];
    }),
    ...wanted.map((name) => `${at}.${name} is required`),
  ];
}

/** A value that a schema lets through, as plain as can be. */
function sampleOf(schema: Schema, type = typesOf(schema)[0]): unknown {
  const { enum: values, minimum, items } = schema;
  if (Array.isArray(values)) return values[0];
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? Math.max(1, minimum) : 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [isRecord(items) ? sampleOf(items) : 'x'];
  if (type === 'object') return Object.fromEntries(requiredOf(schema).map((name) => [name, sampleOf(membersOf(schema)[name] ?? {})]));
  return 'x';
}

/** Values that mean something, where a text or number of any kind is refused for what it says. */
const SENSIBLE: Readonly<Record<string, unknown>> = {
  metrics: ['visits'],
  status: 404,
  budgets: [{ metric: 'largestContentfulPaint', limit: 2_500 }],
};

/** Calls of the released tool that use an argument, with each of its types and values. */
function callsWith(schema: Schema, name: string): Record<string, unknown>[] {
  const members = membersOf(schema);
  const needed = Object.fromEntries(requiredOf(schema).map((each) => [each, SENSIBLE[each] ?? sampleOf(members[each] ?? {})]));
  if (name in SENSIBLE) return [{ ...needed, [name]: SENSIBLE[name] }];
  const member = members[name] ?? {};
  const items = isRecord(member['items']) ? member['items'] : {};
  const each: unknown[] = Array.isArray(member['enum']) ? member['enum'] : [];
  const listed = Array.isArray(items['enum'])
    ? items['enum'].map((value: unknown) => [value])
    : typesOf(items).map((type) => [sampleOf(items, type)]);
  const plain = typesOf(member)
    .filter((type) => type !== 'null')
    .flatMap((type) => (type === 'array' ? listed : [sampleOf(member, type)]));
  return [...each, ...(each.length > 0 ? [] : plain)].map((value) => ({ ...needed, [name]: value }));
}

function inputChanges(before: SurfaceTool, after: SurfaceTool, accepts: Accepts): SurfaceChange[] {
  const tool = before.name;
  const [old, own] = [membersOf(before.inputSchema), membersOf(after.inputSchema)];
  const kept = Object.keys(old).flatMap((name): SurfaceChange[] => {
    const [member, now] = [old[name] ?? {}, own[name]];
    const lost = now ? narrowed(member, now) : [' is gone'];
    if (lost.length === 0) return [];
    const isUnderstood = callsWith(before.inputSchema, name).every((args) => accepts(tool, args));
    const announced = !now && isGoing(member) ? ', as announced' : '';
    const words = `${name}${lost
      .map((each) => each.trimStart())
      .map((each) => (each.startsWith('.') || each.startsWith('[') ? each : ` ${each}`))
      .join(';')}`;
    return [
      isUnderstood
        ? { kind: 'compatible', tool, what: `${words}, what was sent before is understood` }
        : { kind: 'breaking', tool, what: `${words}${announced}` },
    ];
  });
  const fresh = Object.keys(own).filter((name) => !(name in old));
  const wanted = requiredOf(after.inputSchema).filter((name) => !requiredOf(before.inputSchema).includes(name));
  const isWidened = Object.keys(old).filter(
    (name) => own[name] && narrowed(own[name], old[name] ?? {}).length > 0 && narrowed(old[name] ?? {}, own[name]).length === 0,
  );
  return [
    ...kept,
    ...wanted.map((name): SurfaceChange => ({ kind: 'breaking', tool, what: `${name} is required` })),
    ...fresh.filter((name) => !wanted.includes(name)).map((name): SurfaceChange => ({ kind: 'compatible', tool, what: `takes ${name}` })),
    ...isWidened.map((name): SurfaceChange => ({ kind: 'compatible', tool, what: `${name} takes more` })),
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

/** Of answers only what they always have. */
function promised(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(promised);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).flatMap(([name, value]): [string, unknown][] => {
    if (name !== 'properties' || !isRecord(value)) return [[name, promised(value)]];
    const needed = requiredOf(node);
    return needed.length > 0 ? [[name, Object.fromEntries(needed.map((each) => [each, promised(value[each])]))]] : [];
  });
  return Object.fromEntries(entries);
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
    outputSchema: promised(plain(outputSchema)) as Schema,
  };
}
