import { describe, expect, it } from 'vitest';
import { isMoved } from '../../../src/findings/sentence.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { compareSides } from '../../../src/metrics/compare/sides.ts';
import { grammarOf } from '../../../src/metrics/findings.ts';
import { combined } from '../../../src/metrics/read/combine.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { rowOn, shareOf } from '../points.ts';

const METRICS = ['visits', 'conversionRate'];
const WORLDS = 400;

/** A side by its visits and conversion rate on each day. */
type SideOf = (day: number) => { readonly visits: number; readonly rate: number };

/** Sides against the first one, over days that all have in common, with scatter of their own. */
function comparedOf(seed: number, days: number, sides: readonly SideOf[]) {
  const random = seeded(seed);
  const shared = times(days, () => Math.exp(0.1 * random.normal()));
  const read = sides.map((side, at) => {
    const rows = shared.map((shock, day) => {
      const { visits: mean, rate } = side(day);
      const visits = random.poisson(mean * shock * Math.exp(0.05 * random.normal()));
      const conversionCount = random.binomial(visits, rate * Math.exp(0.08 * random.normal()));
      return rowOn(dayAfter('2026-09-07', day), { visits, conversionCount, conversionRate: (100 * conversionCount) / visits });
    });
    const values = Object.fromEntries(
      METRICS.map((metric) => [
        metric,
        combined(
          rows.map((row) => row.values),
          metric,
        ),
      ]),
    );
    return { name: String(at), values, days: rows };
  });
  const scene = { kind: 'device', currency: 'EUR', placeOf: () => ({}), grammar: grammarOf('2026-09-21') } as const;
  return compareSides(METRICS, read, scene);
}

const verdictsOf = (...asked: Parameters<typeof comparedOf>) =>
  comparedOf(...asked).findings.map((each) => ({ name: `${each.subject} of ${each.place.device}`, isTold: isMoved(each) }));

/** The share of worlds in which a metric of a side is told apart from that of the first, or any of any side. */
const toldShare = (days: number, sides: readonly SideOf[], of?: string): number =>
  shareOf(WORLDS, (seed) => verdictsOf(seed, days, sides).some(({ isTold, name }) => isTold && name === (of ?? name)));

const flat =
  (visits: number, rate: number): SideOf =>
  () => ({ visits, rate });

describe('sides at the same time', () => {
  it('of which nothing was counted take no verdict from the others', () => {
    const { rows, columns } = comparedOf(1, 7, [flat(400, 0), flat(400, 0), flat(4_000, 0)]);
    const verdicts = rows.map((row) => ['metric', 'verdict'].map((name) => row[columns.indexOf(name)]).join(' '));
    expect(verdicts.filter((verdict) => verdict.startsWith('conversionRate w'))).toHaveLength(2);
  });

  it.each([7, 14])('are told apart in one world of twenty where they are alike, over %d days', (days) => {
    expect(toldShare(days, [flat(400, 0.03), flat(400, 0.03), flat(400, 0.03)])).toBeLessThan(0.07);
  });

  it('are told apart by a week of few visits, and by a campaign within the range', () => {
    expect(toldShare(7, [flat(1_500, 0.0128), flat(1_600, 0.0255), flat(355, 0.0274)], 'conversionRate of 2')).toBeGreaterThan(0.85);
    const campaign: SideOf = (day) => ({ visits: day < 7 ? 2_300 : 85, rate: 0.03 });
    expect(toldShare(14, [flat(330, 0.03), campaign, flat(600, 0.03)], 'visits of 1')).toBeGreaterThan(0.95);
  });

  it('are told apart though one of them broke within the range, and by the days that both have', () => {
    const broken: SideOf = (day) => ({ visits: 1_400, rate: day < 18 ? 0.046 : 0.014 });
    expect(toldShare(28, [broken, flat(1_500, 0.028)], 'conversionRate of 1')).toBeGreaterThan(0.75);
    const ended: SideOf = (day) => ({ visits: day < 18 ? 300 : 0, rate: 0.046 });
    const { findings } = comparedOf(1, 28, [broken, ended]);
    const found = findings.find(({ subject }) => subject === 'conversionRate');
    expect(found?.against?.name).toBe('0 on the same days');
    expect(found?.against?.value).toBeCloseTo(4.6, 0);
  });
});
