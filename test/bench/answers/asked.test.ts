import { describe, expect, it } from 'vitest';
import { grouped } from '../../../src/lib/grouped.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { breaches, EMPTY_PART } from '../../support/sentence-limits.ts';
import { askWorld } from './asking.ts';
import last from './last.json' with { type: 'json' };
import type { Question } from './question.ts';
import { questions } from './questions.ts';
import { fartherFromTruth, type Kept, type Row } from './row.ts';
import { FIXED, needsFiles } from './world.ts';

const PRODUCT = 'dist/main.js';
/** Another seed asks other questions by day; all are asked of both worlds at night. */
const SEED = 26;
/** They read weeks of runs, or all series, for each answer. */
const LONG = new Set<Row['tool']>(['analyze_scenario', 'find_changes']);

const kindOf = ({ calls }: Question) => calls.map(([tool]) => tool).join(' ');
const turnOf = ({ number }: Question) => (number * 53 + SEED) % 97;
/**
 * By day, each in one of the worlds by turns: some of each combination of tools, but for those that need files, whose download takes longer
 * than all others together.
 */
const byDay = [...grouped(questions, kindOf).values()].flatMap((alike) => {
  const [{ calls } = { calls: [] }] = alike;
  if (needsFiles(calls)) return [];
  const share = calls.some(([tool]) => LONG.has(tool)) ? 1 / 3 : 2 / 3;
  return alike.toSorted((a, b) => turnOf(a) - turnOf(b)).slice(0, Math.ceil(share * alike.length));
});
const chosenOf = (index: number) => byDay.filter((_, turn) => turn % FIXED.length === index);

/** Tools whose answers begin with the sentence of a finding. */
const FINDING_FIRST = new Set<Row['tool']>(['compare_metrics', 'find_changes']);

describe('answers are as true as they were', () => {
  it.each(FIXED.map((world, index) => ({ world, index, name: world.name })))('in world $name', async ({ world, index }) => {
    const chosen = sampleSize({ full: 1, short: 0 }) ? questions : chosenOf(index);
    const rows = await askWorld(PRODUCT, world, chosen);
    const numbers = new Set(chosen.map(({ number }) => number));
    const isAsked = (key: string) => key.startsWith(`${world.name} `) && numbers.has(Number(/ (\d+)\./.exec(key)?.[1]));
    const before = Object.fromEntries(Object.entries(last as Kept).filter(([key]) => isAsked(key)));
    expect(fartherFromTruth(before, rows)).toEqual([]);
    const said = rows.map(({ number, tool, first }) => ({ number, first, isFinding: FINDING_FIRST.has(tool) }));
    expect(said.filter(({ first, isFinding }) => (isFinding ? breaches(first).length > 0 : EMPTY_PART.test(first)))).toEqual([]);
  });

  it('each tool that needs no downloaded files is asked by day, a third of the rows', () => {
    const toolsOf = (some: readonly Question[]) => new Set(some.flatMap(({ calls }) => calls.map(([tool]) => tool)));
    const rowsOf = (some: readonly Question[]) => some.flatMap(({ calls }) => calls).length;
    const fileless = questions.filter(({ calls }) => !needsFiles(calls));
    expect(toolsOf(byDay)).toEqual(toolsOf(fileless));
    expect(rowsOf(byDay) / (FIXED.length * rowsOf(fileless))).toBeCloseTo(1 / 3, 1);
  });
});
