import { expect, it } from 'vitest';
import { allGapsAnswer, type GapStudy, gapAnswer, gapCounts, type Status } from '../../../../src/domain/exports/gaps/find-gaps.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
type Part = readonly [Status, days: number, ...by: number[]];

/** A study of whole days from 1 November on. */
function study(...parts: readonly Part[]): GapStudy {
  let startMs = START;
  const intervals = parts.map(([status, slots, ...by]) => {
    const interval = { status, slots, by, startMs, endMs: startMs + slots * DAY_MS };
    startMs = interval.endMs;
    return interval;
  });
  return { unit: 'day', timeZone: 'UTC', range: { startMs: START, endMs: startMs }, intervals, isInferred: false };
}

it.each<[string, readonly Part[], string]>([
  ['has nothing to tell', [['available', 7]], 'None of 7 days of "Daily" is missing.'],
  [
    'counts what is gone beside files',
    [
      ['expired', 5],
      ['available', 2],
    ],
    'None of 7 days of "Daily" is missing. Besides: 5 expired.',
  ],
  ['says that no file is left', [['expired', 7]], '0 of 7 days of "Daily" are available: 7 expired.'],
  [
    'says why days of a suspended job have no files',
    [
      ['expired', 5],
      ['suspended', 2],
    ],
    '0 of 7 days of "Daily" are available: 2 not exported while suspended since 2026-11-06, 5 expired.',
  ],
  [
    'begins before the job',
    [
      ['before', 6],
      ['available', 1],
    ],
    '1 of 7 days of "Daily" is available: 6 before the first run.',
  ],
  [
    'holds days that are being filled for days without data',
    [
      ['available', 2],
      ['filling', 1, 31],
      ['expired', 3],
      ['filling', 1, 32],
    ],
    '2 of 7 days of "Daily" still have no data: 2026-11-03 (filling), 2026-11-07 (filling); backfill jobs 31, 32 are under way. ' +
      'Besides: 3 expired.',
  ],
  [
    'counts them beside the other gaps',
    [
      ['available', 5],
      ['filling', 1, 31],
      ['missing', 1],
    ],
    '2 of 7 days of "Daily" have no data: 2026-11-06 (filling), 2026-11-07 (missing); backfill job 31 is under way.',
  ],
])('the first sentence of a job %s', (_, parts, sentence) => {
  expect(gapAnswer(study(...parts), 'Daily')).toBe(sentence);
});

it('all jobs at once count days that are being filled too', () => {
  const jobs = [study(['available', 6], ['filling', 1, 31]), study(['available', 7])].map((found, at) => ({
    name: `Job ${at}`,
    ...gapCounts(found),
  }));
  expect(allGapsAnswer(jobs)).toBe('Of 2 recurring jobs looked at 1 has gaps: "Job 0" (1 day; backfill job 31 is under way).');
});
