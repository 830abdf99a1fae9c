import { expect, it } from 'vitest';
import { changeLine } from '../../../../src/domain/metrics/changes/change-words.ts';
import type { RankedChange } from '../../../../src/domain/metrics/changes/rank-changes.ts';

const place = { device: 'all', segmentId: 3 } as const;
const names = { segment: () => 'Newsletter', goal: String, zone: String };

/** The line of a fall that began on a day and goes on up to 2026-11-22. */
function line(from: string, days: number, more: Partial<RankedChange> = {}): string {
  const change: RankedChange = {
    shape: 'step',
    from,
    days,
    earliest: from,
    latest: from,
    place,
    parts: [{ metric: 'visits', place, relative: -0.3, low: -0.4, high: -0.2, score: 5 }],
    pValue: 1e-5,
    seriesCount: 1,
    cost: undefined,
    ...more,
  };
  return changeLine(change, { names, currency: 'EUR', firstDay: '2026-11-16', lastDay: '2026-11-22', dataSince: '2026-05-01' });
}

it('goes on only where it has lasted for more than two days', () => {
  const head = 'Visits (segment "Newsletter") -30% (-40% to -20%)';
  expect(line('2026-11-20', 3)).toBe(`${head} since 2026-11-20, 3 days up to 2026-11-22, goes on.`);
  expect(line('2026-11-21', 2)).toBe(`${head} since 2026-11-21, the last 2 days: these alone or a beginning.`);
  expect(line('2026-11-22', 1)).toBe(`${head} on 2026-11-22, the last day: a single day or a beginning.`);
});

it('names the part that made it, and other zones of the day', () => {
  expect(line('2026-11-18', 5, { maker: { device: 'all', segmentId: 4 } })).toContain('; made by segment "Newsletter"');
  const also = [1, 2, 3, 4, 5].map((zoneId) => ({ place: { device: 'all', zoneId } as const, relative: zoneId }));
  expect(line('2026-11-18', 5, { also })).toContain('; also "1" +100%, "2" +200%, "3" +300%, "4" +400% and 1 more');
});
