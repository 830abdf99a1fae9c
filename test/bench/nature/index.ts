import { printTables, type Subjects } from '../verdicts/index.ts';
import { speedNature } from './speed.ts';

/** What can be asked for by its name: answers of the built tools in worlds that live through what real sites do. */
const SUBJECTS: Subjects = { speed: speedNature };

/** Prints what the built tools say of generated worlds: `npm run bench -- nature speed --worlds 200 --seed 1 --cell weekends`. */
export async function benchNature(args: readonly string[]): Promise<void> {
  await printTables(SUBJECTS, args);
}
