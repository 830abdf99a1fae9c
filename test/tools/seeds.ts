import type { Assistant } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { someOf } from '../support/sample-size.ts';
import { withTools } from './support.ts';

/** The seeds of platforms on which what is planted has to be found. */
export const SEEDS = someOf([1, 2, 3, 4, 5], 1);

/** A test with an assistant on the platform of its seed. */
export const onSeed = (run: (assistant: Assistant, platform: Platform) => Promise<void>) => (seed: number) => withTools(run, {}, { seed });
