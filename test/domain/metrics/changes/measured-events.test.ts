import { expect, it } from 'vitest';
import { type ChangeSeries, type Place, type Scene, seriesId } from '../../../../src/domain/metrics/changes/change-series.ts';
import type { ChangeEvent } from '../../../../src/domain/metrics/changes/events.ts';
import { withoutParts } from '../../../../src/domain/metrics/changes/find-changes.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';

const SCENE: Scene = { series: new Map(), studies: new Map(), base: { device: 'all' }, from: '2026-11-02', to: '2026-11-22' };
const place = { device: 'desktop' } as const;
const event = (more: Partial<ChangeEvent>): ChangeEvent => ({
  shape: 'step',
  from: '2026-11-16',
  days: 7,
  earliest: '2026-11-14',
  latest: '2026-11-16',
  place,
  parts: [{ metric: 'conversionRate', place, relative: -0.67, low: -0.7, high: -0.64, score: 9 }],
  pValue: 1e-5,
  ...more,
});

it('what two findings measure as the same change is told once', () => {
  const other = event({ from: '2026-11-18', earliest: '2026-11-18', latest: '2026-11-18' });
  expect(withoutParts(SCENE, [event({}), other, event({ pValue: 1e-9 })])).toEqual([event({}), other]);
});

it('the share that some visitors have in a change is told with it, however large, unless at another time or of other visitors', () => {
  const share = event({ place: { device: 'desktop', segmentId: 3 }, earliest: '2026-11-15' });
  const [first] = share.parts;
  expect(withoutParts(SCENE, [share, event({})])).toEqual([event({})]);
  expect(withoutParts(SCENE, [event({ place: { device: 'all' } }), event({})])).toEqual([event({ place: { device: 'all' } })]);
  const others = [
    { ...share, place: { device: 'mobile', segmentId: 3 } as const },
    { ...share, earliest: '2026-11-18', latest: '2026-11-18' },
    { ...share, to: '2026-11-20' },
    { ...share, parts: first ? [{ ...first, relative: 0.9, low: 0.8, high: 0.95 }] : [] },
  ];
  for (const other of others) expect(withoutParts(SCENE, [other, event({})])).toEqual([other, event({})]);
  const larger = { ...share, parts: first ? [{ ...first, relative: -0.9, low: -0.95, high: -0.8 }] : [] };
  expect(withoutParts(SCENE, [larger, event({})])).toEqual([event({})]);
});

it('a change of all visitors that one device made is told of that device, on days of its own', () => {
  const daysOf = (visits: number, rate: (day: number) => number) =>
    Array.from({ length: 21 }, (_, day) => ({
      label: dayAfter('2026-11-02', day),
      numerator: visits * rate(day),
      denominator: visits,
      isWhole: true,
    }));
  const seriesOf = (own: Place, days: ChangeSeries['days']): ChangeSeries => {
    const id = seriesId('conversionRate', own);
    return { id, kind: 'share', days, metric: 'conversionRate', place: own };
  };
  const broken = daysOf(1_000, (day) => (day < 14 ? 0.03 : 0.01));
  const still = daysOf(1_000, () => 0.03);
  const both = broken.map((day, at) => ({ ...day, numerator: day.numerator + (still[at]?.numerator ?? 0), denominator: 2_000 }));
  const all = { device: 'all' } as const;
  const series = new Map([seriesOf(place, broken), seriesOf(all, both)].map((each) => [each.id, each]));
  const [part] = event({}).parts;
  const whole = event({
    place: all,
    from: '2026-11-17',
    latest: '2026-11-17',
    parts: part ? [{ ...part, place: all, relative: -0.33 }] : [],
  });
  expect(withoutParts({ ...SCENE, series }, [whole, event({})])).toEqual([event({})]);
});
