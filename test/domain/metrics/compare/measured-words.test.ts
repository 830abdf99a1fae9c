import { expect, it } from 'vitest';
import type { Change } from '../../../../src/domain/metrics/compare/comparison-words.ts';
import type { MeasuredChange } from '../../../../src/domain/metrics/compare/measured-change.ts';
import { endSentence, measuredSentences, oneDaySentence } from '../../../../src/domain/metrics/compare/measured-words.ts';

const since = {
  from: '2026-11-26',
  days: 7,
  relative: -0.25,
  low: -0.33,
  high: -0.17,
  earliest: '2026-11-25',
  latest: '2026-11-27',
  shape: 'step',
  pValue: 0,
} as const;
const days = { first: '2026-11-20', last: '2026-12-02' };
const headline = { metric: 'conversionRate', since, days } as Change; // only metric and days are read
const measured = (device: string, from: string): MeasuredChange => ({
  metric: 'conversionRate',
  device,
  change: { ...since, from, relative: -0.6, low: -0.64, high: -0.56 },
  cost: { metric: 'conversionCount', value: -591, low: -694, high: -498 },
});

it('say the first day of the device that changed where the headline has another', () => {
  expect(measuredSentences(headline, measured('mobile', '2026-11-22'), undefined)).toBe(
    'On mobile by itself it began on 2026-11-22. That is about -591 conversions (-694 to -498) against days without it.',
  );
});

it('say no day twice', () => {
  expect(measuredSentences(headline, measured('mobile', '2026-11-26'), undefined)).not.toContain('began');
  expect(measuredSentences(headline, measured('all', '2026-11-22'), undefined)).not.toContain('began');
});

it('says of a change of one day how little that is', () => {
  const change = { days: 1 };
  expect(oneDaySentence({ metric: 'cartAverage', change })).toBe('It rests on one day: a single large order may be all there is.');
  expect(oneDaySentence({ metric: 'conversionRate', change })).toBe('It rests on one day: whether it lasts is open.');
  expect(oneDaySentence({ metric: 'cartAverage', change: { ...change, days: 2 } })).toBe('It rests on 2 days: whether it lasts is open.');
  expect(oneDaySentence({ metric: 'cartAverage', change: { ...change, days: 3 } })).toBe('');
  expect(oneDaySentence({ metric: 'cartAverage', change: { days: 1, to: '2026-11-23' } })).toBe('');
});

it('says of a fall of revenue that one day is back from how little that is', () => {
  const ended = (metric: string, to: string) => ({ metric, since: { ...since, to }, days });
  expect(endSentence(ended('revenueSum', '2026-12-01'))).toBe(
    'On 2026-12-02 it was back: one day of orders, which a single large one can make, so whether it is over is open.',
  );
  expect(endSentence(ended('revenueSum', '2026-11-30'))).toBe('');
  expect(endSentence(ended('visits', '2026-12-01'))).toBe('');
  const rate = measured('mobile', '2026-11-26');
  expect(endSentence(ended('revenueSum', '2026-12-01'), { ...rate, change: { ...rate.change, to: '2026-12-01' } })).toBe(
    'On 2026-12-02 it was back.',
  );
});
