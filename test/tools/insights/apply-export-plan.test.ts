import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { type Assistant, type AssistantOptions, openAssistant, withAssistant } from '../../support/assistant.ts';
import { refusal, useTools, whole } from '../support.ts';

const { ask, call, platform, sent } = useTools();

const created = () => sent('createExportJob').map(({ body }) => body as Body);

interface Body {
  readonly name: string;
}

let dataDir = '';
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'plans-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

let number = 0;
/** Plans a once export of some days in October under a name of its own, a job for each started week. */
async function planned(from: Pick<Assistant, 'call'>, endDate: string): Promise<{ planId: string; name: string }> {
  number += 1;
  const name = `Case ${number}`;
  const { structured } = await from.call('plan_export', {
    fields: ['session_id', 'browser', 'plan'],
    name,
    startDate: '2026-10-01',
    endDate,
  });
  return { planId: String(structured['planId']), name };
}

/** Names of the jobs that exist, oldest first. */
async function jobsCalled(name: string): Promise<{ jobId: number | string; name: string }[]> {
  const jobs = await ask('listExportJobs', { limit: 100, order: 'ASC' });
  return jobs.flatMap((job) => (job.name?.startsWith(name) ? [{ jobId: job.jobId, name: job.name }] : []));
}

/** Runs with another server on the same directory. */
const withServer = <T>(options: AssistantOptions, run: (assistant: Assistant) => Promise<T>) =>
  withAssistant(platform(), { dataDir, ...options }, run);

it('shows what it would send, creates the jobs when confirmed, and none of them again', { tags: 'nightly' }, async () => {
  const { planId, name } = await planned({ call }, '2026-10-16');
  const preview = await call('apply_export_plan', { planId });
  expect(created()).toEqual([]);
  const { body, each } = (preview.structured as { request: { body: Body; each: Body[] } }).request;
  const answer = await call('apply_export_plan', { planId, confirm: true });
  expect(created()).toEqual(each.map((part) => ({ ...body, ...part })).map((request) => expect.objectContaining(request)));
  expect(answer.structured['jobs']).toMatchObject(await jobsCalled(name));
  expect([whole(preview), whole(answer)].join('\n\n').replaceAll(/\b31\d\d\b/g, '31xx')).toMatchSnapshot();
  const again = await call('apply_export_plan', { planId, confirm: true });
  expect(again).toMatchObject({
    isError: false,
    text: expect.stringContaining('All jobs of this plan were created before; nothing was sent.'),
  });
  expect(created()).toHaveLength(3);
  expect(whole(answer)).toContain('2026-10-08');
});

it('is the exact request of the plan for a single job', async () => {
  const { structured } = await call('plan_export', { fields: ['browser', 'custom variable plan'], frequency: 'daily', name: 'One' });
  await call('apply_export_plan', { planId: structured['planId'], confirm: true });
  expect(created()).toEqual([structured['body']]);
  expect(await jobsCalled('One')).toHaveLength(1);
});

