import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/domain/speed/runs.ts';
import { studyScenario } from '../../../src/domain/speed/scenario-study.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { history, reportOf, WINDOWS } from './histories.ts';

const LCP = 'largestContentfulPaint';
const NOISE = { emulated: true, run: 0.1 } as const;
const { period } = WINDOWS;

const study = (reports: readonly Report[]) => studyScenario(reports, { ...WINDOWS, metrics: [LCP], timeZone: 'UTC' });

describe('a change that lasts beside one that is over', () => {
  const DAY = 24 * HOUR_MS;
  const isIn = (date: number, { from, to }: { from: number; to: number }) =>
    date >= period.endMs - from * DAY && date < period.endMs - to * DAY;
  type Times = (step: 'Home' | 'Product', date: number) => number;

  /** Two steps of one scenario, each multiplied by what `times` says. */
  function course(times: Times, seed = 21) {
    const [home, product] = [seed, seed + 100].map((own) => history(own, NOISE).map(({ steps }) => steps?.[0]?.timings?.[LCP] ?? 0));
    return history(seed, NOISE).map(({ date }, index) => {
      const values = [(home?.[index] ?? 0) * times('Home', date), (product?.[index] ?? 0) * times('Product', date)];
      return reportOf(
        date,
        values.map((value) => ({ [LCP]: value })),
        { names: ['Home', 'Product'] },
      );
    });
  }

  it('comes first, whenever the other one was', () => {
    for (const from of [20, 6]) {
      const spell = { from, to: from - 0.5 };
      const slowHome = (date: number) => (isIn(date, spell) ? 1.6 : 1);
      const fastProduct = (date: number) => (isIn(date, { from: 4, to: 0 }) ? 0.75 : 1);
      const { headline, rows } = study(course((step, date) => (step === 'Home' ? slowHome(date) : fastProduct(date))));
      expect(rows.find(({ step }) => step?.name === 'Home')?.state).toBe('was slower');
      expect([headline?.state, headline?.step?.name]).toEqual(['faster', 'Product']);
      expect(study(course((step, date) => (step === 'Home' ? slowHome(date) : 1))).headline?.state).toBe('was slower');
    }
  });

  it('is not hidden by an outage of all steps that was very clear', () => {
    const found = Array.from({ length: 8 }, (_, seed) => {
      const outage = (date: number) => (isIn(date, { from: 15, to: 12 }) ? 1.5 : 1);
      const { headline } = study(
        course((step, date) => outage(date) * (step === 'Product' && isIn(date, { from: 4, to: 0 }) ? 0.8 : 1), seed + 1),
      );
      return headline?.state;
    });
    expect(found.filter((state) => state === 'faster').length).toBeGreaterThanOrEqual(7);
  });
});
