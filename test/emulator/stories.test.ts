import { expect, test } from 'vitest';
import { storiesOf } from '../../src/emulator/world/index.ts';
import { START_MS } from './place.ts';

const all = Array.from({ length: 40 }, (_, seed) => storiesOf({ seed, startMs: START_MS }));

test.each<[string, number, (stories: (typeof all)[number]) => unknown]>([
  ['device of the fall', 2, ({ conversionFall }) => conversionFall.device],
  ['day of the fall', 8, ({ conversionFall }) => conversionFall.startDay],
  ['segment of the fall', 4, ({ conversionFall }) => conversionFall.segment?.name],
  ['device of the campaign', 2, ({ mixCampaign }) => mixCampaign.device],
  ['size of the campaign', 11, ({ mixCampaign }) => mixCampaign.addedShare],
  ['zone', 4, ({ zoneTapChange }) => zoneTapChange.zone.id],
  ['step of the slow tag', 2, ({ slowTag }) => slowTag.stepId],
  ['instant of the slow tag', 2, ({ slowTag }) => slowTag.dateMs],
  ['host of the slow tag', 2, ({ slowTag }) => slowTag.host],
  ['factor of the slow tag', 2, ({ slowTag }) => slowTag.factor],
  ['action that fails', 2, ({ failing }) => failing.stepId + failing.action],
  ['noisy scenario', 2, ({ noisy }) => noisy.scenarioId],
])('the %s has at least %i values over the seeds', (_what, least, of) => {
  expect(new Set(all.map(of)).size).toBeGreaterThanOrEqual(least);
});

test('speed stories take three scenarios', () => {
  const counts = all.map(({ slowTag, noisy, failing }) => new Set([slowTag, noisy, failing].map(({ scenarioId }) => scenarioId)).size);
  expect(new Set(counts)).toEqual(new Set([3]));
});
