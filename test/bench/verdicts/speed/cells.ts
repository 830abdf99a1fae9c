import { DAY_MS, HOUR_MS, type Nature, type Shape, USUAL_NATURE } from './worlds.ts';

/** One kind of world, generated many times. */
export interface Cell {
  /** What it is chosen by: `--cell step` runs all whose id contains the word. */
  readonly id: string;
  readonly group:
    | 'stable'
    | 'other stable'
    | 'step'
    | 'recent step'
    | 'last runs'
    | 'old step'
    | 'faster'
    | 'bump'
    | 'drift'
    | 'unstable'
    | 'sparse'
    | 'two steps';
  readonly nature: Nature;
  readonly shape: Shape;
}

const QUARTER_MS = HOUR_MS / 4;
const CADENCES = [HOUR_MS, QUARTER_MS];
const NOISES = [0.05, 0.1, 0.2, 0.3];

const cadenceWords = (ms: number) => (ms < HOUR_MS ? `${ms / 60_000} min` : `${ms / HOUR_MS} h`);

function cell(group: Cell['group'], shape: Shape, changed: Partial<Nature>, words = ''): Cell {
  const nature = { ...USUAL_NATURE, ...changed };
  const { cadenceMs, ar, noise, outliers, cycle } = nature;
  const size = 'size' in shape ? ` ${shape.size > 0 ? '+' : ''}${Math.round(100 * shape.size)} %` : '';
  return {
    id: `${group}${size}, ${cadenceWords(cadenceMs)}, AR ${ar}, noise ${noise}, outliers ${100 * outliers} %, ${cycle}${words}`,
    group,
    nature,
    shape,
  };
}

const natures = (noises: readonly number[]) =>
  CADENCES.flatMap((cadenceMs) => [0.3, 0.9].flatMap((ar) => noises.map((noise) => ({ cadenceMs, ar, noise }))));

const stable: Shape = { kind: 'stable' };
const stepOf = (size: number, agoMs: readonly [number, number]): Shape => ({ kind: 'step', size, agoMs });
const lately: readonly [number, number] = [2 * DAY_MS, 6 * DAY_MS];

/** All worlds of the bench. */
export const cells: readonly Cell[] = [
  ...natures(NOISES).flatMap((nature) =>
    [0.02, 0.08].flatMap((outliers) =>
      (['weekend', 'weekend and nights'] as const).map((cycle) => cell('stable', stable, { ...nature, outliers, cycle })),
    ),
  ),
  ...CADENCES.flatMap((cadenceMs) => [
    cell('other stable', stable, { cadenceMs, outliers: 0, cycle: 'none', ar: 0 }),
    cell('other stable', stable, { cadenceMs, cycle: 'nights of working days', noise: 0.05 }),
    cell('other stable', stable, { cadenceMs, tails: 'heavy', noise: 0.2 }, ', Student t (3)'),
    cell('other stable', stable, { cadenceMs, dayShock: 0.04, noise: 0.08 }, ', days of their own 0.04'),
    cell('other stable', stable, { cadenceMs, ar: 0.6, noise: 0.2 }),
  ]),
  ...[4 * HOUR_MS, 12 * HOUR_MS, DAY_MS].flatMap((cadenceMs) =>
    [0.3, 0.6].flatMap((ar) => [
      cell('sparse', stable, { cadenceMs, ar }),
      cell('sparse', stepOf(0.4, [3 * DAY_MS, 6.5 * DAY_MS]), { cadenceMs, ar }),
    ]),
  ),
  ...[0.1, 0.2, 0.4].flatMap((size) => natures(NOISES).map((nature) => cell('step', stepOf(size, lately), nature))),
  ...[0.1, 0.2, 0.4].flatMap((size) => [0.1, 0.2].map((noise) => cell('step', stepOf(size, lately), { noise, outliers: 0.08 }))),
  ...CADENCES.flatMap((cadenceMs) => [
    ...[0.05, 0.1, 0.2].map((noise) =>
      cell('recent step', stepOf(0.4, [4 * HOUR_MS, 12 * HOUR_MS]), { cadenceMs, noise }, ', 4 to 12 h ago'),
    ),
    ...[0.05, 0.1, 0.2].map((noise) => cell('recent step', stepOf(0.2, [12 * HOUR_MS, DAY_MS]), { cadenceMs, noise }, ', 12 to 24 h ago')),
    ...[0.1, 0.2].map((noise) => cell('old step', stepOf(0.2, [10 * DAY_MS, 27 * DAY_MS]), { cadenceMs, noise }, ', 10 to 27 days ago')),
    cell('faster', stepOf(-0.2, lately), { cadenceMs, noise: 0.2 }),
  ]),
  ...[0.3, 0.5].flatMap((size) =>
    natures([0.1, 0.2]).map((nature) => cell('bump', { kind: 'bump', size, lengthMs: DAY_MS, endedAgoMs: [DAY_MS, 12 * DAY_MS] }, nature)),
  ),
  ...[0.2, 0.4].flatMap((size) =>
    natures([0.1, 0.2]).map((nature) => cell('drift', { kind: 'drift', size }, { ...nature, baselineDays: 53 }, ', over 60 days')),
  ),
  ...CADENCES.flatMap((cadenceMs) => [
    ...[0.3, 0.4, 0.6].map((noise) => cell('unstable', stable, { cadenceMs, noise })),
    cell('unstable', stable, { cadenceMs, noise: 0.4, ar: 0.6 }),
    cell('unstable', stable, { cadenceMs, noise: 0.3, outliers: 0.08 }),
    cell('unstable', stable, { cadenceMs, noise: 0.1, tails: 'bimodal' }, ', 30 % of runs at 2.5 times'),
  ]),
  ...[0.1, 0.2].map((noise) =>
    cell(
      'two steps',
      {
        kind: 'two steps',
        sizes: [0.3, 0.3],
        agoMs: [
          [18 * DAY_MS, 25 * DAY_MS],
          [2 * DAY_MS, 6 * DAY_MS],
        ],
      },
      { noise },
      ', +30 % twice',
    ),
  ),
  ...[24, 12, 6].flatMap((runs) =>
    [0.2, 0.4].flatMap((size) =>
      [0.05, 0.1, 0.2].map((noise) => cell('last runs', stepOf(size, [runs * HOUR_MS, runs * HOUR_MS]), { noise }, `, last ${runs} runs`)),
    ),
  ),
];
