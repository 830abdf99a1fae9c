import * as z from 'zod';
import { paramFacts } from './params.ts';

const someText = z.string().trim().min(1);
const zoneOrContainer = someText.describe('').register(paramFacts, { ref: 'zone', orWithin: true });

/** Zones, or a zoning or screen for all of its zones. */
export const zoneIds = z
  .array(zoneOrContainer as unknown as z.ZodType<number, number | string>) // the boundary replaces the name by ids
  .min(1)
  .describe('Zones, paths, screens')
  .optional();

/** Several projects, or all of the credential, in one table; the boundary asks each. */
export const projectIds = z.array(someText).min(1).describe('Or all').optional();
