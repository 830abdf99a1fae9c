import { expect, it } from 'vitest';
import type { Study } from '../../../src/domain/speed/scenario-study.ts';
import { failureFinding, tellScenario } from '../../../src/domain/speed/speed-findings.ts';
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { reportOf, studyOf } from './histories.ts';

const DAYS = 37;
const period = { startMs: 30 * DAY_MS, endMs: DAYS * DAY_MS };

/** Runs each hour of which one in so many fails at an hour. */
function failing(oneIn: (hour: number) => number, metrics?: readonly string[]): Study {
  const reports = Array.from({ length: DAYS * 24 }, (_, hour) =>
    reportOf(hour * HOUR_MS, [{ largestContentfulPaint: 2000 }], hour % oneIn(hour) === 0 ? { failedAt: 0 } : {}),
  );
  return studyOf(reports, metrics, { baseline: { startMs: 0, endMs: period.startMs - 1 }, period });
}

const told = (study: Study) => failureFinding(study.failures, study.period, { name: 'Search', timeZone: 'UTC', year: '1970' });

it('a share of failed runs that rose is told with both levels and since when', () => {
  const { sentence, ...record } = told(failing((hour) => (hour >= 33 * 24 ? 4 : 25)));
  expect(sentence).toMatch(/^"Search" fails in 2[4-6]% of its runs since [23] Feb, \d\d:\d\d UTC, 4% before, most often at "Step 1"\.$/);
  expect(record).toMatchObject({ subject: 'failedRuns', unit: '%', verdict: 'higher', when: { shape: 'step', ongoing: true } });
  expect(record.change?.points).toBeGreaterThan(8);
});

it('a share that stayed is told as that, without a change', () => {
  const { sentence, ...record } = told(failing(() => 10));
  expect(sentence).toBe('"Search" fails in 10% of its runs, as before, most often at "Step 1".');
  expect(record).toMatchObject({ verdict: 'unchanged', now: 10.1, against: { what: 'before', value: 10 } });
  expect(record).not.toHaveProperty('change');
});

it.each([
  [undefined, 0],
  [['all'], 0],
  [['unknown'], 0],
  [['largestContentfulPaint'], 1],
])('of metrics %s failures have place %i', (metrics, place) => {
  const { said, findings } = tellScenario(
    failing(() => 10, metrics),
    'Search',
  );
  expect([findings[place]?.subject, said[place]]).toEqual(['failedRuns', [expect.stringContaining('fails in 10%')]]);
});
