import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { changeSeriesOf, seriesId } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import { changeFacts } from '../../../src/metrics/findings.ts';
import type { Visits } from '../../../src/metrics/site-changes.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { pointsFrom, visitsWith } from '../points.ts';

const [HISTORY, DAYS, BREAK] = [84, 112, 96];
const day = (at: number) => dayAfter('2026-06-01', at);
const { binomial, poisson, uniform } = seeded(4);
const halved = (at: number) => (at >= BREAK ? 0.5 : 1);
const pointsOf = (of: Parameters<typeof pointsFrom>[2]) => pointsFrom(day(0), DAYS, of);

const toldOf = async (base: Visits, series: Parameters<typeof findChanges>[0]['series'], metrics: readonly string[]) => {
  const asked = { series, metrics, base, from: day(HISTORY), to: day(DAYS - 1), nameOf: () => '' };
  return (await findChanges(asked, AbortSignal.any([]))).changes;
};

it('a change of conversions has no cost in revenue where the goal is another one than that of it', async () => {
  const rows = times(DAYS, (at): [orders: number, visits: number] => {
    const visits = poisson(3_000);
    return [binomial(visits, 0.04 * halved(at)), visits];
  });
  const rowAt = (at: number) => rows[at] ?? [0, 0];
  const shop = visitsWith({
    visits: pointsOf((at) => rowAt(at)[1]),
    conversionRate: pointsOf(rowAt),
    conversionCount: pointsOf((at) => rowAt(at)[0]),
    revenueSum: pointsOf((at) => 80 * rowAt(at)[0]),
  });
  const all = ['visits', 'conversionRate', 'conversionCount', 'revenueSum'];
  const costsOf = async (metrics: readonly string[], isOfOtherGoal: boolean) => {
    const own = { ...shop, isOfOtherGoal, known: shop.known.map((row) => ({ ...row, isOfOtherGoal })) };
    const told = await toldOf(own, changeSeriesOf([own], all, own), metrics);
    return told.flat().map((part) => {
      const { subject, when, cost } = changeFacts({ ...part, place: {}, last: day(DAYS - 1) }, 'EUR');
      return { subject, from: when.from, cost };
    });
  };
  const [ofOther, ofRevenue, ofAll] = [await costsOf(all, true), await costsOf(['revenueSum'], false), await costsOf(all, false)];
  expect(ofOther[0]?.cost?.of).toBe('conversionCount');
  // In a scan of revenue alone it is told by its factor, with the cost that a scan of everything gives it.
  expect(ofRevenue).toMatchObject([{ subject: 'conversionRate', cost: { of: 'revenueSum' } }]);
  expect(ofRevenue).toEqual(ofAll);
});

it('revenue of a zone follows from the tap rate that moved it, and is no change beside it', async () => {
  const base = visitsWith({});
  const reading = visitsWith({}, { zoneId: 7 });
  const average = (value: number): [number, number] => [1_000 * value, 1_000];
  const series = (
    [
      ['tapRate', 'average', (at) => average(0.2 * halved(at) * (1 + uniform() / 4))],
      ['revenuePerTap', 'average', () => average(40 + uniform())],
      // Steadier than the rate, so that it is by far the clearest.
      ['totalRevenueWithTap', 'amount', (at) => halved(at) * (40_000 + 100 * uniform())],
    ] satisfies [string, 'average' | 'amount', Parameters<typeof pointsFrom>[2]][]
  ).map(([metric, kind, of]) => ({ id: seriesId(metric, reading), metric, kind, reading, days: pointsOf(of) }));
  const told = await toldOf(base, series, ['totalRevenueWithTap']);
  expect(told.map((parts) => parts.map(({ metric, change }) => [metric, change.from]))).toEqual([[['tapRate', day(BREAK)]]]);
});
