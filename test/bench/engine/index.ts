import { printTables } from '../verdicts/index.ts';
import { comparedDays } from './days.ts';
import { comparedRuns } from './runs.ts';

/** Both engines on the same worlds: `days --worlds 60 --seed 1 --cell 'days found/'`, or `runs`. */
export async function benchEngine(args: readonly string[]): Promise<void> {
  await printTables({ days: comparedDays, runs: comparedRuns }, args);
}
