import * as z from 'zod';
import { deviceIds } from '../journeys/visit-filters.ts';
import * as p from './params.ts';

const names = Object.keys(deviceIds) as [keyof typeof deviceIds, ...(keyof typeof deviceIds)[]]; // it has members

/** Which days and visits the tools over visits look at: all parameters that they share. */
export const visitParams = {
  jobIds: p.refs('export job', 'Default all').optional(),
  startDate: p.startOf('Default 7 covered days, UTC').optional(),
  endDate: p.endOf('Last day').optional(),
  devices: z.array(z.enum(names)).min(1).describe('Default all').optional(),
  visitorType: z.enum(['new', 'returning']).optional(),
  countries: p.texts('Codes'),
  browsers: p.texts('Names'),
  entryPages: p.texts('Paths'),
  automated: z.enum(['include', 'exclude']).optional(),
};
