import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expiresMs, openPlans } from '../../src/exports/plans.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';

const body = {
  name: 'Daily',
  format: 'JSONL' as const,
  scope: 'sessions',
  frequency: { value: 'daily' as const },
  fields: [{ fieldName: 'session_id' }],
  deviceLabel: 'all' as const,
};
const draft = { bodies: [body, { ...body, name: 'Other' }], known: [3103], nowMs: Date.parse('2026-11-20T10:00:00.000Z') };

let directory: string;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'plans-')), 'plans');
});
afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

const open = (projectId = 1201) => openPlans(directory, projectId);

it('a plan is found again by whoever opens the same directory, and lives seven days', async () => {
  const plan = await open().add({ ...draft, fills: 3103 });
  expect(plan).toMatchObject({ planId: expect.stringMatching(/^plan-[a-z0-9]{10}$/), projectId: 1201, fills: 3103, known: [3103] });
  expect(plan.parts).toEqual(draft.bodies.map((each) => ({ body: each })));
  expect(await open().read(plan.planId)).toEqual(plan);
  expect(await open().all()).toEqual([plan]);
  expect(isoTime(expiresMs(plan))).toBe('2026-11-27T10:00:00.000Z');
});

it('a plan of another project, of another directory, or of a name that is none is not found', async () => {
  const { planId } = await open().add(draft);
  expect(await open(1202).read(planId)).toBeUndefined();
  expect(await open(1202).all()).toEqual([]);
  expect(await openPlans(join(directory, 'elsewhere'), 1201).all()).toEqual([]);
  for (const name of ['', planId.toUpperCase(), `../plans/${planId}`, `${planId}\u0000`, 'plan-0000000000'])
    expect(await open().read(name)).toBeUndefined();
});

it('a plan is written whole or not at all, and one that was spoilt is none', async () => {
  const plans = open();
  const plan = await plans.add(draft);
  const [first, ...rest] = plan.parts;
  if (!first) throw new Error('a plan has parts');
  await plans.save({ ...plan, parts: [{ ...first, jobId: 3200 }, ...rest] });
  expect((await plans.read(plan.planId))?.parts[0]?.jobId).toBe(3200);
  expect(await readdir(directory)).toEqual([`${plan.planId}.json`]);
  const path = join(directory, `${plan.planId}.json`);
  await writeFile(path, (await readFile(path, 'utf8')).slice(0, -20));
  expect(await plans.read(plan.planId)).toBeUndefined();
  expect(await plans.all()).toEqual([]);
});

it('a plan goes when it is too old to tell anything, and so does what a killed process left', async () => {
  const { planId: old } = await open().add(draft);
  const { planId: recent } = await open().add(draft);
  const months = new Date(Date.now() - 93 * DAY_MS);
  await utimes(join(directory, `${old}.json`), months, months);
  await writeFile(join(directory, `${old}.json.tmp`), '{');
  await utimes(join(directory, `${old}.json.tmp`), months, months);
  const { planId: added } = await open().add(draft);
  expect((await readdir(directory)).toSorted()).toEqual([`${added}.json`, `${recent}.json`].toSorted());
});

describe('the right to apply a plan', () => {
  it('belongs to one at a time, and of calls at the same moment to each in turn', async () => {
    const { planId } = await open().add(draft);
    let inside = 0;
    let most = 0;
    let done = 0;
    const run = async () => {
      done += 1;
      most = Math.max(most, (inside += 1));
      await readdir(directory);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => open().hold(planId, run)));
    expect([most, done]).toEqual([1, 20]);
  });

  it('is refused to a call that has waited too long for another, and free again after a failure', async () => {
    const { planId } = await open().add(draft);
    const shortly = openPlans(directory, 1201, 50);
    const failing = open().hold(planId, async () => {
      await expect(shortly.hold(planId, async () => 'done')).rejects.toMatchObject({
        kind: 'busy',
        message: expect.stringMatching(/^Another call is applying this plan/),
      });
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    await expect(shortly.hold(planId, async () => 'done')).resolves.toBe('done');
  });
});
