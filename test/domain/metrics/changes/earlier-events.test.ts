import { expect, it } from 'vitest';
import { type ChangeSeries, type Scene, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import { begunEarlier } from '../../../../src/domain/metrics/changes/earlier-events.ts';
import type { ChangeEvent } from '../../../../src/domain/metrics/changes/events.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

const DAYS = 200;
const labelAt = (day: number) => new Date(Date.parse('2026-01-05') + day * DAY_MS).toISOString().slice(0, 10);
const place = { device: 'mobile' } as const;

/** Visits of mobile, of which a third are left since a day. */
function sceneOf(since: number): Scene {
  const random = seeded(9);
  const days = Array.from({ length: DAYS }, (_, day) => ({
    label: labelAt(day),
    numerator: random.poisson((day >= since ? 2_000 : 6_000) * Math.exp(0.04 * random.normal())),
    denominator: 1,
    isWhole: true,
  }));
  const id = seriesId('visits', place);
  const series = { id, kind: 'count', metric: 'visits', place, days } as const;
  return { series: new Map<string, ChangeSeries>([[id, series]]) } as unknown as Scene; // all that is looked at
}

const event = (low: number, high: number): ChangeEvent => ({
  shape: 'episode',
  from: labelAt(DAYS - 7),
  to: labelAt(DAYS - 2),
  days: 6,
  earliest: labelAt(DAYS - 18),
  latest: labelAt(DAYS - 6),
  place,
  parts: [{ metric: 'visits', place, relative: -0.01, low, high, score: 0.2 }],
  pValue: 1e-8,
  seriesCount: 3,
});

it('an event that its place does not show becomes the change under way there, with the day on which it began', () => {
  const [told, ...more] = begunEarlier(sceneOf(DAYS - 13), event(-0.15, 0.15));
  expect(more).toEqual([]);
  expect(told).toMatchObject({ shape: 'step', from: labelAt(DAYS - 13), days: 13, seriesCount: 3 });
  expect(told?.to).toBeUndefined();
  expect(told?.parts[0]?.relative).toBeCloseTo(-2 / 3, 1);
});

it('is none where nothing is under way, and stays what it is where a part shows it', () => {
  expect(begunEarlier(sceneOf(DAYS), event(-0.15, 0.15))).toEqual([]);
  const shown = event(-0.3, -0.1);
  expect(begunEarlier(sceneOf(DAYS - 13), shown)).toEqual([shown]);
});
