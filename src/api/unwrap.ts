import type * as z from 'zod';

/** The schema inside `optional`, `default` and other wrappers; with `isFound` the first of them that it accepts. */
export function unwrap(schema: z.core.$ZodType, isFound: (schema: z.core.$ZodType) => boolean = () => false): z.core.$ZodType {
  const { def } = schema._zod;
  // Each wrapper of zod holds a schema here, which its common type does not say.
  return 'innerType' in def && !isFound(schema) ? unwrap(def.innerType as z.core.$ZodType, isFound) : schema;
}
