import { describe, expect, it } from 'vitest';
import { drawWorld, pointsOf } from '../../verdicts/metrics/world.ts';
import { compareGroups } from './groups.ts';

const [DAYS, HISTORY] = [98, 91];

function compared(planted: Parameters<typeof drawWorld>[0]['planted'], seed: number) {
  const world = drawWorld({ seed, visitsPerDay: 60_000, days: DAYS, history: 84, planted: planted ?? [] });
  const groups = (['desktop', 'mobile', 'tablet'] as const).map((device) => ({
    name: device,
    days: pointsOf(world, 'conversionRate', { device }),
  }));
  const [from = '', to = '', soonest = ''] = [world.labels[93], world.labels[DAYS - 1], world.labels[HISTORY]];
  return compareGroups({ kind: 'share', whole: pointsOf(world, 'conversionRate'), from, to, soonest, judgedFrom: soonest }, groups);
}

describe('the groups of a change', () => {
  it('name the one that moved, with its size', () => {
    const { named, groups } = compared([{ on: 'rate', from: 93, to: DAYS, factor: 0.7, device: 'mobile' }], 5);
    expect(named).toBe('mobile');
    const mobile = groups.find(({ name }) => name === 'mobile');
    expect(mobile?.low).toBeLessThan(-0.3);
    expect(mobile?.high).toBeGreaterThan(-0.3);
  });

  it('name hardly any where all moved alike', () => {
    const results = Array.from({ length: 20 }, (_, seed) => compared([{ on: 'rate', from: 93, to: DAYS, factor: 0.7 }], 100 + seed));
    expect(results.filter(({ named }) => named !== undefined).length).toBeLessThanOrEqual(2);
    expect(results.flatMap(({ groups }) => groups).filter(({ verdict }) => verdict === 'alike').length).toBeGreaterThanOrEqual(54);
  });
});
