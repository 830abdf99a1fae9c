import { judgeTogether, type Tracked } from '../../../../src/speed/engine/judge-series.ts';
import { times } from '../../../support/times.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { type Cell, cells } from './cells.ts';
import { EFFECT, type Outcome, outcomeOf } from './outcome.ts';
import { DAY_MS, makeWorld, type Shape, USUAL_NATURE } from './worlds.ts';

const METRICS = 8;
const NOISES = [0.05, 0.1, 0.2, 0.3];
/** An answer takes as long as dozens of series, so that fewer of them are made than of single worlds. */
const WORLDS_OF_AN_ANSWER = 4;

interface Site {
  readonly scenarios: number;
  /** Of the first scenario, in all its metrics; nothing changes without one. */
  readonly slower?: number;
}

const SITES: readonly Site[] = [{ scenarios: 1 }, { scenarios: 10 }, { scenarios: 10, slower: 0.2 }, { scenarios: 10, slower: 0.4 }];
const nameOf = ({ scenarios, slower = 0 }: Site) =>
  `together, ${scenarios} × ${METRICS} series, 1 h, ${slower > 0 ? `one scenario +${100 * slower} %` : 'nothing changed'}`;

/** Independent series with the noise of all kinds of metrics; only the shape of the first scenario is the same in all its metrics. */
function seriesOf({ scenarios, slower = 0 }: Site, seed: number): { tracked: Tracked[]; period: { startMs: number; endMs: number } } {
  const step: Shape = { kind: 'step', size: slower, agoMs: [4 * DAY_MS, 4 * DAY_MS] };
  const endMs = Date.parse('2026-06-01T00:00:00Z');
  const tracked = times(scenarios * METRICS, (index) => {
    const [scenario, metric] = [Math.floor(index / METRICS), index % METRICS];
    const nature = { ...USUAL_NATURE, noise: NOISES[metric % NOISES.length] ?? 0.1, ar: metric < NOISES.length ? 0.3 : 0.9 };
    const world = makeWorld(nature, slower > 0 && scenario === 0 ? step : { kind: 'stable' }, seed + index);
    // All end at one instant, at whole weeks from their own, so that their weekdays stay.
    const shiftMs = Math.ceil((world.period.endMs - endMs) / DAY_MS / 7) * 7 * DAY_MS;
    const series = { dates: world.dates.map((date) => date - shiftMs), values: world.values };
    return { group: `${scenario}`, rank: metric, series, effect: EFFECT };
  });
  return { tracked, period: { startMs: endMs - 7 * DAY_MS, endMs } };
}

function answersOf(site: Site, { worlds, seed }: Trial): string[] {
  const answers = Math.ceil(worlds / WORLDS_OF_AN_ANSWER);
  const counts = { false: 0, named: 0, wrong: 0, headlines: 0 };
  for (let answer = 0; answer < answers; answer += 1) {
    const { tracked, period } = seriesOf(site, seed * 1_000_003 + 500_000_000 + answer * 1_009);
    const judged = judgeTogether(tracked, { period, timeZone: 'UTC' });
    const moved = judged.filter(({ state }) => !['steady', 'unstable', 'not enough data'].includes(state));
    const wrong = moved.filter(({ group }) => site.slower === undefined || group !== '0');
    counts.false += wrong.length > 0 ? 1 : 0;
    counts.wrong += wrong.length;
    counts.named += moved.length;
    const [headline] = judged;
    counts.headlines += site.slower !== undefined && headline?.group === '0' && headline.state === 'slower' ? 1 : 0;
  }
  return [
    nameOf(site),
    `${answers}`,
    percent(counts.false, answers, 1),
    percent(counts.wrong, counts.named, 1),
    site.slower === undefined ? '' : percent(counts.headlines, answers, 1),
    (counts.named / answers).toFixed(2),
  ];
}

/** Whole answers about several scenarios: how many of them name a change that is none, and whether the true one leads. */
function together(trial: Trial): Table {
  const asked = SITES.filter((site) => nameOf(site).includes(trial.only ?? ''));
  return {
    title: 'Scenarios: several series together',
    columns: ['world', 'answers', 'with a false change', 'false among the named', 'led by the slower scenario', 'series named an answer'],
    lines: asked.map((site) => ({ cells: answersOf(site, trial) })),
  };
}

const COLUMNS = [
  'world',
  'right',
  'reference',
  'wrong states',
  'instant off, runs (reference)',
  'in range',
  'before off',
  'since off',
  'CPU ms',
];

const shareOf = (outcomes: readonly Outcome[], holds: (outcome: Outcome) => boolean, digits = 1) =>
  percent(outcomes.filter(holds).length, outcomes.length, digits);

/** The middle of the numbers that are there. */
function middle(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined).toSorted((a, b) => a - b);
  return known[known.length >> 1];
}

/** States that worlds of a cell were called by mistake, the most frequent first. */
function mistakesIn(outcomes: readonly Outcome[]): string {
  const states = new Map<string, number>();
  for (const { state, isRight } of outcomes) if (!isRight) states.set(state, (states.get(state) ?? 0) + 1);
  return [...states]
    .toSorted((a, b) => b[1] - a[1])
    .map(([state, count]) => `${state} ${count}`)
    .join(', ');
}

function cellsOf({ id, group, shape }: Cell, outcomes: readonly Outcome[]): string[] {
  const off = middle(outcomes.map(({ offRuns }) => offRuns));
  const oracleOff = middle(outcomes.filter(({ oracleIsRight }) => oracleIsRight).map(({ oracleOffRuns }) => oracleOffRuns));
  const inRange = outcomes.filter(({ isInRange }) => isInRange !== undefined);
  const error = (of: (outcome: Outcome) => number | undefined) => {
    const size = middle(outcomes.map((outcome) => of(outcome)).map((value) => (value === undefined ? undefined : Math.abs(value))));
    return size === undefined ? '' : percent(size, 1, 1);
  };
  return [
    id,
    shareOf(outcomes, ({ isRight }) => isRight),
    // The reference knows the scatter, and says nothing of it.
    group === 'unstable' ? '' : shareOf(outcomes, ({ oracleIsRight }) => oracleIsRight),
    mistakesIn(outcomes),
    // The reference dates steps only.
    off === undefined ? '' : shape.kind === 'bump' ? `${off}` : `${off} (${oracleOff ?? '–'})`,
    inRange.length === 0 ? '' : shareOf(inRange, ({ isInRange }) => isInRange === true, 0),
    error(({ beforeError }) => beforeError),
    error(({ sinceError }) => sinceError),
    (outcomes.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / outcomes.length).toFixed(1),
  ];
}

/** Verdicts on generated scenarios, a table for each kind of world. */
export function* speedVerdicts({ worlds, seed, only = '' }: Trial): Generator<Table> {
  const numbered = cells.map((cell, number) => ({ cell, number }));
  for (const group of new Set(cells.map((cell) => cell.group))) {
    const asked = numbered.filter(({ cell }) => cell.group === group && cell.id.includes(only));
    const lines = asked.map(({ cell, number }) => {
      // Worlds of their own for each row, so that one unlucky draw of noise does not show in all.
      const outcomes = times(worlds, (index) => outcomeOf(cell, seed * 1_000_003 + number * 10_007 + index));
      return { cells: cellsOf(cell, outcomes) };
    });
    yield { title: `Scenarios: ${group}`, columns: COLUMNS, lines };
  }
  yield together({ worlds, seed, only });
}
