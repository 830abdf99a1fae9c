import { judgeSeries } from '../../../src/domain/speed/engine/judge-series.ts';
import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import { type Cell, cells } from '../verdicts/speed/cells.ts';
import { EFFECT, EXPECTED } from '../verdicts/speed/outcome.ts';
import { makeWorld, type World } from '../verdicts/speed/worlds.ts';
import { addTo, askBoth, COLUMNS, emptyTally, lineOf, type Said, type Tally } from './compared.ts';
import { type JudgedRuns, judgeRuns } from './judge-runs.ts';

/** The answer of the old engine, in the words of the new one. */
function formerly({ dates, values, period }: World): JudgedRuns {
  const verdict = judgeSeries({ dates, values }, { period, effect: EFFECT, timeZone: 'UTC' });
  const place = (ms: number) => dates.indexOf(ms);
  const rangeOf = ({ startMs, endMs }: { startMs: number; endMs: number }) => ({ from: place(startMs), to: place(endMs) });
  if ('change' in verdict) return { state: verdict.state, at: place(verdict.change.atMs), range: rangeOf(verdict.change.range) };
  if ('episode' in verdict) return { state: verdict.state, at: place(verdict.episode.fromMs), range: rangeOf(verdict.episode.began) };
  return { state: verdict.state };
}

/** Runs by which the first run of a change may be off to count as exact: what the middle one of a step of 20 % is. */
const NEAR = 1;

function measure(cell: Cell, number: number, { worlds, seed }: Trial): Tally {
  const { group, shape, nature } = cell;
  const expected: readonly string[] = group === 'sparse' && shape.kind === 'step' ? ['slower'] : EXPECTED[group];
  const tally = emptyTally();
  for (let index = 0; index < worlds; index += 1) {
    const world = makeWorld(nature, shape, seed * 1_000_003 + number * 10_007 + index);
    const truth = world.changes.at(shape.kind === 'bump' ? 0 : -1) ?? 0;
    const saidOf = ({ state, at, range }: JudgedRuns): Said => {
      // Of what is steady, that something is said is counted.
      if (shape.kind === 'stable') return { isSaid: !expected.includes(state) };
      if (!expected.includes(state) || at === undefined || !range) return { isSaid: expected.includes(state) };
      return { isSaid: true, isExact: Math.abs(at - truth) <= NEAR, isCovered: range.from < truth && range.to >= truth };
    };
    askBoth(
      tally,
      () => saidOf(formerly(world)),
      () => saidOf(judgeRuns(world.dates, world.values, world.period.startMs, EFFECT)),
    );
  }
  return tally;
}

/** The cells of runs, judged by both engines on the same worlds. */
export function* comparedRuns(trial: Trial): Generator<Table> {
  const numbered = cells.map((cell, number) => ({ cell, number }));
  for (const kind of ['found', 'false'] as const) {
    const all = emptyTally();
    const title = `runs ${kind}`;
    for (const group of new Set(cells.map((cell) => cell.group))) {
      const ofGroup = emptyTally();
      for (const { cell, number } of numbered) {
        const name = `${title}/${cell.id}`;
        if (cell.group !== group || (cell.shape.kind === 'stable') !== (kind === 'false') || !name.includes(trial.only ?? '')) continue;
        const tally = measure(cell, number, trial);
        for (const sums of [ofGroup, all]) addTo(sums, tally);
        yield { title, columns: COLUMNS, lines: [lineOf(name, tally)] };
      }
      if (ofGroup.questions > trial.worlds) yield { title, columns: COLUMNS, lines: [lineOf(`all: ${group}`, ofGroup)] };
    }
    if (all.questions > 0) yield { title, columns: COLUMNS, lines: [lineOf('all', all)] };
  }
}
