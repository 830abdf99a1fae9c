import { expect, it } from 'vitest';
import { partCauses } from '../../src/metrics/change-places.ts';
import type { Visits } from '../../src/metrics/site-changes.ts';
import { seeded } from '../bench/verdicts/random.ts';
import { partOf, pointsFrom, visitsWith } from './points.ts';

const [FIRST, DAYS, CAMPAIGN, FALL] = ['2026-04-01', 120, 90, 97];
const day = (at: number) => new Date(Date.parse(FIRST) + at * 86_400_000).toISOString().slice(0, 10);

/** Visits of all, of mobile and of new visitors: a campaign of mobile, all of it new, for a week, then a little less of everything. */
function world(seed: number) {
  const { poisson } = seeded(seed);
  const drawn = { desktop: [0, 0], mobile: [0, 0] } as Record<'desktop' | 'mobile', number[]>;
  const days = Array.from({ length: DAYS }, (_, at) => {
    const usual = at >= FALL ? 0.9 : 1;
    const boost = at >= CAMPAIGN && at < FALL ? 5_000 : 0;
    return { desktop: [poisson(900 * usual), poisson(900 * usual)], mobile: [poisson(700 * usual), poisson(700 * usual + boost)] };
  });
  const visitsOf = (devices: readonly (keyof typeof drawn)[], isNew: boolean, place = {}): Visits => {
    const countOn = (at: number) => devices.flatMap((device) => (isNew ? days[at]?.[device].slice(1) : days[at]?.[device]) ?? []);
    return visitsWith({ visits: pointsFrom(FIRST, DAYS, (at) => countOn(at).reduce((sum, count) => sum + count, 0)) }, place);
  };
  const both = ['desktop', 'mobile'] as const;
  return {
    whole: visitsOf(both, false),
    parts: [
      visitsOf(['desktop'], false, { device: 'desktop' }),
      visitsOf(['mobile'], false, { device: 'mobile' }),
      visitsOf(both, true, { segmentIds: [1] }),
    ],
  };
}

it('a part that had a campaign before a fall is not where the fall is largest', () => {
  for (const seed of [1, 2, 3]) {
    const { whole, parts } = world(seed);
    const size = { relative: -0.1, low: -0.12, high: -0.08 };
    const fall = { ...partOf('visits', { from: day(FALL), days: DAYS - FALL, ...size }), reading: whole };
    expect(partCauses(fall, { all: [whole, ...parts] }, ({ device }) => device)).toEqual([]);
  }
});
