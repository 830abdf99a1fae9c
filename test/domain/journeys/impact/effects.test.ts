import { describe, expect, it } from 'vitest';
import type { Cells } from '../../../../src/domain/journeys/impact/cells.ts';
import { differenceOf } from '../../../../src/domain/journeys/impact/effect.ts';
import { discoveries, doubtOf, separate } from '../../../../src/domain/journeys/impact/judge-effects.ts';
import { measureEffects } from '../../../../src/domain/journeys/impact/measure-effects.ts';
import { grouped } from '../../../../src/lib/grouped.ts';
import { wilson } from '../../../../src/statistics/proportions.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

/** Sessions of two devices and three depths: [device, depth, exposed, sessions, conversions]. */
type Row = readonly [number, number, number, number, number];

/** Cells of sessions that stand for so many without the condition and with it. */
function cellsOf(rows: readonly Row[], met: readonly (readonly number[])[] = [], factors: readonly [number, number] = [1, 1]): Cells {
  const factorOf = (row: Row) => factors[row[2]] ?? 1;
  const column = (of: (row: Row) => number) => Float64Array.from(rows, of);
  return {
    covariates: [
      { name: 'device', levels: 2 },
      { name: 'depth', levels: 3 },
    ],
    count: rows.length,
    levels: Uint8Array.from(rows.flatMap(([device, depth]) => [device, depth])),
    exposure: column((row) => row[2]),
    factor: column(factorOf),
    sessions: column((row) => factorOf(row) * row[3]),
    conversions: column((row) => factorOf(row) * row[4]),
    revenue: column((row) => factorOf(row) * row[4] * 5_000),
    revenueSquares: column((row) => factorOf(row) * row[4] * 25_000_000),
    met: met.map((own) => Float64Array.from(own)),
  };
}

const ONE = [{ page: 0, probe: 0 }] as const;
const effectOf = (rows: readonly Row[], factors?: readonly [number, number]) =>
  measureEffects(new Map([[0, cellsOf(rows, [], factors)]]), ONE)[0];

/** Simpson's paradox by hand: on each device alike the exposed buy half as often, but they are on the device that buys. */
const PARADOX: readonly Row[] = [
  [0, 0, 1, 4_000, 400],
  [0, 0, 0, 1_000, 200],
  [1, 0, 1, 1_000, 10],
  [1, 0, 0, 20_000, 400],
];

describe('the effect of a condition', () => {
  it('is that of comparable sessions, where a plain comparison says the contrary', () => {
    const effect = effectOf(PARADOX);
    // By hand: with 410 of 5,000; without (4,000 × 0.2 + 1,000 × 0.02) of 5,000, where all without are 600 of 21,000.
    expect(effect?.withShare).toBeCloseTo(0.082, 6);
    expect(effect?.withoutShare).toBeCloseTo(0.164, 3);
    expect(effect?.lostRevenue.value).toBeCloseTo((820 - 410) * 5_000, -4);
    expect(effect?.score).toBeLessThan(-7);
  });

  it('is measured on those alone who have others like them', () => {
    const effect = effectOf([...PARADOX, [0, 1, 1, 900, 10], [1, 1, 1, 100, 0]]);
    expect(effect).toMatchObject({ sessions: 6_000, comparable: 5_000 });
    expect(effect?.withoutShare).toBeCloseTo(0.164, 3);
  });

  it('is not judged where nobody is left to compare with', () => {
    const effect = effectOf([
      [0, 0, 1, 900, 10],
      [1, 0, 0, 9_000, 900],
    ]);
    expect(effect).toMatchObject({ sessions: 900, comparable: 0 });
    expect(effect && doubtOf(effect)).toBe('no fair comparison');
  });

  it('is not judged with too few conversions to be expected', () => {
    const effect = effectOf([
      [0, 0, 1, 60, 0],
      [0, 0, 0, 9_000, 300],
    ]);
    expect(effect && doubtOf(effect)).toBe('too few');
  });
});

