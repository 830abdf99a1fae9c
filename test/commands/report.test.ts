import { expect, it } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { periodOf, report } from '../../src/commands/report/report.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { typedKeys } from '../../src/settings/setting.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { captured } from './captured.ts';

const now = { nowMs: Date.parse('2026-12-03T09:20:00Z'), timeZone: 'UTC' };

it.each([
  ['week', '2026-11-23', '2026-11-29'],
  ['month', '2026-11-01', '2026-11-30'],
  ['quarter', '2026-07-01', '2026-09-30'],
  ['14', '2026-11-19', '2026-12-02'],
  ['14d', '2026-11-19', '2026-12-02'],
])('the period of a report %s', (last, startDate, endDate) => {
  expect(periodOf(last, now)).toEqual({ startDate, endDate });
});

it.each(['year', '1', '93', ''])('the period of a report "%s" is refused with what is expected', (last) => {
  expect(() => periodOf(last, now)).toThrow(/expected week, month, quarter, or 2 to 92 days/);
});

it('a report whose parts failed in part ends with 4, and says which on stderr', { timeout: 120_000 }, async () => {
  const failing = typedKeys(operations).filter((name) => /metrics|scenario/i.test(operations[name].path));
  const world = {
    seed: 1,
    clock: clockStartingAt(Date.parse('2026-11-26T10:50:00Z')),
    faults: failing.map((operation) => ({ kind: 'refused', operation }) as const),
  };
  const settings = readSettings({}, { demo: 'true', toolsets: 'insights' });
  const { code, err } = await captured(() => report(settings, world, { last: '7', out: temporaryFolder() }));
  expect(code).toBe(4);
  expect(err).toMatch(/What changed …\n {2}failed: /);
  // What works, and what the settings leave out, did not fail.
  expect(err).toMatch(/Exports: days without data …\nExports: files that go soon …\n$/);
});
