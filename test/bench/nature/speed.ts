import type { Trial } from '../tables.ts';
import { judgedByTool, judgeScenario } from './platforms.ts';
import { makeSpeedWorld, type Nature } from './speed-worlds.ts';

const DAY_MS = 86_400_000;
const USUAL: Nature = { runsADay: 24, noise: 0.1 };
const SHOP: Nature = { ...USUAL, weekends: 0.15 };
const RARE: Nature = { ...USUAL, runsADay: 4 };
const NIGHT_GAP: Nature['gaps'] = [
  [20, 4],
  [9, 1],
];

/** What should be said: that nothing changed, that it became slower, for good or for a time, two levels, or a slope. */
type Truth = 'steady' | 'slower' | 'was slower' | 'two levels' | 'drifting';

interface Case extends Nature {
  readonly name: string;
  readonly truth: Truth;
}

const shift = (size: number, sinceDays: number) => ({ size, sinceDays });

const CASES: readonly Case[] = [
  { ...USUAL, name: 'nothing', truth: 'steady' },
  { ...SHOP, name: 'weekends 15 % faster', truth: 'steady' },
  { ...SHOP, afternoons: 0.12, name: 'weekends and afternoons', truth: 'steady' },
  { ...USUAL, days: 0.04, name: 'days of their own level, 4 %', truth: 'steady' },
  { ...USUAL, days: 0.06, name: 'days of their own level, 6 %', truth: 'steady' },
  { ...SHOP, days: 0.04, name: 'weekends and days of 4 %', truth: 'steady' },
  { ...USUAL, gaps: NIGHT_GAP, name: 'gaps', truth: 'steady' },
  { ...RARE, name: '4 runs a day', truth: 'steady' },
  { ...RARE, days: 0.04, name: '4 runs a day, days of 4 %', truth: 'steady' },
  { ...SHOP, shift: shift(0.2, 3), name: 'weekends, +20 % since 3 days', truth: 'slower' },
  { ...SHOP, shift: shift(0.2, 5), name: 'weekends, +20 % since 5 days', truth: 'slower' },
  { ...SHOP, shift: shift(0.4, 3), name: 'weekends, +40 % since 3 days', truth: 'slower' },
  { ...SHOP, shift: shift(0.12, 5), name: 'weekends, +12 % since 5 days', truth: 'slower' },
  { ...SHOP, afternoons: 0.12, shift: shift(0.12, 5), name: 'weekends and afternoons, +12 % since 5 days', truth: 'slower' },
  { ...USUAL, shift: shift(0.12, 5), name: '+12 % since 5 days', truth: 'slower' },
  { ...USUAL, gaps: [[6, 2]], shift: shift(0.2, 4), name: '+20 % after a gap of 2 days', truth: 'slower' },
  { ...SHOP, gaps: NIGHT_GAP, shift: shift(0.2, 5), name: 'weekends and gaps, +20 % since 5 days', truth: 'slower' },
  { ...RARE, shift: shift(0.2, 5), name: '4 runs a day, +20 % since 5 days', truth: 'slower' },
  { ...RARE, shift: shift(0.4, 5), name: '4 runs a day, +40 % since 5 days', truth: 'slower' },
  { ...RARE, weekends: 0.15, shift: shift(0.4, 5), name: '4 runs a day, weekends, +40 % since 5 days', truth: 'slower' },
  { ...USUAL, deploys: 0.04, shift: shift(0.2, 4), name: 'deploys of ±4 %, +20 % since 4 days', truth: 'slower' },
  { ...SHOP, deploys: 0.04, shift: shift(0.2, 4), name: 'weekends, deploys of ±4 %, +20 % since 4 days', truth: 'slower' },
  { ...USUAL, days: 0.04, shift: shift(0.2, 5), name: 'days of 4 %, +20 % since 5 days', truth: 'slower' },
  { ...USUAL, days: 0.04, shift: shift(0.4, 3), name: 'days of 4 %, +40 % since 3 days', truth: 'slower' },
  { ...USUAL, shift: { ...shift(0.5, 5), share: 0.3 }, name: '30 % of runs +50 % since 5 days', truth: 'two levels' },
  { ...SHOP, shift: { ...shift(1, 5), share: 0.2 }, name: 'weekends, 20 % of runs +100 % since 5 days', truth: 'two levels' },
  { ...USUAL, shift: { ...shift(0.12, 12), untilDays: 9 }, name: '+12 % for three days', truth: 'was slower' },
  { ...SHOP, shift: { ...shift(0.2, 12), untilDays: 10 }, name: 'weekends, +20 % for two days', truth: 'was slower' },
  { ...USUAL, shift: { ...shift(0.3, 37), isRamp: true }, name: 'slope of 30 % over 37 days', truth: 'drifting' },
  { ...SHOP, shift: { ...shift(0.12, 37), isRamp: true }, name: 'weekends, slope of 12 % over 37 days', truth: 'drifting' },
  { ...USUAL, days: 0.04, shift: { ...shift(0.3, 37), isRamp: true }, name: 'days of 4 %, slope of 30 % over 37 days', truth: 'drifting' },
];

interface Answer {
  readonly answer: string;
  readonly verdict: string;
  /** Beside the verdict that runs fail. */
  readonly speedVerdict?: string;
  readonly findings?: readonly { readonly when: { readonly from?: string } }[];
}

const CALM: ReadonlySet<string> = new Set(['steady', 'unstable']);

/** Scenarios that live through real weeks, judged by the built tool; `only` is a part of the name of a case. */
export const speedNature = (trial: Trial) =>
  judgedByTool(trial, {
    title: 'Scenarios through the built tool',
    columns: ['scenario', 'found', 'and dated', 'false', 'found or told', 'verdicts', 'ms a call'],
    cases: CASES,
    own: () => 17,
    // `isDated` where its beginning is named within a day, `isTold` where it says that something may have moved.
    async outcomeOf({ truth, ...nature }, seed, bench) {
      const world = makeSpeedWorld(nature, seed);
      const { changedMs } = world;
      const startedAt = performance.now();
      const said = await judgeScenario<Answer>(bench, world);
      const ms = performance.now() - startedAt;
      // One in a hundred runs fails here, which may be called failing: what is said of speed beside it counts.
      const verdict = said.speedVerdict ?? said.verdict;
      const isRight = truth === 'steady' ? CALM.has(verdict) : verdict === truth;
      const fromMs = Date.parse(said.findings?.[0]?.when.from ?? '');
      const isDated = isRight && (changedMs === undefined || Math.abs(fromMs - changedMs) < DAY_MS);
      return { verdict, isRight, isDated, isTold: isRight || /not certain|may have/.test(said.answer), ms };
    },
    cellsOf({ truth }, { outcomes, share, verdicts }) {
      const isSteady = truth === 'steady';
      return [
        isSteady ? '' : share(({ isRight }) => isRight),
        isSteady || truth === 'drifting' ? '' : share(({ isDated }) => isDated),
        isSteady ? share(({ isRight }) => !isRight) : '',
        isSteady ? '' : share(({ isTold }) => isTold),
        verdicts,
        (outcomes.reduce((sum, { ms }) => sum + ms, 0) / trial.worlds).toFixed(0),
      ];
    },
  });
