import type { Platform } from '../../support/emulator.ts';
import { truthOf, type Wanted } from '../../support/truth.ts';
import { WIRE_WEEK } from '../support.ts';

/** Sums over the sessions of the test week. */
export type SumOfWeek = ReturnType<typeof truthOf>;

/** What a metric of the test week is made of by its definition. */
export function sumOfWeek(platform: Platform, wanted: Omit<Wanted, 'from' | 'to'> = {}): SumOfWeek {
  return truthOf(platform, { from: WIRE_WEEK.startDate, to: WIRE_WEEK.endDate, ...wanted });
}
