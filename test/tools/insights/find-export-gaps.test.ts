import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, isoTime } from '../../../src/lib/clock.ts';
import type { ToolAnswer } from '../../support/assistant.ts';
import type { Platform } from '../../support/emulator.ts';
import { someOf } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { onSeed, SEEDS } from '../seeds.ts';
import { refusal, useTools, whole, withTools } from '../support.ts';

const { ask, call, platform } = useTools();

/** Asks about a job. */
const gapsOf = (jobId: unknown, more: object = {}, assistant = { call }) => assistant.call('find_export_gaps', { jobId, ...more });

/** Rows of an answer of these statuses. */
const rowsIn = ({ structured }: ToolAnswer, ...statuses: string[]) =>
  (structured['rows'] as [range: string, slots: number, status: string, cause: string][]).filter(([, , status]) =>
    statuses.includes(status),
  );

/** The same in words: range, slots and status. */
const told = (answer: ToolAnswer, ...statuses: string[]) =>
  rowsIn(answer, ...statuses).map(([range, slots, status]) => `${range}: ${slots} ${status}`);

const dayOf = (ms: number) => isoTime(ms).slice(0, 10);
const minuteOf = (ms: number) => `${isoTime(ms).slice(0, 16)}Z`;

/** What the answer has to say of the incidents of a job, hours that follow one another joined. */
function truth({ stories }: Platform, job: string): string[] {
  const incidents = (stories.exportIncidents[job] ?? []).toSorted((a, b) => a.fromMs - b.fromMs);
  // The emulated site has visits on every day.
  const statusOf = (kind: string) => (kind === 'empty' ? 'suspicious' : kind);
  if (job !== 'Hourly sessions') return incidents.map(({ kind, fromMs }) => `${dayOf(fromMs)}: 1 ${statusOf(kind)}`);
  const [failed = 0, missing = 0] = incidents.map(({ fromMs }) => fromMs);
  const span = (fromMs: number, hours: number) => `${minuteOf(fromMs)} to ${minuteOf(fromMs + hours * HOUR_MS)}`;
  return [`${span(failed, 1)}: 1 failed`, `${span(missing, 2)}: 2 missing`];
}

it('tells failed from expired days, and plans the jobs that fill each', async () => {
  const answer = await gapsOf('daily sessions');
  const { day } = platform().stories.missingExport;
  expect(told(answer, 'failed')).toEqual([`${day}: 1 failed`]);
  expect(answer.structured['answer']).toBe(`1 of 47 days of "Daily sessions" has no data: ${day} (failed). Besides: 40 expired.`);
  expect(whole(answer)).toMatchSnapshot();
});

it.each(SEEDS)(
  'with seed %i each incident of each job is found with its cause, and nothing else',
  { tags: 'nightly' },
  onSeed(async (assistant, other) => {
    for (const job of Object.keys(other.stories.exportIncidents)) {
      const answer = await gapsOf(job, {}, assistant);
      expect([job, ...told(answer, 'failed', 'missing', 'empty', 'suspicious', 'running', 'suspended', 'before', 'filling')]).toEqual([
        job,
        ...truth(other, job),
      ]);
    }
  }),
);

it('files that were fetched in time do not expire', { tags: 'nightly' }, async () => {
  await withTools(async (assistant, other) => {
    const downloaded = await assistant.call('download_export_run', { jobId: 'Daily sessions' });
    expect(downloaded).toMatchObject({ isError: false });
    other.clock.jump(9 * DAY_MS);
    const answer = await gapsOf('Daily sessions', { startDate: '2026-11-17', endDate: '2026-11-20' }, assistant);
    expect(told(answer, 'expired')).toEqual(['2026-11-17 to 2026-11-18: 2 expired', '2026-11-20: 1 expired']);
  });
});

