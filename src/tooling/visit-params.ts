import * as z from 'zod';
import { deviceIds } from '../usecases/journeys/visit-filters.ts';
import * as p from './params.ts';

const names = Object.keys(deviceIds) as [keyof typeof deviceIds, ...(keyof typeof deviceIds)[]]; // it has members

/** Which days and visits the tools over visits look at: all parameters that they share. */
export const visitParams = {
  jobIds: p.refs('export job', 'Default all').optional(),
  startDate: p.startOf('Default 7 covered days, UTC').optional(),
  endDate: p.endOf('Last day').optional(),
  devices: z.array(z.enum(names)).min(1).describe('Default all').optional(),
  visitorType: z.enum(['new', 'returning']).optional(),
  countries: z.array(z.string().trim().min(1)).min(1).describe('Codes').optional(),
  browsers: z.array(z.string().trim().min(1)).min(1).describe('Names').optional(),
  entryPages: z.array(z.string().trim().min(1)).min(1).describe('Paths').optional(),
  automated: z.enum(['include', 'exclude']).optional(),
};
