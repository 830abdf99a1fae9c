import { describe, expect, it } from 'vitest';
import { effectOnDays, type Looked, lookThrough, pValueBeside, substitute } from '../../../../src/domain/metrics/engine/scan.ts';
import { METRICS, type Metric, type Planted, pointsOf, type Selection, type World } from '../../../bench/verdicts/metrics/world.ts';
import { DAYS, fourWeeks, HISTORY, labelOf } from './four-weeks.ts';

const draw = (planted: readonly Planted[]) => fourWeeks(planted, 4);

function look(world: World, metric: Metric, selection: Selection = {}): Looked {
  const series = { id: metric, kind: METRICS[metric].kind, days: pointsOf(world, metric, selection) };
  const [looked] = lookThrough([series], labelOf(world, 0), labelOf(world, 27));
  if (!looked) throw new Error('The series has too few days.');
  return looked;
}

function clearest({ candidates }: Looked) {
  const [first] = candidates.toSorted((a, b) => a.pValue - b.pValue);
  if (!first) throw new Error('Nothing was found.');
  return first;
}

describe('the effect on some days', () => {
  it('is what was planted there, and nothing elsewhere', () => {
    const world = draw([{ on: 'rate', from: HISTORY + 12, to: HISTORY + 18, factor: 0.8 }]);
    const { study } = look(world, 'conversionRate');
    const effect = effectOnDays(study, { from: labelOf(world, 12), to: labelOf(world, 17) });
    expect(effect?.low).toBeLessThan(-0.2);
    expect(effect?.high).toBeGreaterThan(-0.2);
    expect(Math.abs(effectOnDays(study, { from: labelOf(world, 20), to: labelOf(world, 25) })?.relative ?? 1)).toBeLessThan(0.05);
    expect(effectOnDays(study, { from: '2031-01-01' })).toBeUndefined();
  });
});

describe('other days', () => {
  const world = draw([{ on: 'visits', from: HISTORY + 10, to: DAYS, factor: 0.8 }]);

  it('stand for a finding where the series cannot tell them apart', () => {
    const looked = look(world, 'visits');
    const found = clearest(looked);
    expect(found).toMatchObject({ shape: 'step', from: labelOf(world, 10) });
    expect(substitute(looked.study, found, { from: labelOf(world, 10) })).toEqual({ loss: 0, left: 0 });
    expect(substitute(looked.study, found, { from: labelOf(world, 20) })?.loss).toBeGreaterThan(20);
  });

  it('do not where they lie the other way or are none of the series', () => {
    const looked = look(
      draw([
        { on: 'visits', from: HISTORY + 10, to: HISTORY + 11, factor: 0.5 },
        { on: 'visits', from: HISTORY + 15, to: HISTORY + 18, factor: 1.4 },
      ]),
      'visits',
    );
    const found = clearest(looked);
    expect(substitute(looked.study, found, { from: '2031-01-01' })).toBeUndefined();
    const [one, other] = looked.candidates;
    expect(one && other && substitute(looked.study, one, other)).toBeUndefined();
  });
});

describe('beside other changes', () => {
  it('a sum of two is no third', () => {
    const world = draw([
      { on: 'visits', from: HISTORY + 6, to: DAYS, factor: 0.8 },
      { on: 'rate', from: HISTORY + 14, to: HISTORY + 20, factor: 0.75 },
    ]);
    const looked = look(world, 'conversionCount');
    const found = clearest(looked);
    const days = [{ from: labelOf(world, 6) }, { from: labelOf(world, 14), to: labelOf(world, 19) }];
    expect(found.pValue).toBeLessThan(1e-6);
    expect(pValueBeside(looked.study, found, days)).toBeGreaterThan(0.01);
    // What shares no day with it explains nothing of it.
    expect(pValueBeside(looked.study, found, [{ from: labelOf(world, 0), to: labelOf(world, 0) }])).toBe(found.pValue);
  });
});

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