describe('a run that succeeded without rows', { tags: 'nightly' }, () => {
  const emptyDay = () => dayOf(platform().stories.exportIncidents['Daily views']?.find(({ kind }) => kind === 'empty')?.fromMs ?? 0);
  /** What an answer says in words, and the requests for visits that it took. */
  async function judged({ requests, ask: read, token }: Platform, asking: () => Promise<ToolAnswer>, fromMs: number, toMs: number) {
    const { length } = requests;
    const answer = await asking();
    const asked = requests.slice(length).filter(({ url }) => url.includes('/metrics/'));
    const range = { startDate: isoTime(fromMs), endDate: isoTime(toMs - 1) };
    const { values } = await read('getSiteVisits', range, await token('shop'));
    const visits = values[0]?.value ?? 0;
    expect([asked.length, visits > 0]).toEqual([1, true]);
    const [[, , , cause] = []] = rowsIn(answer, 'suspicious');
    expect(cause).toMatch(new RegExp(`\\(inferred\\) succeeded without rows although there were ${visits.toLocaleString('en')} visits$`));
    return answer;
  }

  it('is a gap where the platform counts visits, by one request for them, and its plan fills the day', async () => {
    const day = emptyDay();
    const answer = await judged(platform(), () => gapsOf('Daily views'), Date.parse(day), Date.parse(day) + DAY_MS);
    expect(told(answer, 'suspicious')).toEqual([`${day}: 1 suspicious`]);
    expect(answer.structured['answer']).toContain(`${day} (suspicious)`);
    const preview = await call('apply_export_plan', { planId: answer.structured['planId'] });
    expect(JSON.stringify(preview.structured)).toContain(`Daily views backfill ${day}`);
  });

  it('is none on a day without visits, and is not judged where visits cannot be read', async () => {
    const none = { value: 0, startDate: `${emptyDay()}T00:00:00.000Z`, endDate: `${emptyDay()}T23:59:59.999Z` };
    const fault = platform().faults.add({ kind: 'shape', operation: 'getSiteVisits', payload: { values: [none] } });
    const quiet = await gapsOf('Daily views');
    fault.remove();
    platform().faults.add({ kind: 'refused', operation: 'getSiteVisits' });
    const unread = await gapsOf('Daily views');
    for (const answer of [quiet, unread]) expect(told(answer, 'empty', 'suspicious')).toEqual([`${emptyDay()}: 1 empty`]);
    expect(unread.text).toContain('Whether the days of empty runs had visits could not be found out');
  });

  it('of an hourly job is one stretch with the visits of its hours together', () =>
    withTools(async (assistant, other) => {
      // The last hours but four have succeeded, one after the other, without a row.
      const runs = await other.ask('listSuccessfulExportRuns', { limit: 100 }, await other.token('shop'));
      const own = runs.filter(({ name }) => name === 'Hourly sessions').toSorted((a, b) => Number(a.jobRunId) - Number(b.jobRunId));
      const empty = new Set(own.slice(-7, -4));
      other.faults.add({ kind: 'shape', operation: 'listSuccessfulExportRuns', payload: runs.filter((run) => !empty.has(run)) });
      const fromMs = Date.parse([...empty][0]?.from ?? '');
      const toMs = fromMs + 3 * HOUR_MS;
      const around = { startDate: isoTime(fromMs - 2 * HOUR_MS), endDate: isoTime(toMs + 3 * HOUR_MS) };
      const answer = await judged(other, () => gapsOf(own[0]?.jobId, around, assistant), fromMs, toMs);
      expect(told(answer, 'suspicious', 'empty')).toEqual([`${minuteOf(fromMs)} to ${minuteOf(toMs)}: 3 suspicious`]);
      const preview = await assistant.call('apply_export_plan', { planId: answer.structured['planId'] });
      expect(JSON.stringify(preview.structured)).toContain(isoTime(fromMs));
    }));
});

it('a backfill is applied by its planId, told while it runs, and closes the gap', { tags: 'nightly' }, async () => {
  const { day } = platform().stories.missingExport;
  const { structured } = await gapsOf('Daily sessions');
  const done = await call('apply_export_plan', { planId: structured['planId'], confirm: true });
  const [job] = done.structured['jobs'] as { jobId: number; name: string; from: string; to: string }[];
  const next = isoTime(Date.parse(day) + DAY_MS);
  expect(job).toMatchObject({ name: `Daily sessions backfill ${day}`, from: `${day}T00:00:00.000Z`, to: next });
  const daily = (await ask('listExportJobs', { limit: 100 })).find(({ name }) => name === 'Daily sessions');
  const made = await ask('getExportJob', { jobId: job?.jobId });
  expect(made).toMatchObject({ frequency: 'once', format: 'JSONL', scope: 'sessions', filters: daily?.filters });
  // The key of a dynamic variable without an alias is shown by nothing; the answer says so.
  expect(made.fields).toEqual(daily?.fields?.filter(({ fieldName }) => fieldName !== 'dynamic_var'));
  expect(structured['notes']).toContainEqual(
    expect.stringMatching(/^Which dynamic variable .* left out\. To keep it, call plan_export .*search_term/),
  );

  const during = await gapsOf('Daily sessions');
  expect(told(during, 'failed', 'filling')).toEqual([`${day}: 1 filling`]);
  expect(during.text).toContain(`backfill job ${job?.jobId} is under way`);
  expect(during.structured['planId']).toBeUndefined();
  platform().clock.jump(150_000);
  expect(told(await gapsOf('Daily sessions'), 'failed', 'filling', 'missing')).toEqual([]);
});

it('a backfill covers exactly what expired, in jobs of a week at most', async () => {
  const { structured } = await gapsOf('Daily views', { endDate: '2026-11-10' });
  const preview = await call('apply_export_plan', { planId: structured['expiredPlanId'] });
  const { each } = (preview.structured as { request: { each: { frequency: { dateRange: { from: string; to: string } } }[] } }).request;
  const days = each.flatMap(({ frequency: { dateRange } }) => {
    const count = (Date.parse(dateRange.to) - Date.parse(dateRange.from)) / DAY_MS;
    expect(count).toBeLessThanOrEqual(7);
    return times(count, (index) => dayOf(Date.parse(dateRange.from) + index * DAY_MS));
  });
  const missing = platform().stories.exportIncidents['Daily views']?.map(({ fromMs }) => dayOf(fromMs)) ?? [];
  const all = times(11, (index) => dayOf(Date.parse('2026-10-31') + index * DAY_MS));
  expect(days).toEqual(all.filter((day) => !missing.includes(day)));
});