describe('where the client can ask', () => {
  it('one question covers all jobs', { tags: 'nightly' }, async () => {
    const questions: string[] = [];
    const answer = (message: string) => {
      questions.push(message);
      return 'accept' as const;
    };
    await withServer({ answer }, async (assistant) => {
      const { planId, name } = await planned(assistant, '2026-10-20');
      expect(await assistant.call('apply_export_plan', { planId })).toMatchObject({ structured: { status: 'done' } });
      expect(questions).toEqual([
        expect.stringMatching(
          /^Create 3 one-time exports with sessions \(JSONL, 3 columns\) for all devices\? They cannot be deleted from here\.\n/,
        ),
      ]);
      expect(questions[0]).toMatch(/\n"[^\n]* of 2026-10-01 to 2026-10-07, [^\n]*\nColumns: [^\n]*\nProject: 1201\.$/);
      expect(await jobsCalled(name)).toHaveLength(3);
    });
  });

  it('a creation whose answer was lost counts from the instant of sending, however long the person thought', {
    tags: 'nightly',
  }, async () => {
    const { clock, faults } = platform();
    let thinkingMs = 90_000;
    const answer = () => {
      clock.jump(thinkingMs);
      return 'accept' as const;
    };
    await withServer({ answer }, async (assistant) => {
      const { planId, name } = await planned(assistant, '2026-10-07');
      faults.add({ kind: 'reset', operation: 'createExportJob', times: 1 });
      const lost = await assistant.call('apply_export_plan', { planId });
      expect(lost).toMatchObject(refusal('may have been created'));
      thinkingMs = 5_000;
      const early = await assistant.call('apply_export_plan', { planId });
      expect(early).toMatchObject(refusal('is not certain yet'));
      expect(created()).toHaveLength(1);
      thinkingMs = 61_000;
      expect(await assistant.call('apply_export_plan', { planId })).toMatchObject({ isError: false });
      expect(await jobsCalled(name)).toHaveLength(1);
      clock.jump(-156_000);
    });
  });

  it('nothing is created when it is declined', { tags: 'nightly' }, async () => {
    await withServer({ answer: () => 'decline' }, async (assistant) => {
      const { planId, name } = await planned(assistant, '2026-10-20');
      expect(await assistant.call('apply_export_plan', { planId, confirm: true })).toMatchObject({ structured: { status: 'declined' } });
      expect(await jobsCalled(name)).toEqual([]);
    });
  });
});

it('a creation that breaks in the middle says which jobs exist; repeated, it creates only the rest, after a restart too', {
  tags: 'nightly',
}, async () => {
  const { planId, name } = await withServer({}, (assistant) => planned(assistant, '2026-10-20'));
  await withServer({}, async (assistant) => {
    const second = platform().faults.add({ kind: 'slow', operation: 'createExportJob' });
    const calling = assistant.call('apply_export_plan', { planId, confirm: true });
    await second.reached(1);
    platform().faults.add({ kind: 'refused', operation: 'createExportJob', times: 1 });
    second.remove();
    second.release();
    const broken = await calling;
    expect(broken).toMatchObject(refusal(`The job "${name} 2026-10-08 to 2026-10-14" was not created: `));
    expect(broken.text).toMatch(new RegExp(`Created so far: \\d+ "${name} 2026-10-01 to 2026-10-07"\\.`));
    expect(broken.text).toContain('it creates only the 2 that are open, and looks for them first.');
  });
  expect(await jobsCalled(name)).toHaveLength(1);
  const answer = await withServer({}, (assistant) => assistant.call('apply_export_plan', { planId, confirm: true }));
  expect(answer.structured['jobs']).toMatchObject(await jobsCalled(name));
  expect(created()).toHaveLength(4);
  expect(new Set((await jobsCalled(name)).map((job) => job.name)).size).toBe(3);
});

it.each(['reset', 'truncated', 'server-error', 'bad-gateway', 'shape'] as const)(
  'an answer that is lost by %s: the job is found and not created again',
  { tags: 'nightly' },
  async (kind) => {
    platform().faults.add({ kind, operation: 'createExportJob', afterEffect: true, times: 1 });
    const { planId, name } = await planned({ call }, '2026-10-10');
    const answer = await call('apply_export_plan', { planId, confirm: true });
    expect(answer.isError).toBe(false);
    expect(answer.text).toMatch(
      new RegExp(`The answer to the creation of "${name} 2026-10-01 to 2026-10-07" was lost; the list of jobs shows it as \\d+\\.`),
    );
    expect(answer.structured['jobs']).toMatchObject(await jobsCalled(name));
    expect(created()).toHaveLength(2);
  },
);

it('an answer that is lost of a request that never arrived: it is sent again only when it can no longer take effect', async () => {
  const { planId, name } = await planned({ call }, '2026-10-07');
  platform().faults.add({ kind: 'reset', operation: 'createExportJob', times: 1 });
  const lost = await call('apply_export_plan', { planId, confirm: true });
  expect(lost).toMatchObject(refusal(/may have been created: .* No such job is listed yet\.\nNothing was created\. Call again/s));
  const early = await call('apply_export_plan', { planId, confirm: true });
  expect(early).toMatchObject(refusal('is not certain yet'));
  expect(await jobsCalled(name)).toEqual([]);
  platform().clock.jump(61_000);
  const answer = await call('apply_export_plan', { planId, confirm: true });
  expect(answer.structured['jobs']).toMatchObject(await jobsCalled(name));
  platform().clock.jump(-61_000);
  expect(created()).toHaveLength(2);
});

describe('a plan', () => {
  const missing = refusal(/^There is no plan \S+; plan_export or find_export_gaps makes one\./);

  it('is applied neither for another project, nor for another person, nor by a name that is none', async () => {
    await withServer({}, async (mine) => {
      const { planId } = await planned(mine, '2026-10-07');
      expect(await mine.call('apply_export_plan', { planId, projectId: 1202, confirm: true })).toMatchObject(
        refusal(/^projectId: what is named is of project 1201, not of 1202; leave projectId out\./),
      );
      expect(await mine.call('apply_export_plan', { planId: '../../plans/x', confirm: true })).toMatchObject(missing);
      await withServer({ principal: 'somebody else' }, async (theirs) => {
        expect(await theirs.call('apply_export_plan', { planId, confirm: true })).toMatchObject(missing);
      });
    });
    expect(created()).toEqual([]);
  });

  it('is not in the way of another one of the same name with another range', async () => {
    for (const endDate of ['2026-10-03', '2026-10-05']) {
      const wish = { fields: ['session_id', 'city'], name: 'Same name', startDate: endDate, endDate };
      const { structured } = await call('plan_export', wish);
      expect(await call('apply_export_plan', { planId: structured['planId'], confirm: true })).toMatchObject({ isError: false });
    }
    expect(await jobsCalled('Same name')).toHaveLength(2);
    expect(created()).toHaveLength(2);
  });

  it('is refused when it is older than a week', async () => {
    const { planId } = await planned({ call }, '2026-10-07');
    const weekMs = 7 * DAY_MS;
    platform().clock.jump(weekMs);
    const answer = await call('apply_export_plan', { planId, confirm: true });
    platform().clock.jump(-weekMs);
    expect(answer).toMatchObject(refusal('expired on 2026-11-27T10:00:00.000Z. Make a new one.'));
  });

  it('is refused where an equal once job appeared since it was made', async () => {
    const [first, second] = [await planned({ call }, '2026-10-03'), await planned({ call }, '2026-10-03')];
    const { structured } = await call('plan_export', {
      fields: ['session_id', 'browser', 'plan'],
      name: first.name,
      startDate: '2026-10-01',
      endDate: '2026-10-03',
    });
    expect(await call('apply_export_plan', { planId: first.planId, confirm: true })).toMatchObject({ isError: false });
    expect(await call('apply_export_plan', { planId: structured['planId'], confirm: true })).toMatchObject(
      refusal(/^Since the plan was made an equal job appeared: .* Nothing was created\./),
    );
    expect(await call('apply_export_plan', { planId: second.planId, confirm: true })).toMatchObject({ isError: false });
  });
});

it('says when a recurring job runs first, as the platform plans it', async () => {
  const { structured } = await call('plan_export', { fields: ['session_id', 'city'], frequency: 'daily', name: 'With its next run' });
  const applied = await call('apply_export_plan', { planId: structured['planId'], confirm: true });
  const [made] = applied.structured['jobs'] as { jobId: number; nextRunTime: string }[];
  const record = await ask('getExportJob', { jobId: Number(made?.jobId) });
  expect(record.nextRunTime).toMatch(/^20/);
  expect(made?.nextRunTime).toBe(record.nextRunTime);
});

it('a recurring job is created beside an equal one only on request, and the preview names the equal one', async () => {
  const fields = ['session_id', 'browser'];
  const plans = [];
  for (let index = 0; index < 2; index += 1) plans.push(await call('plan_export', { fields, name: 'Twice', frequency: 'daily' }));
  const [first, second] = plans.map(({ structured }) => ({ planId: structured['planId'], confirm: true }));
  expect(await call('apply_export_plan', first)).toMatchObject({ isError: false });
  const equal = refusal(/^An equal job exists: \d+ "Twice"\. .*allowDuplicate: true creates it all the same\. Nothing was created\./);
  expect(await call('apply_export_plan', second)).toMatchObject(equal);
  const third = await call('plan_export', { fields, name: 'Thrice', frequency: 'daily' });
  expect(third.text).toContain('An equal job exists');
  const planId = third.structured['planId'];
  expect(await call('apply_export_plan', { planId, confirm: true })).toMatchObject(equal);
  expect(await jobsCalled('Thrice')).toEqual([]);
  const preview = await call('apply_export_plan', { planId, allowDuplicate: true });
  expect(preview.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining('"Twice"') } });
  expect(await call('apply_export_plan', { planId, allowDuplicate: true, confirm: true })).toMatchObject({ isError: false });
  expect(await jobsCalled('Thrice')).toHaveLength(1);
  // Its own job is no reason to refuse what is done already.
  expect(await call('apply_export_plan', { planId, confirm: true })).toMatchObject({ isError: false });
});

it('a job that somebody else created a moment after the plan was made is seen, whatever is kept', async () => {
  const quick = await openAssistant(platform(), { thinksMs: 0 });
  const wanted = { fields: ['session_id', 'country'], name: 'Both', frequency: 'daily' };
  const mine = await quick.call('plan_export', wanted);
  const theirs = await call('plan_export', wanted);
  expect(await call('apply_export_plan', { planId: theirs.structured['planId'], confirm: true })).toMatchObject({ isError: false });
  const applied = await quick.call('apply_export_plan', { planId: mine.structured['planId'], confirm: true });
  expect(applied).toMatchObject(refusal(/^An equal job exists: \d+ "Both"/));
  expect(await jobsCalled('Both')).toHaveLength(1);
  await quick.close();
});
