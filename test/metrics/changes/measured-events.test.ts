import { expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/metrics/changes/events.ts';
import { withoutParts } from '../../../src/metrics/changes/locate-changes.ts';

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
  expect(withoutParts([event({}), other, event({ pValue: 1e-9 })])).toEqual([event({}), other]);
});

it('the share that some visitors have in a change is told with it, however large, unless at another time or of other visitors', () => {
  const share = event({ place: { device: 'desktop', segmentId: 3 }, earliest: '2026-11-15' });
  const [first] = share.parts;
  expect(withoutParts([share, event({})])).toEqual([event({})]);
  expect(withoutParts([event({ place: { device: 'all' } }), event({})])).toEqual([event({ place: { device: 'all' } })]);
  const ofSize = (relative: number, low: number, high: number) => ({ ...share, parts: first ? [{ ...first, relative, low, high }] : [] });
  const others = [
    { ...share, place: { device: 'mobile', segmentId: 3 } as const },
    { ...share, earliest: '2026-11-18', latest: '2026-11-18' },
    { ...share, to: '2026-11-20' },
    ofSize(0.9, 0.8, 0.95),
  ];
  for (const other of others) expect(withoutParts([other, event({})])).toEqual([other, event({})]);
  expect(withoutParts([ofSize(-0.9, -0.95, -0.8), event({})])).toEqual([event({})]);
});
