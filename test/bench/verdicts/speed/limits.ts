import { fitCourse, penaltyOf, strongestParts } from '../../../../src/speed/engine/course.ts';
import { fitParts, frameOf, gainOfPart, likelihoodOf, type Part } from '../../../../src/speed/engine/gls.ts';
import { slowVariance } from '../../../../src/speed/engine/noise.ts';
import { tailOf } from '../../../../src/statistics/tails.ts';
import type { Table, Trial } from '../../tables.ts';
import { EFFECT } from './outcome.ts';
import { DAY_MS, makeWorld, type Nature } from './worlds.ts';

const RUNS = [12, 24, 37, 74, 148, 296, 888, 3552];
const PHIS = [0, 0.3, 0.6, 0.8, 0.9, 0.95];
const KINDS = ['step', 'bump', 'line'] as const;
const QUANTILES = [0.95, 0.98, 0.99, 0.995];
const LONGEST_DAYS = 37;

function natureOf(runs: number, ar: number): Nature {
  const days = Math.min(runs, LONGEST_DAYS);
  const periodDays = Math.floor(days / 5);
  const cadenceMs = (days * DAY_MS) / runs;
  return { cadenceMs, baselineDays: days - periodDays, periodDays, noise: 0.1, ar, outliers: 0, cycle: 'none' };
}

/** The largest gain of each kind of part in a series in which nothing changed. */
function largestGains(nature: Nature, seed: number): Record<Part['kind'], number> {
  const { runs, shortest } = fitCourse(makeWorld(nature, { kind: 'stable' }, seed), { effect: EFFECT, timeZone: 'UTC' });
  const none = likelihoodOf(runs, []).noise;
  const most = { step: 0, bump: 0, line: 0 };
  const line = { kind: 'line', from: 0, to: runs.x.length } as const;
  for (const { part } of [...strongestParts(frameOf(runs, none), [], shortest), { part: line }]) {
    const whole = likelihoodOf(runs, [part]);
    const lasting = part.kind === 'bump' ? [] : [part];
    const inflation = slowVariance(fitParts(frameOf(runs, whole.noise), lasting).residual, whole.noise.sigma);
    const gain = gainOfPart(runs, [part], part, whole).gain / inflation - penaltyOf(part, runs.x.length);
    most[part.kind] = Math.max(most[part.kind], gain);
  }
  return most;
}

/** How many independent scores the largest one of a search is as large as: the table of score-limits.ts, each at several quantiles. */
export function* speedLimits({ worlds, seed, only = '' }: Trial): Generator<Table> {
  for (const runs of RUNS) {
    const lines = PHIS.filter((ar) => `${runs} runs, ${ar}`.includes(only)).map((ar) => {
      const gains = Array.from({ length: worlds }, (_, world) => largestGains(natureOf(runs, ar), 9_000_000 * seed + world));
      const ofKind = KINDS.map((kind) => {
        const sorted = gains.map((each) => each[kind]).toSorted((a, b) => a - b);
        const scoreAt = (share: number) => Math.sqrt(Math.max(0, sorted[Math.floor(share * worlds)] ?? 0));
        return QUANTILES.map((share) => ((1 - share) / tailOf(scoreAt(share))).toFixed(1)).join(' ');
      });
      return { cells: [`${ar}`, ...ofKind] };
    });
    yield { title: `Independent scores, ${runs} runs, at ${QUANTILES.join(', ')}`, columns: ['autocorrelation', ...KINDS], lines };
  }
}