/** Sessions of many combinations of traits; where others are asked about too, their conditions part the same sessions into more cells. */
function manyCells(parts: number): Cells {
  const random = seeded(3);
  const rows = Array.from({ length: 24_000 }, (_, at) => {
    const traits = Array.from({ length: 4 }, () => random.integer(0, 15));
    // Each combination twice, of which one met another condition.
    return [0, 1].map((other) => ({
      traits,
      exposure: (at % 50 === 0 ? 1 : 0) + (other < parts - 1 ? 2 : 0),
      hit: random.uniform() < 0.05,
    }));
  }).flat();
  const column = (of: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, of);
  return {
    covariates: ['a', 'b', 'c', 'd'].map((name) => ({ name, levels: 16 })),
    count: rows.length,
    levels: Uint8Array.from(rows.flatMap(({ traits }) => traits)),
    exposure: column(({ exposure }) => exposure),
    factor: column(() => 1),
    sessions: column(() => 1),
    conversions: column(({ hit }) => Number(hit)),
    revenue: column(({ hit }) => 5_000 * Number(hit)),
    revenueSquares: column(({ hit }) => 25_000_000 * Number(hit)),
    met: [],
  };
}

/** The same sessions counted together wherever traits and conditions are the same. */
function merged(cells: Cells): Cells {
  const width = cells.covariates.length;
  const keyOf = (cell: number) => `${cells.levels.subarray(cell * width, (cell + 1) * width).join(' ')} ${cells.exposure[cell]}`;
  const groups = [...grouped([...cells.exposure.keys()], keyOf).values()];
  const first = (group: readonly number[]) => group[0] ?? 0;
  const sum = (of: Float64Array) => Float64Array.from(groups, (group) => group.reduce((total, cell) => total + (of[cell] ?? 0), 0));
  return {
    ...cells,
    count: groups.length,
    levels: Uint8Array.from(groups.flatMap((group) => [...cells.levels.subarray(first(group) * width, (first(group) + 1) * width)])),
    exposure: Float64Array.from(groups, (group) => cells.exposure[first(group)] ?? 0),
    factor: Float64Array.from(groups, () => 1),
    sessions: sum(cells.sessions),
    conversions: sum(cells.conversions),
    revenue: sum(cells.revenue),
    revenueSquares: sum(cells.revenueSquares),
  };
}

it('a condition has the same effect whatever else is asked about', () => {
  const [alone, beside] = [1, 2].map((parts) => {
    const cells = merged(manyCells(parts));
    return { count: cells.count, effect: measureEffects(new Map([[0, cells]]), ONE)[0] };
  });
  expect(beside?.count).toBeGreaterThan(1.5 * (alone?.count ?? 0));
  expect(beside?.effect?.comparable).toBe(alone?.effect?.comparable);
  expect(beside?.effect?.withoutShare).toBeCloseTo(alone?.effect?.withoutShare ?? 0, 9);
  expect(beside?.effect?.difference.low).toBeCloseTo(alone?.effect?.difference.low ?? 0, 9);
});

describe('intervals', () => {
  it('are those of Wilson and Newcombe as published', () => {
    // Newcombe 1998, Statistics in Medicine 17: 81/263 by method 3, and 56/70 less 48/80 by method 10.
    expect(wilson(81 / 263, 263).map((bound) => Number(bound.toFixed(4)))).toEqual([0.2553, 0.3662]);
    const { low, high } = differenceOf({ share: 56 / 70, trials: 70 }, { share: 48 / 80, trials: 80 });
    expect([low, high].map((bound) => Number(bound.toFixed(4)))).toEqual([0.0524, 0.3339]);
  });

  it.each([
    [1, 1],
    [8, 8],
    [8, 2],
  ] as const)(
    'hold the truth in at least 93 of 100 worlds, nulls stand out in at most 7; a session stands for %i, exposed for %i',
    (...factors) => {
      const random = seeded(41);
      const [rounds, chance, effect] = [400, [0.02, 0.06, 0.15], 0.6];
      let [held, found] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const isNull = round % 2 === 0;
        const rows = [0, 1].flatMap((device) =>
          [0, 1, 2].flatMap((depth): Row[] => {
            const usual = (chance[depth] ?? 0) * (device === 0 ? 1 : 1.5);
            const [few, many] = [60 + 40 * device, 900 - 200 * depth];
            const own = random.binomial(few, usual * (isNull ? 1 : effect));
            return [
              [device, depth, 1, few, own],
              [device, depth, 0, many, random.binomial(many, usual)],
            ];
          }),
        );
        const truth = [0, 1].flatMap((device) => (chance ?? []).map((each) => (60 + 40 * device) * each * (device === 0 ? 1 : 1.5)));
        const lost = factors[1] * truth.reduce((sum, value) => sum + value * (isNull ? 0 : 1 - effect), 0);
        const measured = effectOf(rows, factors);
        if (!measured) continue;
        const { difference, comparable, score } = measured;
        if (-difference.high * comparable <= lost && lost <= -difference.low * comparable) held += 1;
        if (isNull && Math.abs(score) > 1.96) found += 1;
      }
      expect(held / rounds).toBeGreaterThanOrEqual(0.93);
      expect(found / (rounds / 2)).toBeLessThanOrEqual(0.07);
    },
  );
});

