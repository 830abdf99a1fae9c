import { binomialDistribution, sum } from 'simple-statistics';
import type { Table, Trial } from '../verdicts/metrics/trial.ts';
import { openSpeedBench, type SpeedBench, tallyOf } from './speed-bench.ts';
import { type Failing, makeSpeedWorld } from './speed-worlds.ts';

const DAY_MS = 86_400_000;
/** The false alarms that are allowed, of the answers and of the reference alike. */
const ALPHA = 0.02;

interface Case {
  readonly name: string;
  readonly runsADay: number;
  readonly failing: Failing;
}

const sinceThreeDays = (share: number) => ({ share, sinceDays: 3 });

const CASES: readonly Case[] = [24, 48, 96].flatMap((runsADay) =>
  (
    [
      ['1 %', { share: 0.01 }],
      ['3 %', { share: 0.03 }],
      ['10 %', { share: 0.1 }],
      ['1 % and outages', { share: 0.01, outages: 0.1 }],
      ['3 → 12 %', { share: 0.03, later: sinceThreeDays(0.12) }],
      ['3 → 20 %', { share: 0.03, later: sinceThreeDays(0.2) }],
      ['1 → 12 %', { share: 0.01, later: sinceThreeDays(0.12) }],
    ] as const
  ).map(([name, failing]) => ({ name: `${name}, ${runsADay} runs a day`, runsADay, failing })),
);

interface Answer {
  readonly failureVerdict: string;
}

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The most powerful test of the last three days, by one who knows the share before and the day of the change. */
function isSeenByReference(failed: readonly boolean[], share: number): boolean {
  const fewer = (binomialDistribution(failed.length, share) ?? []).slice(0, failed.filter(Boolean).length);
  return 1 - sum(fewer) <= ALPHA;
}

interface Outcome {
  readonly verdict: string;
  readonly isTold: boolean;
  /** Begins within a day of it, in the view of failures. */
  readonly isDated: boolean;
  readonly isReference: boolean;
}

async function outcomeOf({ runsADay, failing }: Case, seed: number, { judge }: SpeedBench): Promise<Outcome> {
  const world = makeSpeedWorld({ runsADay, noise: 0.1, failing }, seed);
  const { failureVerdict } = (await judge(world)) as Answer; // in their documented form
  const { columns, rows } = (await judge(world, { view: 'failures' })) as Rows;
  const since = rows[0]?.[columns.indexOf('since')];
  const changedMs = world.endMs - 3 * DAY_MS;
  const late = world.reports.filter(({ date }) => date >= changedMs).map(({ summary }) => summary.fail > 0);
  return {
    verdict: failureVerdict,
    isTold: failureVerdict === 'fails more often',
    isDated: typeof since === 'string' && Math.abs(Date.parse(since) - changedMs) <= DAY_MS,
    isReference: isSeenByReference(late, failing.share),
  };
}

async function cellsOf(each: Case, { worlds, seed }: Trial, bench: SpeedBench): Promise<string[]> {
  const outcomes: Outcome[] = [];
  for (let world = 0; world < worlds; world += 1) outcomes.push(await outcomeOf(each, seed * 1_000_003 + world * 7_919 + 29, bench));
  const { share, verdicts } = tallyOf(outcomes);
  const isChange = each.failing.later !== undefined;
  return [
    each.name,
    isChange ? share(({ isTold }) => isTold) : '',
    isChange ? share(({ isDated }) => isDated) : '',
    isChange ? '' : share(({ isTold }) => isTold),
    share(({ isReference }) => isReference),
    verdicts,
  ];
}

/** Scenarios whose runs fail, evenly or in outages, and more often since three days; `only` is a part of the name of a case. */
export async function* failureNature(trial: Trial): AsyncGenerator<Table> {
  const bench = await openSpeedBench();
  try {
    for (const each of CASES.filter(({ name }) => name.includes(trial.only ?? '')))
      yield {
        title: 'Failures through the built tool; the reference knows the share before and the day',
        columns: ['scenario', 'found', 'dated in the view', 'false', 'reference at 2 %', 'verdicts'],
        lines: [{ cells: await cellsOf(each, trial, bench) }],
      };
  } finally {
    await bench.close();
  }
}
