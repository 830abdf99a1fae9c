import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { type Assistant, type AssistantOptions, openAssistant, person, withAssistant } from '../../support/assistant.ts';
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

interface Wish {
  readonly name?: string;
  readonly fields?: readonly string[];
  readonly frequency?: string;
  readonly startDate?: string;
}

let number = 0;
/** Plans a once export of some days in October under a name of its own, a job for each started week, or what is wished instead. */
async function planned(from: Pick<Assistant, 'call'>, endDate: string, { name: given, ...wish }: Wish = {}) {
  number += 1;
  const name = given ?? `Case ${number}`;
  const once = { fields: ['session_id', 'browser', 'plan'], startDate: '2026-10-01', endDate };
  const { structured } = await from.call('plan_export', { ...('frequency' in wish ? {} : once), ...wish, name });
  return { planId: String(structured['planId']), name };
}

/** The plan of a daily export. */
const plannedDaily = async (name: string, ...fields: string[]) =>
  (await planned({ call }, '', { name, fields, frequency: 'daily' })).planId;

const apply = (planId: string, more: object = { confirm: true }, from: Pick<Assistant, 'call'> = { call }) =>
  from.call('apply_export_plan', { planId, ...more });

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
  const preview = await apply(planId, {});
  expect(created()).toEqual([]);
  const { body, each } = (preview.structured as { request: { body: Body; each: Body[] } }).request;
  const answer = await apply(planId);
  expect(created()).toEqual(each.map((part) => ({ ...body, ...part })).map((request) => expect.objectContaining(request)));
  expect(answer.structured['jobs']).toMatchObject(await jobsCalled(name));
  expect([whole(preview), whole(answer)].join('\n\n').replaceAll(/\b31\d\d\b/g, '31xx')).toMatchSnapshot();
  const text = expect.stringContaining('All jobs of this plan were created before; nothing was sent.');
  expect(await apply(planId)).toMatchObject({ isError: false, text });
  expect(created()).toHaveLength(3);
  expect(whole(answer)).toContain('2026-10-08');
});

it('is the exact request of the plan for a single job', async () => {
  const { structured } = await call('plan_export', { fields: ['browser', 'custom variable plan'], frequency: 'daily', name: 'One' });
  await apply(String(structured['planId']));
  expect(created()).toEqual([structured['body']]);
  expect(await jobsCalled('One')).toHaveLength(1);
});