it('a job whose record is no request any more is studied all the same', async () => {
  await withTools(async (assistant, other) => {
    const token = await other.token('shop');
    const [record] = await other.ask('listExportJobs', { frequency: 'daily', scope: 'views' }, token);
    const twice = [...(record?.fields ?? []), ...(record?.fields ?? [])];
    other.faults.add({ kind: 'shape', operation: 'listExportJobs', payload: [{ ...record, fields: twice }] });
    const answer = await gapsOf(record?.jobId, {}, assistant);
    expect(told(answer, 'missing')).toEqual(truth(other, 'Daily views').filter((row) => row.endsWith('missing')));
    expect(answer.structured['planId']).toBeUndefined();
    expect(answer.text).toMatch(
      /No backfill can be planned from what the job shows: .*is listed twice.* plan_export with fields of your choice makes one\./,
    );
  });
});

it('a time in which the job did not run is told as days without files, with the plan that exports them', { tags: 'nightly' }, async () => {
  const usual = await gapsOf('Daily sessions mobile');
  expect(told(usual, 'suspended')).toEqual(['2026-10-21 to 2026-11-19: 30 suspended']);
  expect(usual.structured).toMatchObject({
    answer: expect.stringMatching(/^0 of 92 days of ".+" are available: 30 not exported while suspended since 2026-10-21, 62 expired\.$/),
    planId: expect.any(String),
  });
  expect(usual.text).toContain('planId exports what the job did not with 5 once jobs');
  const asked = await gapsOf('Daily sessions mobile', { startDate: '2026-11-02', endDate: '2026-11-08' });
  const preview = await call('apply_export_plan', { planId: asked.structured['planId'] });
  expect(preview.structured['request']).toMatchObject({
    body: {
      name: 'Daily sessions mobile backfill 2026-11-02 to 2026-11-08',
      format: 'CSV',
      deviceLabel: 'mobile',
      frequency: { dateRange: { from: '2026-11-02T00:00:00.000Z', to: '2026-11-09T00:00:00.000Z' } },
    },
  });
});

it('a once job that failed needs its range told', async () => {
  const job = 'Tablet sessions, failed';
  const words = /^Job \d+ ".*" runs once: its run \d+ is in state failure and has no files\./;
  expect(await gapsOf(job)).toMatchObject(refusal(words));
  const answer = await gapsOf(job, { startDate: '2026-11-06', endDate: '2026-11-10' });
  expect(told(answer, 'failed')).toEqual(['2026-11-06 to 2026-11-10: 5 failed']);
});

it.each(someOf([11, 12, 13], 1))(
  'all jobs at once, with seed %i say of each what asking for that job alone says, those that lack most first',
  { tags: 'nightly' },
  onSeed(async (assistant) => {
    const all = await assistant.call('find_export_gaps', {});
    expect(all.isError).toBe(false);
    const rows = all.structured['rows'] as [number, string, string, number, number, string, string, number][];
    expect(rows.length).toBeGreaterThan(2);
    const shares = rows.map(([, , , lost, total]) => lost / total);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    for (const [jobId, name, , lost, total, unit] of rows) {
      const alone = await gapsOf(String(jobId), {}, assistant);
      const own = rowsIn(alone, 'failed', 'missing', 'suspicious');
      expect([name, lost]).toEqual([name, own.reduce((sum, [, slots]) => sum + slots, 0)]);
      expect(alone.structured['answer']).toContain(`${total} ${unit.slice(0, -1)}`);
    }
    const lacking = rows.filter(([, , , lost]) => lost > 0);
    expect(all.structured['answer']).toContain(`Of ${rows.length} recurring jobs looked at ${lacking.length} ha`);
  }),
);

it('says which other job has a missing day, and nothing of jobs that lack a column', async () => {
  await withTools(async (assistant, other) => {
    const day = dayOf(other.stories.exportIncidents['Daily views']?.[0]?.fromMs ?? Number.NaN);
    const { structured } = await assistant.call('get_export_job', { jobId: 'Daily views' });
    const { fields: own } = structured['job'] as { fields: { fieldName: string }[] };
    const fields = own.map(({ fieldName }) => ({ fieldName }));
    const body = {
      format: 'JSONL',
      scope: 'views',
      frequency: { value: 'once', dateRange: { from: `${day}T00:00:00Z`, to: isoTime(Date.parse(day) + DAY_MS) } },
      deviceLabel: 'all',
      confirm: true,
    };
    await assistant.call('create_export_job', { ...body, name: 'Only ids', fields: [{ fieldName: 'session_id' }] });
    expect((await gapsOf('Daily views', {}, assistant)).text).not.toContain('has all these columns');
    const made = await assistant.call('create_export_job', { ...body, name: 'The lost day', fields });
    expect(made, made.text).toMatchObject({ isError: false });
    other.clock.jump(HOUR_MS);
    const { text } = await gapsOf('Daily views', {}, assistant);
    expect(text).toContain(`"The lost day" has all these columns and files of ${day}.`);
  });
});
