import { hash } from '../random.ts';

/** Which step of which run of which scenario (by place in the list) is meant. */
export interface StepResultKey {
  readonly scenarioIndex: number;
  readonly hour: number;
  readonly stepIndex: number;
}

const MASK = 0x0fff_ffff;
const FACTOR = 0x0b5297a5;
const LETTERS = 'abcdef';

/** The factor's inverse modulo 2^28, by Newton's iteration: each round doubles the number of right bits. */
function inverse(odd: number): number {
  let x = odd;
  for (let round = 0; round < 5; round += 1) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x & MASK;
}
const INVERSE = inverse(FACTOR);

/** `resultId` of a run: unique over all scenarios, growing with time. */
export function resultIdOf(scenarioIndex: number, hour: number): number {
  return hour * 16 + scenarioIndex;
}

/** The numeric form of a step result's id, as in `stepResultId` of the step report. */
export function stepResultNumber({ scenarioIndex, hour, stepIndex }: StepResultKey): number {
  return resultIdOf(scenarioIndex, hour) * 8 + stepIndex;
}

function textOf(seed: number, number: number): string {
  const check = hash(seed, number);
  // Begins with a letter, so that nobody takes an id of digits alone, or 12e4…, for a number.
  const letter = LETTERS[check % LETTERS.length] ?? 'a';
  const body = (Math.imul(number, FACTOR) & MASK).toString(16).padStart(7, '0');
  return letter + body + check.toString(16).padStart(8, '0');
}

/** The opaque form, 16 hex digits; holds all that is needed to compute the step result again. */
export function stepResultIdOf(seed: number, key: StepResultKey): string {
  return textOf(seed, stepResultNumber(key));
}

/** The reverse; undefined for a text that was not issued under this seed. */
export function parseStepResultId(seed: number, text: string): StepResultKey | undefined {
  if (!/^[a-f][0-9a-f]{15}$/.test(text)) return undefined;
  const number = Math.imul(Number.parseInt(text.slice(1, 8), 16), INVERSE) & MASK;
  if (textOf(seed, number) !== text) return undefined;
  return { scenarioIndex: Math.floor(number / 8) % 16, hour: Math.floor(number / 128), stepIndex: number % 8 };
}
