import { expect, it } from 'vitest';
import { type ChangeSeries, type Place, sceneOf, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import { withoutDiluted } from '../../../../src/domain/metrics/changes/diluted-rates.ts';
import type { ChangeEvent, Part } from '../../../../src/domain/metrics/changes/events.ts';
import { lookThrough } from '../../../../src/domain/metrics/engine/scan.ts';
import type { DailyPoint } from '../../../../src/domain/metrics/engine/series.ts';
import { drawWorld, pointsOf } from '../../../bench/verdicts/metrics/world.ts';

const [HISTORY, DAYS, CAMPAIGN, END] = [84, 112, 95, 102];
const base: Place = { device: 'all' };
const world = drawWorld({ seed: 4, visitsPerDay: 3_000, days: DAYS, history: HISTORY, planted: [] });
const labelOf = (at: number) => world.labels[at] ?? '';

/** Days of a campaign that brings so many times the usual visits, of whom few or none less than usual buy. */
function sceneWith(share: number) {
  const [visits, orders] = [pointsOf(world, 'visits', {}), pointsOf(world, 'conversionCount', {})];
  const isOn = (at: number) => at >= CAMPAIGN && at < END;
  const raised = (days: readonly DailyPoint[], factor: number) =>
    days.map((day, at) => ({ ...day, numerator: Math.round(day.numerator * (isOn(at) ? factor : 1)) }));
  const [more, bought] = [raised(visits, 4), raised(orders, 1 + 3 * share)];
  const rate = more.map((day, at) => ({ ...day, denominator: day.numerator, numerator: bought[at]?.numerator ?? 0 }));
  const of = (metric: string, kind: ChangeSeries['kind'], days: readonly DailyPoint[]): ChangeSeries => {
    return { id: seriesId(metric, base), kind, metric, place: base, days };
  };
  const series = [of('visits', 'count', more), of('conversionCount', 'count', bought), of('conversionRate', 'share', rate)];
  const range = { from: labelOf(HISTORY), to: labelOf(DAYS - 1) };
  return sceneOf(series, lookThrough(series, range.from, range.to), { base, ...range });
}

const event = (metric: string, relative: number, from: number, to: number): ChangeEvent => {
  const part: Part = { metric, place: base, relative, low: relative, high: relative, score: 9 };
  const days = { from: labelOf(from), to: labelOf(to - 1), days: to - from, earliest: labelOf(from), latest: labelOf(from) };
  return { shape: 'episode', ...days, place: base, parts: [part], pValue: 1e-6, seriesCount: 1 };
};
const campaign = event('visits', 3, CAMPAIGN, END);

it('a rate of more days that a campaign lowered is told with its visits, by its size on their days', () => {
  const rate = event('conversionRate', -0.4, CAMPAIGN - 2, END + 3);
  const [told, ...others] = withoutDiluted(sceneWith(0.1), [campaign, rate]);
  expect(others).toEqual([]);
  expect(told?.parts.map(({ metric, mix }) => [metric, mix])).toEqual([
    ['visits', undefined],
    ['conversionRate', 'maybe'],
  ]);
  expect(told?.parts[1]?.relative).toBeLessThan(-0.55);
});

it('stays where fewer buy than before, where no visits rose on its days, or where these rose at another time', () => {
  const rate = event('conversionRate', -0.4, CAMPAIGN - 2, END + 3);
  expect(withoutDiluted(sceneWith(-0.2), [campaign, rate])).toHaveLength(2);
  expect(withoutDiluted(sceneWith(0.1), [rate])).toEqual([rate]);
  expect(withoutDiluted(sceneWith(0.1), [event('visits', 3, CAMPAIGN - 6, END), rate])).toHaveLength(2);
});