describe('several findings', () => {
  it('keep what is their own: a condition that merely goes with another one is none', () => {
    // Condition 0 halves sales. Condition 1 costs nothing, but half of its sessions met condition 0, against a tenth of the others.
    const [cause, beside] = [
      cellsOf(
        [
          [0, 0, 1, 2_000, 100],
          [0, 0, 0, 18_000, 1_800],
        ],
        [
          [2_000, 0],
          [1_000, 1_800],
        ],
      ),
      cellsOf(
        [
          [0, 0, 1, 2_000, 150],
          [0, 0, 0, 18_000, 1_750],
        ],
        [
          [1_000, 1_000],
          [2_000, 0],
        ],
      ),
    ];
    const effects = measureEffects(
      new Map([
        [0, cause],
        [1, beside],
      ]),
      [
        { page: 0, probe: 0 },
        { page: 1, probe: 0 },
      ],
    ).flatMap((each) => each ?? []);
    const order = discoveries(effects, 'conversions');
    expect(order).toEqual([0, 1]);
    const findings = separate(effects, order, 'conversions');
    expect(findings.map(({ at, stands }) => [at, stands])).toEqual([
      [0, true],
      [1, false],
    ]);
    expect(findings[0]?.difference.value).toBeCloseTo(-0.05, 3);
    // Its figures are of what is left, within bounds that hold no effect.
    const { low = 1, high = -1 } = findings[1]?.difference ?? {};
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });

  it('of the same sessions is the specific one, not the score that sums it up, however clear', () => {
    const rows = (bought: number) =>
      cellsOf(
        [
          [0, 0, 1, 2_000, bought],
          [0, 0, 0, 18_000, 1_800],
        ],
        [
          [2_000, 2_000],
          [0, 0],
        ],
      );
    const questions = [0, 1].map((page) => ({ page, probe: 0 }));
    const effects = measureEffects(
      new Map([
        [0, rows(100)],
        [1, rows(90)],
      ]),
      questions,
    ).flatMap((each) => each ?? []);
    expect(discoveries(effects, 'conversions')).toEqual([1, 0]);
    const order = discoveries(effects, 'conversions', (at) => at === 1);
    expect(order).toEqual([0, 1]);
    expect(separate(effects, order, 'conversions').map(({ stands }) => stands)).toEqual([true, false]);
  });

  it('losses and gains are each at the false discovery rate of conditions, and no interval of a claim holds no effect', () => {
    const random = seeded(77);
    let worldsWithClaim = 0;
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const effects = Array.from({ length: 30 }, () => {
        const cells = cellsOf([
          [0, 0, 1, 300, random.binomial(300, 0.1)],
          [0, 0, 0, 3_000, random.binomial(3_000, 0.1)],
        ]);
        return measureEffects(new Map([[0, cells]]), [{ page: 0, probe: 0 }])[0];
      }).flatMap((each) => each ?? []);
      const found = discoveries(effects, 'conversions');
      worldsWithClaim += Number(found.length > 0);
      for (const at of found) expect((effects[at]?.difference.low ?? 0) * (effects[at]?.difference.high ?? 0)).toBeGreaterThan(0);
    }
    // Two families, 1 % each.
    expect(worldsWithClaim / rounds).toBeLessThanOrEqual(0.04);
  });
});
