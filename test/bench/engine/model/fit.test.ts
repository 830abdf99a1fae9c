import { describe, expect, it } from 'vitest';
import { seeded } from '../../verdicts/random.ts';
import {
  changeColumn,
  deletedResiduals,
  emptyKnowns,
  fitOf,
  knownFrom,
  knownOf,
  knownUntil,
  type Regressor,
  withoutInterval,
} from './fit.ts';
import { filterOf, type NoiseShape, sharingDays, stepEnergies, type Timing, walking, whiten, whitenBack } from './kalman.ts';
import { backwards, dotOf, factorise, forwards } from './linear.ts';

const { normal } = seeded(11);
const TIMES = Float64Array.from([0, 1, 2, 3, 5, 6, 7, 10, 11, 12, 13, 14]);
const SIZE = TIMES.length;
const noise: NoiseShape = {
  sampling: Float64Array.from(TIMES, (_, at) => (at === 5 ? Number.POSITIVE_INFINITY : 0.1 + 0.02 * at)),
  shock: 0.5,
  carry: 0.6,
  slow: 0.2,
};

/** The covariance of the noise, written out. */
function covariance(timing: Timing, { sampling, shock, carry, slow }: NoiseShape): number[][] {
  const kept = (from: number, to: number) => Array.from(timing.kept.subarray(from, to)).reduce((all, value) => all * value, 1);
  const variances = [slow * timing.first];
  for (let at = 1; at < SIZE; at += 1)
    variances.push((timing.kept[at - 1] ?? 0) ** 2 * (variances[at - 1] ?? 0) + slow * (timing.added[at - 1] ?? 0));
  return Array.from(TIMES, (time, row) =>
    Array.from(TIMES, (other, column) => {
      const [first, last] = [Math.min(row, column), Math.max(row, column)];
      const own = row === column ? Math.min(1e12, sampling[row] ?? 0) : 0;
      return shock * carry ** Math.abs(time - other) + (variances[first] ?? 0) * kept(first, last) + own;
    }),
  );
}

function product(timing: Timing, a: Float64Array, b: Float64Array): number {
  const factor = Float64Array.from(covariance(timing, noise).flat());
  factorise(factor, SIZE);
  return dotOf(a, backwards(factor, SIZE, forwards(factor, SIZE, b.slice())));
}

const draw = () => Float64Array.from(TIMES, normal);
const timings = {
  walk: walking(TIMES),
  days: sharingDays(
    TIMES,
    Array.from(TIMES, (time) => Math.floor(time / 3)),
  ),
};

describe.each(Object.entries(timings))('noise with a slow part: %s', (_name, timing) => {
  const filter = filterOf(timing, noise);

  it('is whitened to the inverse of its covariance, a missing value left out', () => {
    const [a, b] = [draw(), draw()];
    const white = [a, b].map((column) => {
      const own = new Float64Array(SIZE);
      whiten(filter, column, own);
      return own;
    });
    expect(dotOf(white[0] ?? a, white[1] ?? b)).toBeCloseTo(product(timing, a, b), 6);
    const back = new Float64Array(SIZE);
    whitenBack(filter, white[1] ?? b, back);
    expect(dotOf(a, back)).toBeCloseTo(product(timing, a, b), 6);
  });

  it('gives the energy of each step, and of each interval from two steps', () => {
    const { own } = stepEnergies(filter);
    const fit = fitOf(draw(), timing, [], noise);
    for (let from = 0; from < SIZE; from += 1) {
      const step = new Float64Array(SIZE).fill(1, from);
      expect(own[from]).toBeCloseTo(product(timing, step, step), 6);
      for (let to = from + 1; to < SIZE; to += 1) {
        const interval = new Float64Array(SIZE).fill(1, from, to);
        expect(knownOf(fit, { from, to }).weight).toBeCloseTo(product(timing, interval, interval), 6);
      }
    }
  });

  it('gives effects beside columns as generalised least squares does, from either end', () => {
    const columns: Regressor[] = [
      changeColumn(SIZE, { from: 0, to: SIZE }),
      { of: 'slope', values: TIMES.map((time) => time / 7), mean: 0.3, sd: 0.5 },
    ];
    const x = draw();
    const fit = fitOf(x, timing, columns, noise);
    const change = changeColumn(SIZE, { from: 3, to: 8 });
    const { weight, score } = knownOf(fit, { from: 3, to: 8 });
    // With the change as a column of its own.
    const { coefficients } = fitOf(x, timing, [...columns, change], noise);
    expect(score / weight).toBeCloseTo(coefficients[2] ?? Number.NaN, 8);
    expect(knownUntil(fit, 8, emptyKnowns(SIZE)).weights[3]).toBeCloseTo(weight, 8);
    expect(knownFrom(fit, 3, 9, emptyKnowns(SIZE)).scores[8]).toBeCloseTo(score, 8);
    const left = withoutInterval(fit, { from: 3, to: 8 });
    expect(dotOf(left.score, change.values)).toBeCloseTo(0, 8);
  });

  it('measures each value by all others, whatever variance it was given', () => {
    const columns = [changeColumn(SIZE, { from: 0, to: SIZE })];
    const x = draw();
    const plain = deletedResiduals(fitOf(x, timing, columns, noise));
    const added = Float64Array.from(TIMES, (_, at) => (at === 4 ? 30 : 0));
    const wider = { ...noise, sampling: noise.sampling.map((value, at) => value + (added[at] ?? 0)) };
    expect(deletedResiduals(fitOf(x, timing, columns, wider), added)[4]).toBeCloseTo(plain[4] ?? Number.NaN, 6);
    expect(plain[5]).toBe(0);
  });
});
