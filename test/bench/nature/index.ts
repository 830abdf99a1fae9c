import type { Subjects } from '../tables.ts';
import { failureNature } from './failures.ts';
import { metricsNature } from './metrics.ts';
import { pairNature } from './pairs.ts';
import { speedNature } from './speed.ts';

/** What can be asked for by its name: answers of the built tools in worlds that live through what real sites do. */
export const NATURE: Subjects = { metrics: metricsNature, speed: speedNature, failures: failureNature, pairs: pairNature };
