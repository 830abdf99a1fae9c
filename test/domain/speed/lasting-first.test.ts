import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { type Factor, history, studyOf, WINDOWS } from './histories.ts';

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
  const times: Factor = (date, step) => (isIn(date, 15, 12) ? 1.5 : 1) * (step === 1 && isIn(date, 4, 0) ? 0.8 : 1);
  const found = Array.from({ length: 8 }, (_, seed) => study(times, seed + 1).headline?.state);
  expect(found.filter((state) => state === 'faster').length).toBeGreaterThanOrEqual(7);
});
