import { expect, it } from 'vitest';
import { entriesOf } from '../../../../src/domain/metrics/changes/changes-answer.ts';
import type { ChangeEvent } from '../../../../src/domain/metrics/changes/events.ts';
import { sameDayOnce } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { inRank, rankChanges } from '../../../../src/domain/metrics/changes/rank-changes.ts';

const day = (zoneId: number | undefined, relative: number, more: Partial<ChangeEvent> = {}): ChangeEvent => {
  const place = { device: 'all', zoneId } as const;
  return {
    shape: 'outlier',
    from: '2026-11-14',
    to: '2026-11-14',
    days: 1,
    earliest: '2026-11-14',
    latest: '2026-11-14',
    place,
    parts: [{ metric: 'totalRevenueWithTap', place, relative, low: relative / 2, high: 2 * relative, score: 5 }],
    pValue: 1e-4,
    ...more,
  };
};

it('a day that several zones show is told once, at the clearest of them', () => {
  const [clearest, weaker, fallen, other] = [day(1, 8, { pValue: 1e-7 }), day(2, 4), day(3, -0.5), day(4, 2, { from: '2026-11-15' })];
  expect(sameDayOnce([weaker, fallen, clearest, other])).toEqual([
    { ...clearest, also: [{ place: { device: 'all', zoneId: 2 }, relative: 4 }] },
    fallen,
    other,
  ]);
});

it('the same day of all visitors, or a change of zones that goes on, stays as it is', () => {
  const step = { shape: 'step', to: undefined } as const;
  const events = [day(undefined, 2), day(undefined, 3), day(5, 1, step), day(6, 1, step)];
  expect(sameDayOnce(events)).toEqual(events);
});

it('a zone that changed and stayed so comes before what moves slowly, a single day of a zone after it', () => {
  const visits = ['2026-11-14', '2026-11-15'].map((label) => ({ label, numerator: 100, denominator: 1, isWhole: true }));
  const place = { device: 'all' } as const;
  const series = new Map([['visits|all|||', { id: 'visits|all|||', kind: 'count' as const, days: visits, metric: 'visits', place }]]);
  const scene = { series, studies: new Map(), base: place, from: '2026-11-14', to: '2026-11-15' };
  const part = { metric: 'visits', place, relative: 0.1, low: 0.05, high: 0.15, score: 4 };
  const drift = day(undefined, 0.1, { shape: 'drift', to: undefined, place, parts: [part] });
  const step = day(7, -0.5, { shape: 'step', to: undefined });
  const ranked = rankChanges(scene, [drift, day(8, 3), step]);
  expect(ranked.map(({ place: { zoneId } }) => zoneId)).toEqual([7, undefined, 8]);
  const period = { timeZone: 'UTC' };
  expect(entriesOf(ranked, [], period).map((entry) => 'site' in entry && entry.site.place.zoneId)).toEqual([7, undefined, 8]);
});

it('a zone that changed and stayed so comes before a day with a cost, and a drift without one after both', () => {
  const cost = { metric: 'revenueSum', value: 1_800, low: 900, high: 2_700 } as const;
  const over = { ...day(undefined, 0.35), cost };
  const drift = { ...day(undefined, -0.02, { shape: 'drift', to: undefined }), cost: undefined };
  const step = { ...day(7, -0.4, { shape: 'step', to: undefined }), cost: undefined };
  expect(inRank([drift, over, step], '2026-12-31')).toEqual([step, over, drift]);
});