describe('where the client can ask', () => {
  it('one question covers all jobs', { tags: 'nightly' }, async () => {
    const { questions, answer } = person('accept');
    await withServer({ answer }, async (assistant) => {
      const { planId, name } = await planned(assistant, '2026-10-20');
      expect(await apply(planId, {}, assistant)).toMatchObject({ structured: { status: 'done' } });
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
      expect(await apply(planId, {}, assistant)).toMatchObject(refusal('may have been created'));
      thinkingMs = 5_000;
      expect(await apply(planId, {}, assistant)).toMatchObject(refusal('is not certain yet'));
      expect(created()).toHaveLength(1);
      thinkingMs = 61_000;
      expect(await apply(planId, {}, assistant)).toMatchObject({ isError: false });
      expect(await jobsCalled(name)).toHaveLength(1);
      clock.jump(-156_000);
    });
  });

  it('nothing is created when it is declined', { tags: 'nightly' }, async () => {
    await withServer({ answer: () => 'decline' }, async (assistant) => {
      const { planId, name } = await planned(assistant, '2026-10-20');
      expect(await apply(planId, { confirm: true }, assistant)).toMatchObject({ structured: { status: 'declined' } });
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
    const calling = apply(planId, { confirm: true }, assistant);
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
  const answer = await withServer({}, (assistant) => apply(planId, { confirm: true }, assistant));
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
    const answer = await apply(planId);
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
  const lost = /may have been created: .* No such job is listed yet\.\nNothing was created\. Call again/s;
  expect(await apply(planId)).toMatchObject(refusal(lost));
  expect(await apply(planId)).toMatchObject(refusal('is not certain yet'));
  expect(await jobsCalled(name)).toEqual([]);
  platform().clock.jump(61_000);
  expect((await apply(planId)).structured['jobs']).toMatchObject(await jobsCalled(name));
  platform().clock.jump(-61_000);
  expect(created()).toHaveLength(2);
});

describe('a plan', () => {
  const missing = refusal(/^There is no plan \S+; plan_export or find_export_gaps makes one\./);

  it('is applied neither for another person, nor by a name that is none', async () => {
    await withServer({}, async (mine) => {
      const { planId } = await planned(mine, '2026-10-07');
      expect(await apply('../../plans/x', { confirm: true }, mine)).toMatchObject(missing);
      await withServer({ principal: 'somebody else' }, async (theirs) => {
        expect(await apply(planId, { confirm: true }, theirs)).toMatchObject(missing);
      });
    });
    expect(created()).toEqual([]);
  });

  it('is not in the way of another one of the same name with another range', async () => {
    for (const endDate of ['2026-10-03', '2026-10-05']) {
      const { planId } = await planned({ call }, endDate, { fields: ['session_id', 'city'], name: 'Same name', startDate: endDate });
      expect(await apply(planId)).toMatchObject({ isError: false });
    }
    expect(await jobsCalled('Same name')).toHaveLength(2);
    expect(created()).toHaveLength(2);
  });

  it('is refused when it is older than a week', async () => {
    const { planId } = await planned({ call }, '2026-10-07');
    const weekMs = 7 * DAY_MS;
    platform().clock.jump(weekMs);
    const answer = await apply(planId);
    platform().clock.jump(-weekMs);
    expect(answer).toMatchObject(refusal('expired on 2026-11-27T10:00:00.000Z. Make a new one.'));
  });

  it('is refused where an equal once job appeared since it was made', async () => {
    const [first, second] = [await planned({ call }, '2026-10-03'), await planned({ call }, '2026-10-03')];
    const equal = await planned({ call }, '2026-10-03', { name: first.name });
    expect(await apply(first.planId)).toMatchObject({ isError: false });
    const words = /^Since the plan was made an equal job appeared: .* Nothing was created\./;
    expect(await apply(equal.planId)).toMatchObject(refusal(words));
    expect(await apply(second.planId)).toMatchObject({ isError: false });
  });
});

it('says when a recurring job runs first, as the platform plans it', async () => {
  const applied = await apply(await plannedDaily('With its next run', 'session_id', 'city'));
  const [made] = applied.structured['jobs'] as { jobId: number; nextRunTime: string }[];
  const record = await ask('getExportJob', { jobId: Number(made?.jobId) });
  expect(record.nextRunTime).toMatch(/^20/);
  expect(made?.nextRunTime).toBe(record.nextRunTime);
});

it('a recurring job is created beside an equal one only on request, and the preview names the equal one', async () => {
  const [first, second] = [await plannedDaily('Twice', 'session_id', 'browser'), await plannedDaily('Twice', 'session_id', 'browser')];
  const equal = refusal(/^An equal job exists: \d+ "Twice"\. .*allowDuplicate: true creates it all the same\. Nothing was created\./);
  expect(await apply(first)).toMatchObject({ isError: false });
  expect(await apply(second)).toMatchObject(equal);
  const third = await call('plan_export', { fields: ['session_id', 'browser'], name: 'Thrice', frequency: 'daily' });
  expect(third.text).toContain('An equal job exists');
  const planId = String(third.structured['planId']);
  expect(await apply(planId)).toMatchObject(equal);
  expect(await jobsCalled('Thrice')).toEqual([]);
  const preview = await apply(planId, { allowDuplicate: true });
  expect(preview.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining('"Twice"') } });
  expect(await apply(planId, { allowDuplicate: true, confirm: true })).toMatchObject({ isError: false });
  expect(await jobsCalled('Thrice')).toHaveLength(1);
  // Its own job is no reason to refuse what is done already.
  expect(await apply(planId)).toMatchObject({ isError: false });
});

it('a job that somebody else created a moment after the plan was made is seen, whatever is kept', async () => {
  const quick = await openAssistant(platform(), { thinksMs: 0 });
  const wanted = { fields: ['session_id', 'country'], name: 'Both', frequency: 'daily' };
  const mine = await planned(quick, '', wanted);
  const theirs = await planned({ call }, '', wanted);
  expect(await apply(theirs.planId)).toMatchObject({ isError: false });
  expect(await apply(mine.planId, { confirm: true }, quick)).toMatchObject(refusal(/^An equal job exists: \d+ "Both"/));
  expect(await jobsCalled('Both')).toHaveLength(1);
  await quick.close();
});
