import { seeded } from '../bench/verdicts/random.ts';
import { sampleSize } from '../support/sample-size.ts';
import { times } from '../support/times.ts';
import { countPlainly } from './counted-worlds.ts';
import { BESIDES, type Job, WHOLE, type WorldKind, worlds } from './visit-world.ts';

const { uniform: roll } = seeded(55);
const some = <T>(list: readonly T[], most: number) => list.toSorted(() => roll() - 0.5).slice(0, 1 + Math.floor(most * roll()));
const SITES = ['shop', 'leads', 'magazine'] as const;

/** Jobs that hold all days of both scopes, among others over the same days, made and delivered in any order. */
function drawnJobs(): Job[] {
  const whole = (['sessions', 'views'] as const).flatMap((scope) =>
    some(WHOLE, 2)
      .flat()
      .map((job): Job => ({ scope, ...job })),
  );
  return [...whole, ...some(BESIDES, 8)].toSorted(() => roll() - 0.5);
}

const drawn = Object.fromEntries(
  times(sampleSize({ full: 12, short: 3 }), (at): [string, WorldKind] => {
    const site = SITES[at % 3] ?? 'shop';
    return [`${site} ${at}`, { seed: 30 + at, site, siblings: 40, jobs: drawnJobs() }];
  }),
);

countPlainly(drawn, Object.keys(worlds).length);
