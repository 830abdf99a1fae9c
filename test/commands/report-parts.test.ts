import { expect, it } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { report } from '../../src/commands/report/report.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { typedKeys } from '../../src/settings/setting.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { captured } from './captured.ts';

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
