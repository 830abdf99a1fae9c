import { binomialDistribution, sum } from 'simple-statistics';
import type { Trial } from '../tables.ts';
import { judgedByTool, judgeScenario } from './platforms.ts';
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

/** The most powerful test of the last three days, by one who knows the share before and the day of the change. */
function isSeenByReference(failed: readonly boolean[], share: number): boolean {
  const fewer = (binomialDistribution(failed.length, share) ?? []).slice(0, failed.filter(Boolean).length);
  return 1 - sum(fewer) <= ALPHA;
}

/** Scenarios whose runs fail, evenly or in outages, and more often since three days; `only` is a part of the name of a case. */
export const failureNature = (trial: Trial) =>
  judgedByTool(trial, {
    title: 'Failures through the built tool; the reference knows the share before and the day',
    columns: ['scenario', 'found', 'dated in the view', 'false', 'reference at 2 %', 'verdicts'],
    cases: CASES,
    own: () => 29,
    // `isDated` where the view of failures lets it begin within a day of the change.
    async outcomeOf({ runsADay, failing }, seed, bench) {
      const world = makeSpeedWorld({ runsADay, noise: 0.1, failing }, seed);
      const { failureVerdict: verdict } = await judgeScenario<{ failureVerdict: string }>(bench, world);
      const { columns, rows } = await judgeScenario<{ columns: string[]; rows: unknown[][] }>(bench, world, { view: 'failures' });
      const since = rows[0]?.[columns.indexOf('since')];
      const changedMs = world.endMs - 3 * DAY_MS;
      const late = world.reports.filter(({ date }) => date >= changedMs).map(({ summary }) => summary.fail > 0);
      return {
        verdict,
        isTold: verdict === 'fails more often',
        isDated: typeof since === 'string' && Math.abs(Date.parse(since) - changedMs) <= DAY_MS,
        isReference: isSeenByReference(late, failing.share),
      };
    },
    cellsOf({ failing }, { share, verdicts }) {
      const isChange = failing.later !== undefined;
      const told = share(({ isTold }) => isTold);
      const dated = isChange ? share(({ isDated }) => isDated) : '';
      return [isChange ? told : '', dated, isChange ? '' : told, share(({ isReference }) => isReference), verdicts];
    },
  });
