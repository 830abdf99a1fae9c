import { mean } from 'simple-statistics';
import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { judgePeriods } from '../../../src/metrics/engine/judge.ts';
import { lookThrough } from '../../../src/metrics/engine/scan.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { pointsFrom } from '../points.ts';

const [DAYS, BREAK, WORLDS] = [183, 172, 20];
const dayOf = (at: number) => dayAfter('2026-06-01', at);

it('a level that begins more deeply for two days is one change from its first day on', () => {
  const told = times(WORLDS, (seed) => {
    const { binomial, poisson } = seeded(seed + 1);
    const days = pointsFrom(dayOf(0), DAYS, (at) => {
      const visits = poisson(1_500);
      const fallen = at < BREAK + 2 ? 0.15 : 0.4;
      return [binomial(visits, 0.028 * (at < BREAK ? 1 : fallen)), visits];
    });
    const period = { from: dayOf(DAYS - 7), to: dayOf(DAYS - 1) };
    const { changes } = judgePeriods({ kind: 'share', days, period, baseline: { from: dayOf(DAYS - 14), to: dayOf(DAYS - 8) } });
    return changes.filter(({ from }) => from >= dayOf(BREAK - 2));
  });
  // Noise adds another one now and then; read as two changes, one of 20 had its first day.
  const isOne = told.filter((own) => own.length === 1 && own[0]?.shape === 'step' && own[0].from === dayOf(BREAK));
  expect(isOne.length).toBeGreaterThanOrEqual(0.7 * WORLDS);
  // Its size is that of all its days: twice 85 and nine times 60 % less.
  expect(mean(isOne.map(([change]) => change?.relative ?? 0))).toBeCloseTo(-0.65, 1);
});

it('nothing changed where nothing was counted, whatever is expected of the days', () => {
  // The days of sales after a campaign that ended months ago.
  const days = pointsFrom(dayOf(0), DAYS, (at) => (at < 62 ? 40 + ((at * 7) % 11) : 0)).map((day, at) =>
    at < DAYS - 5 ? day : { ...day, special: { mean: 1, sd: 0.03 } },
  );
  const [looked] = lookThrough([{ id: 'campaign', kind: 'count', days }], dayOf(DAYS - 90), dayOf(DAYS - 1));
  expect(looked?.candidates.filter(({ pValue }) => pValue < 0.01)).toEqual([]);
});
