import { expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/metrics/changes/events.ts';
import { withoutParts } from '../../../src/metrics/changes/locate-changes.ts';
import { partOf } from '../points.ts';

const place = { device: 'desktop' } as const;
const event = (change: Parameters<typeof partOf>[1] = {}, at: Parameters<typeof partOf>[2] = place): ChangeEvent => [
  partOf('conversionRate', { earliest: '2026-11-14', ...change }, at),
];

it('what two findings measure as the same change is told once', () => {
  const other = event({ from: '2026-11-18', earliest: '2026-11-18' });
  expect(withoutParts([event(), other, event({ pValue: 1e-9 })])).toEqual([event(), other]);
});

it('the share that some visitors have in a change is told with it, however large, unless at another time or of other visitors', () => {
  const within = { ...place, segmentIds: [3] };
  expect(withoutParts([event({ earliest: '2026-11-15' }, within), event()])).toEqual([event()]);
  expect(withoutParts([event({}, {}), event()])).toEqual([event({}, {})]);
  const others = [
    event({}, { device: 'mobile', segmentIds: [3] }),
    event({ earliest: '2026-11-18', latest: '2026-11-18' }, within),
    event({ to: '2026-11-20' }, within),
    event({ relative: 0.9, low: 0.8, high: 0.95 }, within),
  ];
  for (const other of others) expect(withoutParts([other, event()])).toEqual([other, event()]);
  expect(withoutParts([event({ relative: -0.9, low: -0.95, high: -0.8 }, within), event()])).toEqual([event()]);
});
