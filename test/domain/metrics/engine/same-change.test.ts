import { describe, expect, it } from 'vitest';
import { type Looked, lookThrough, pValueBeside } from '../../../../src/domain/metrics/engine/scan.ts';
import { METRICS, type Metric, type Planted, pointsOf, type World } from '../../../bench/verdicts/metrics/world.ts';
import { DAYS, fourWeeks, HISTORY, labelOf } from './four-weeks.ts';

const draw = (planted: readonly Planted[]) => fourWeeks(planted, 4);

function look(world: World, metric: Metric): Looked {
  const series = { id: metric, kind: METRICS[metric].kind, days: pointsOf(world, metric) };
  const [looked] = lookThrough([series], labelOf(world, 0), labelOf(world, 27));
  if (!looked) throw new Error('The series has too few days.');
  return looked;
}

it('the usual level between the falls of two factors is no rise of their product', () => {
  const both = draw([
    { on: 'visits', from: HISTORY + 6, to: HISTORY + 13, factor: 0.7 },
    { on: 'rate', from: HISTORY + 18, to: DAYS, factor: 0.7 },
  ]);
  const { study } = look(both, 'conversionCount');
  const between = { from: labelOf(both, 13), to: labelOf(both, 17), pValue: 1e-10 };
  const falls = [{ from: labelOf(both, 6), to: labelOf(both, 12) }, { from: labelOf(both, 18) }];
  expect(pValueBeside(study, between, falls, true)).toBeGreaterThan(0.01);
  expect(pValueBeside(study, between, falls)).toBe(1e-10);
  // A rise of its own stays one.
  const risen = draw([
    { on: 'visits', from: HISTORY + 6, to: HISTORY + 13, factor: 0.7 },
    { on: 'rate', from: HISTORY + 13, to: HISTORY + 18, factor: 1.6 },
  ]);
  const own = look(risen, 'conversionCount');
  const rise = own.candidates.find(({ from }) => from === labelOf(risen, 13));
  expect(pValueBeside(own.study, rise ?? between, falls.slice(0, 1), true)).toBeLessThan(1e-6);
});

describe('few events', () => {
  it('that stay away for a day are no change', () => {
    const world = draw([]);
    const days = (quiet: number) =>
      world.labels.map((day, at) => ({
        label: day,
        numerator: at === HISTORY + 9 ? quiet : 6 + ((at * 5) % 7),
        denominator: 1,
        isWhole: true,
      }));
    const found = (quiet: number) =>
      lookThrough([{ id: 'few', kind: 'count', days: days(quiet) }], labelOf(world, 0), labelOf(world, 27))[0]?.candidates ?? [];
    // Poisson with a mean of nine: none in one of 8,000 days, 28 of which are looked at.
    expect(found(0).every(({ pValue }) => pValue > 1e-3)).toBe(true);
    expect(found(60)[0]?.pValue).toBeLessThan(1e-4);
  });

  it('that take their money with them are no change of revenue either', () => {
    const world = draw([]);
    const orders = (at: number) => (at === HISTORY + 9 ? 0 : 6 + ((at * 5) % 7));
    const days = world.labels.map((day, at) => {
      const events = orders(at);
      return { label: day, numerator: events * (70 + ((at * 11) % 23)), events, denominator: 1, isWhole: true };
    });
    const [looked] = lookThrough([{ id: 'money', kind: 'amount', days }], labelOf(world, 0), labelOf(world, 27));
    expect(looked?.candidates.filter(({ pValue }) => pValue < 1e-3)).toEqual([]);
  });
});
