import type * as z from 'zod';
import type { Deprecation } from './tool.ts';

/** The first words of the description of a name that the next major version removes. */
export function deprecationWords({ since, use }: Deprecation): string {
  return `Deprecated since ${since}: use ${use}.`;
}

const deprecatedParams = new WeakMap<z.core.$ZodType, Deprecation>();

/** An argument that goes with the next major version: listed with the one that takes its place, to which its value is moved. */
export function deprecated<Schema extends z.ZodType>(schema: Schema, deprecation: Deprecation) {
  const listed = schema.optional().describe(deprecationWords(deprecation));
  deprecatedParams.set(listed, deprecation);
  return listed;
}

/** Since when an argument is deprecated, and for which; undefined where it is not. */
export function deprecationOf(schema: z.core.$ZodType | undefined): Deprecation | undefined {
  return schema && deprecatedParams.get(schema);
}
