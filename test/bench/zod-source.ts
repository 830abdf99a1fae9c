/** A JSON Schema as far as tools use it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** The checks of zod that stand for a keyword. */
const CHECKS = {
  string: { minLength: 'min', maxLength: 'max' },
  array: { minItems: 'min', maxItems: 'max' },
  number: { minimum: 'min', maximum: 'max', exclusiveMinimum: 'gt' },
} as const;

function checked(source: string, schema: JsonSchema, checks: Readonly<Record<string, string>>): string {
  const values = new Map<string, unknown>(Object.entries(schema));
  const calls = Object.entries(checks).flatMap(([keyword, check]) =>
    values.has(keyword) ? [`.${check}(${String(values.get(keyword))})`] : [],
  );
  return source + calls.join('');
}

function objectSource({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (!properties && typeof additionalProperties === 'object') return `z.record(z.string(), ${zodSource(additionalProperties)})`;
  const members = Object.entries(properties ?? {}).map(
    ([name, member]) => `${JSON.stringify(name)}: ${zodSource(member)}${required.includes(name) ? '' : '.optional()'}`,
  );
  return `z.${additionalProperties === false ? 'strictObject' : 'object'}({ ${members.join(', ')} })`;
}

function stringSource(schema: JsonSchema): string {
  const source = checked('z.string()', schema, CHECKS.string);
  return schema.pattern === undefined ? source : `${source}.regex(new RegExp(${JSON.stringify(schema.pattern)}))`;
}

function typeSource(type: string | undefined, schema: JsonSchema): string {
  if (type === 'object') return objectSource(schema);
  if (type === 'array') return checked(`z.array(${zodSource(schema.items ?? {})})`, schema, CHECKS.array);
  if (type === 'string') return stringSource(schema);
  if (type === 'integer') return checked('z.int()', schema, CHECKS.number);
  if (type === 'number') return checked('z.number()', schema, CHECKS.number);
  if (type === 'boolean') return 'z.boolean()';
  return type === 'null' ? 'z.null()' : 'z.unknown()';
}

function bareSource(schema: JsonSchema): string {
  if (schema.enum) return `z.enum(${JSON.stringify(schema.enum)})`;
  if (schema.const !== undefined) return `z.literal(${JSON.stringify(schema.const)})`;
  const { type, anyOf, ...rest } = schema;
  if (anyOf) return `z.union([${anyOf.map(zodSource).join(', ')}])`;
  if (typeof type === 'string' || type === undefined) return typeSource(type, schema);
  return `z.union([${type.map((each) => typeSource(each, rest)).join(', ')}])`;
}

/** The zod code that a person would write for this schema. */
export function zodSource(schema: JsonSchema): string {
  const source = bareSource(schema);
  return schema.description === undefined ? source : `${source}.describe(${JSON.stringify(schema.description)})`;
}
