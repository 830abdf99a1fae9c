import { expect, it } from 'vitest';
import { failureWords } from '../../../src/domain/speed/failures.ts';
import { type Study, studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { reportOf } from './histories.ts';

const DAYS = 37;
const period = { startMs: 30 * DAY_MS, endMs: DAYS * DAY_MS };

/** Runs each hour of which one in so many fails at an hour. */
function studyOf(oneIn: (hour: number) => number): Study {
  const reports = Array.from({ length: DAYS * 24 }, (_, hour) =>
    reportOf(hour * HOUR_MS, [{ largestContentfulPaint: 2000 }], hour % oneIn(hour) === 0 ? { failedAt: 0 } : {}),
  );
  return studyScenario(reports, { baseline: { startMs: 0, endMs: period.startMs - 1 }, period, metrics: undefined, timeZone: 'UTC' });
}

it('a share of failed runs that rose is told with both levels and since when, outside the brackets of the period', () => {
  const { words } = failureWords(studyOf((hour) => (hour >= 33 * 24 ? 4 : 25))) ?? {};
  expect(words).toMatch(/^\d+% of runs fail \(\d+ of 168, 95%: \d+%–\d+%; 4% of 720 before\), more often since 1970-02-0[23]T/);
  expect(words).toMatch(/Z: 2[4-6]%, until then 4%; all at step "Step 1"$/);
});

it('a share that stayed is told as no change', () => {
  const { words } = failureWords(studyOf(() => 10)) ?? {};
  expect(words).toMatch(/^10% of runs fail \(17 of 168, .+; 10% of 720 before: no change\), all at step "Step 1"$/);
});
