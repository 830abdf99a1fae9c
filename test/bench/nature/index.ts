import { printTables, type Subjects } from '../verdicts/index.ts';
import { failureNature } from './failures.ts';
import { metricsNature } from './metrics.ts';
import { pairNature } from './pairs.ts';
import { speedNature } from './speed.ts';

/** What can be asked for by its name: answers of the built tools in worlds that live through what real sites do. */
export const SUBJECTS: Subjects = { metrics: metricsNature, speed: speedNature, failures: failureNature, pairs: pairNature };

/** Prints what the built tools say of generated worlds: `npm run bench -- nature metrics --worlds 200 --seed 1 --cell young`. */
export async function benchNature(args: readonly string[]): Promise<void> {
  await printTables(SUBJECTS, args);
}
