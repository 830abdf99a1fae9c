/** @module-tag nightly */
import { expect, it, onTestFinished } from 'vitest';
import type { ProjectWorkspace } from '../../src/exports/project-workspace.ts';
import { needsOf, readFunnel } from '../../src/journeys/funnel-sql.ts';
import { parseStep } from '../../src/journeys/step.ts';
import { withVisits } from '../../src/journeys/with-visits.ts';
import { openOffline, writeRun } from '../exports/convert/converted-runs.ts';
import { scratchDirectory } from '../exports/download/store-stub.ts';
import { usesOf } from './both-engines.ts';
import { type Job, runsOf, sessionsOf } from './visit-world.ts';

const QUESTION = {
  steps: ['/p/*', '/cart', 'purchase'].map((text) => parseStep(text, 'steps')),
  order: 'in_order',
  withinDays: undefined,
  breakdown: 'device',
} as const;

function counted(workspace: ProjectWorkspace) {
  return withVisits({}, needsOf(QUESTION), usesOf(Promise.resolve(workspace)), async (visits) => {
    const { days, groups } = await readFunnel(QUESTION, visits);
    return { days: new Map([...days].toSorted(([a], [b]) => a - b)), groups };
  });
}

/** Files as they came, and the tables that are made of them; the run of one day is exported twice. */
async function before(users: (user: string, at: number) => string) {
  const jobs: Job[] = (['sessions', 'views'] as const).flatMap((scope) => [
    { scope, days: [9, 16], hours: 24 },
    { scope, days: [12, 13], isStale: true },
  ]);
  const kind = { seed: 5, jobs };
  const sessions = sessionsOf(kind, 60).map((session, at) => ({ ...session, user: users(session.user, at) }));
  const dir = scratchDirectory();
  const [plain, stored] = [openOffline(dir), openOffline(dir, { keepSource: true })];
  onTestFinished(async () => {
    await Promise.all([plain.close(), stored.close()]);
  });
  for (const run of runsOf(kind, sessions)) writeRun(plain, run);
  const asCame = await counted(plain);
  await stored.runs();
  await stored.converted();
  const runs = await stored.runs();
  const types = runs.map(({ table }) => table?.columns.find(({ name }) => name === 'user_id')?.heldAs);
  return { asCame, types: new Set(types), asHeld: await counted(stored) };
}

it('visits are counted alike where ids are compared as the numbers that tables hold', async () => {
  const { asCame, types, asHeld } = await before((user) => user);
  expect(types).toEqual(new Set(['UBIGINT']));
  expect(asHeld).toEqual(asCame);
  expect([...asCame.days.values()].flat().reduce((sum, count) => sum + count, 0)).toBeGreaterThan(40);
});

it('and where some tables hold numbers and others text', async () => {
  const { asCame, types, asHeld } = await before((user, at) => (at === 0 ? 'guest' : user));
  expect(types).toEqual(new Set(['UBIGINT', undefined]));
  expect(asHeld).toEqual(asCame);
});
