import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Study } from '../../src/speed/scenario-study.ts';
import { failureFinding, tellScenario } from '../../src/speed/speed-findings.ts';
import { seeded } from '../bench/verdicts/random.ts';
import { times } from '../support/times.ts';
import { type Factor, history, reportOf, studyOf, WINDOWS } from './histories.ts';

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

/** Runs each hour that fail at the first of three steps as often all along, and from a day on at the last one by so much more. */
function failingAtLast(seed: number, rise: number): Study {
  const { uniform } = seeded(seed);
  const reports = times(DAYS * 24, (hour) => {
    const oftenAt = [0.12, 0.01, 0.005 + (hour >= 32 * 24 ? rise : 0)].findIndex((share) => uniform() < share);
    return reportOf(hour * HOUR_MS, [{}, {}, {}], oftenAt < 0 ? {} : { failedAt: oftenAt });
  });
  return studyOf(reports, undefined, { baseline: { startMs: 0, endMs: period.startMs - 1 }, period });
}

it('a step that began to fail is told beside one that fails as before and hides it, and seldom where none did', () => {
  const begunIn = (rise: number) => times(40, (seed) => failingAtLast(seed + 1, rise)).filter(({ failures }) => failures.begun);
  expect(begunIn(0).length).toBeLessThanOrEqual(1);
  const begun = begunIn(0.07);
  expect(begun.length).toBeGreaterThan(14);
  for (const { failures } of begun) expect(failures.begun?.step).toBe('Step 3');
  const [first] = begun;
  const { findings, said } = first ? tellScenario(first, 'Search') : { findings: [], said: [] };
  expect(findings.filter(({ subject }) => subject === 'failedRuns')).toMatchObject([
    { verdict: 'unchanged', place: { step: 'Step 1' } },
    { verdict: 'higher', place: { step: 'Step 3' }, when: { shape: 'step', ongoing: true }, change: { points: expect.any(Number) } },
  ]);
  expect(said.flat().join(' ')).toMatch(
    /Failures at "Step 3" in "Search" are more frequent since [12]?\d \w+, \d\d:\d\d UTC: \d+% of runs \([\d.]+% before\)\./,
  );
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

const study = (factorOf: Factor, seed = 21) => studyOf(history(seed, { emulated: true, run: 0.1 }, factorOf), ['largestContentfulPaint']);

/** Whether an instant lies so many days before the end. */
const isIn = (date: number, from: number, to: number) =>
  date >= WINDOWS.period.endMs - from * DAY_MS && date < WINDOWS.period.endMs - to * DAY_MS;

it('a change that lasts beside one that is over comes first, whenever the other one was', () => {
  for (const from of [20, 6]) {
    const spell: Factor = (date, step) => (step === 0 && isIn(date, from, from - 0.5) ? 1.6 : 1);
    const both: Factor = (date, step) => (step === 1 && isIn(date, 4, 0) ? 0.75 : spell(date, step));
    const { headline, rows } = study(both);
    expect(rows.find(({ step }) => step?.number === 1)?.state).toBe('was slower');
    expect([headline?.state, headline?.step?.number]).toEqual(['faster', 2]);
    expect(study(spell).headline?.state).toBe('was slower');
  }
});

it('a change that lasts beside one that is over is not hidden by an outage of all steps that was very clear', () => {
  const factors: Factor = (date, step) => (isIn(date, 15, 12) ? 1.5 : 1) * (step === 1 && isIn(date, 4, 0) ? 0.8 : 1);
  const found = Array.from({ length: 8 }, (_, seed) => study(factors, seed + 1).headline?.state);
  expect(found.filter((state) => state === 'faster').length).toBeGreaterThanOrEqual(7);
});
