import { expect, it } from 'vitest';
import { type Study, studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import { failureFinding } from '../../../src/domain/speed/speed-findings.ts';
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

const told = (study: Study) => failureFinding(study.failures, study.period, { name: 'Search', timeZone: 'UTC', year: '1970' });

it('a share of failed runs that rose is told with both levels and since when', () => {
  const { sentence, ...record } = told(studyOf((hour) => (hour >= 33 * 24 ? 4 : 25)));
  expect(sentence).toMatch(/^"Search" fails in 2[4-6]% of its runs since [23] Feb, \d\d:\d\d, 4% before, most often at "Step 1"\.$/);
  expect(record).toMatchObject({ subject: 'failedRuns', unit: '%', verdict: 'higher', when: { shape: 'step', ongoing: true } });
  expect(record.change?.points).toBeGreaterThan(8);
});

it('a share that stayed is told as that, without a change', () => {
  const { sentence, ...record } = told(studyOf(() => 10));
  expect(sentence).toBe('"Search" fails in 10% of its runs, as before, most often at "Step 1".');
  expect(record).toMatchObject({ verdict: 'unchanged', now: 10.1, against: { what: 'before', value: 10 } });
  expect(record).not.toHaveProperty('change');
});
