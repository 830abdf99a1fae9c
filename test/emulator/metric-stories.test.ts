import { expect, test } from 'vitest';
import { metricStories } from '../../src/emulator/world/sessions/index.ts';

const origins = [
  { seed: 1, startMs: Date.parse('2026-11-20T10:00:00.000Z') },
  { seed: 2, startMs: Date.parse('2026-11-20T10:00:00.000Z') },
  { seed: 7, startMs: Date.parse('2026-03-03T23:59:00.000Z') },
  { seed: 42, startMs: Date.parse('2027-01-01T00:00:00.000Z') },
  { seed: 1_000_003, startMs: Date.parse('2026-07-15T06:30:00.000Z') },
];

test('device, day, size and segment differ from seed to seed', () => {
  const all = Array.from({ length: 40 }, (_, seed) => metricStories({ seed, startMs: origins[0]?.startMs ?? 0 }));
  const kinds = (of: (stories: (typeof all)[number]) => unknown) => new Set(all.map(of)).size;
  expect(kinds(({ conversionFall }) => conversionFall.device)).toBe(2);
  expect(kinds(({ conversionFall }) => conversionFall.startDay)).toBe(8);
  expect(kinds(({ conversionFall }) => conversionFall.segment?.name)).toBe(4);
  expect(kinds(({ mixCampaign }) => mixCampaign.device)).toBe(2);
  expect(kinds(({ mixCampaign }) => mixCampaign.addedShare)).toBeGreaterThan(10);
  expect(kinds(({ zoneTapChange }) => zoneTapChange.zone.id)).toBe(4);
});
