import { describe, expect, it } from 'vitest';
import { passWaiting } from '../../support/pass-waiting.ts';
import { planIn, refusal, useTools, whole, withTools } from '../support.ts';

const { ask, call, platform, sent } = useTools();

const WISH = ['browser', 'device', 'revenue', 'custom variable "plan"'];

/** Start and end of each job of a split plan. */
function rangesOf({ structured }: Awaited<ReturnType<typeof call>>): [string, string][] {
  const { body, each } = structured as { body: Body; each?: Body[] };
  return (each ?? [body]).map(({ frequency: { dateRange } }) => [dateRange?.from ?? '', dateRange?.to ?? '']);
}

interface Body {
  readonly frequency: { readonly dateRange?: { readonly from: string; readonly to: string } };
}

it('turns plain words into the request of a daily job, and creates nothing', async () => {
  const answer = await call('plan_export', { fields: WISH, frequency: 'daily' });
  expect(answer.structured['body']).toEqual({
    name: 'Daily sessions JSONL',
    format: 'JSONL',
    scope: 'sessions',
    frequency: { value: 'daily' },
    fields: [
      { fieldName: 'browser_name' },
      { fieldName: 'device_id' },
      { fieldName: 'session_transactions_revenue_cents' },
      { fieldName: 'custom_var', aliasName: 'plan', customVarPosition: '1' },
    ],
    deviceLabel: 'all',
  });
  expect(sent('createExportJob')).toEqual([]);
  expect(whole(answer)).toMatchSnapshot();
});

it('splits a long past range into jobs that meet', async () => {
  const answer = await call('plan_export', {
    fields: ['session_id', 'views'],
    startDate: '2026-10-01',
    endDate: '2026-10-31',
    name: 'October',
  });
  const ranges = rangesOf(answer);
  expect(ranges[0]?.[0]).toBe('2026-10-01T00:00:00.000Z');
  expect(ranges.at(-1)?.[1]).toBe('2026-11-01T00:00:00.000Z');
  expect(ranges.slice(1).map(([from]) => from)).toEqual(ranges.slice(0, -1).map(([, to]) => to));
  expect(ranges).toHaveLength(5);
});

it('lists the first jobs of a very long range', { tags: 'nightly' }, async () => {
  const { structured, text } = await call('plan_export', { fields: ['session_id'], startDate: '2026-01-01', endDate: '2026-10-31' });
  const shown = (structured['each'] as unknown[]).length;
  expect(shown).toBeLessThan(44);
  expect(text).toContain(`each shows the first ${shown} of 44 jobs; the others follow in the same way.`);
  expect(text).toContain('How far back the data reach is not shown by the interface');
  const preview = await call('apply_export_plan', { planId: structured['planId'] });
  expect((preview.structured['request'] as { each: unknown[] }).each).toHaveLength(44);
});

it('takes the scope that has the fields, the segment by its name, and says so', async () => {
  const { structured, text } = await call('plan_export', {
    fields: ['path', 'rage clicks'],
    frequency: 'hourly',
    segmentId: 'germany',
    deviceLabel: 'mobile',
    format: 'CSV',
  });
  expect(structured['body']).toMatchObject({
    name: 'Hourly mobile views CSV',
    scope: 'views',
    segmentId: '440156',
    fields: [{ fieldName: 'path' }, { fieldName: 'rage_click_all_targets_ind' }],
  });
  expect(text).toContain('segment "Germany" = 440156');
  expect(text).toContain('Scope views: one row per page view; it has all these fields.');
});

it('jobs that exist are named where files of the range, or of a part of it, can still be had', { tags: 'nightly' }, async () => {
  const { structured, text } = await call('plan_export', {
    fields: ['session_id', 'revenue'],
    startDate: '2026-11-12',
    endDate: '2026-11-18',
  });
  const names = (structured['existing'] as { name: string; likeness: string; shared: string }[]).map((job) => [
    job.name,
    job.likeness,
    job.shared,
  ]);
  expect(names).toEqual([
    ['Weekly sessions 2026-11-09', 'has all these columns', '2026-11-12 to 2026-11-15'],
    ['Hourly sessions', 'has all these columns', '2026-11-13T09:00Z to 2026-11-19T00:00Z'],
    ['Daily sessions', 'has all these columns', '2026-11-13 to 2026-11-18'],
  ]);
  expect(text).toMatch(/^Jobs? \d+ ".+".* (?:has|have) all these columns \(see existing\): perhaps no export is needed\.$/m);
});

it('jobs that exist of other columns, devices or scopes are not', async () => {
  const { structured } = await call('plan_export', { fields: ['session_id', 'screen_width'], frequency: 'daily' });
  expect(structured['existing']).toBeUndefined();
});

it('goes on without variables where they cannot be read and none is needed', { tags: 'nightly' }, async () => {
  await withTools(async (fresh, other) => {
    other.faults.add({ kind: 'refused', operation: 'listDynamicVariableKeys' });
    const answer = await fresh.call('plan_export', { fields: ['session_id', 'plan'], frequency: 'daily' });
    expect(answer).toMatchObject({
      isError: false,
      text: expect.stringContaining('Dynamic variables could not be read: '),
    });
    const refused = await fresh.call('plan_export', { fields: ['dynamic variable search_term'], frequency: 'daily' });
    expect(refused).toMatchObject(refusal('none is known; list_dynamic_variable_keys lists them.'));
  });
});

it('leaves a segment to the service where segments cannot be read', { tags: 'nightly' }, async () => {
  await withTools(async (fresh, other) => {
    other.faults.add({ kind: 'refused', operation: 'listSegments' });
    const answer = await fresh.call('plan_export', { fields: ['session_id'], frequency: 'daily', segmentId: 440_156 });
    expect(answer).toMatchObject({
      isError: false,
      text: expect.stringContaining('Whether segment 440156 exists could not be looked up: '),
    });
    expect(answer.structured['body']).toMatchObject({ segmentId: '440156' });
  });
});

it('stays short for a table with every field', { tags: 'nightly' }, async () => {
  const fields = (await ask('listExportableFields', { scope: 'sessions' }))
    .map(({ name }) => name)
    .filter((name) => !name.endsWith('_var'));
  const { structured } = await call('plan_export', { fields, frequency: 'daily' });
  expect(structured['fields']).toHaveLength(fields.length);
  expect(JSON.stringify(structured).length / 4).toBeLessThan(2_500);
});

it.each(['sessions', 'views'])(
  'the preset journeys plans the fields that tools over visits read of %s',
  { tags: 'nightly' },
  async (scope) => {
    const { isError, structured } = await call('plan_export', { fields: ['journeys'], scope, frequency: 'daily' });
    expect(isError).toBe(false);
    const names = (structured['fields'] as { fieldName: string }[]).map(({ fieldName }) => fieldName);
    expect(names).toEqual(
      expect.arrayContaining(['user_id', 'session_id', ...(scope === 'views' ? ['path', 'view_time'] : ['device_id', 'session_time'])]),
    );
  },
);

describe('a plan of another project than the default one', () => {
  const app = { projectId: '1202' };

  it('is printed as a call that names it, and found without that', async () => {
    const { text, structured } = await call('plan_export', { fields: ['path'], frequency: 'daily', name: 'App', ...app });
    const planId = String(structured['planId']);
    expect(text).toContain(`apply_export_plan {"planId":"${planId}","confirm":true,"projectId":"1202"}`);
    const other = await call('apply_export_plan', { planId, projectId: '1201' });
    expect(other).toMatchObject(refusal('of project 1202, not of 1201; leave projectId out'));
    const preview = await call('apply_export_plan', { planId });
    expect(preview.structured).toMatchObject({ status: 'preview', request: { project: 1202 } });
    const done = await call('apply_export_plan', { planId, confirm: true });
    expect(done.structured).toMatchObject({ status: 'done', jobs: [{ name: 'App' }] });
    expect(sent('createExportJob')).toHaveLength(1);
    expect((await call('list_export_jobs', app)).text).toContain('App');
    expect((await ask('listExportJobs', { limit: 100 })).map(({ name }) => name)).not.toContain('App');
  });

  it('is printed so in an error too', async () => {
    const { isError, text } = await call('analyze_funnel', { steps: ['/screen/home', '/screen/product'], ...app });
    expect({ isError, text }).toEqual(refusal(/apply_export_plan \{"planId":"plan-[a-z0-9]{10}","confirm":true,"projectId":"1202"\}/));
  });
});

const of = (from: string, before: string) =>
  `SELECT browser_name, count(*) AS n FROM sessions WHERE session_time >= '${from}' AND session_time < '${before}' GROUP BY ALL`;

it('files on their way that hold a part of the days are not waited for: what is there answers beside a plan of the rest', async () => {
  const first = planIn((await call('query_export', { sql: of('2026-11-11', '2026-11-14') })).text);
  const applied = await passWaiting(platform(), call('apply_export_plan', { planId: first, confirm: true }));
  expect(applied.structured).toMatchObject({ status: 'done', files: 'under way' });
  // The clock stands still: a call that waited would never end.
  const { text } = await call('query_export', { sql: of('2026-11-09', '2026-11-14') });
  expect(text).toMatch(/A once export that brings what is missing is planned \("Sessions JSONL 2026-11-09 to 2026-11-10", /);
  expect(text).toMatch(/On the way, but not all of it: "Sessions JSONL 2026-11-11 to 2026-11-12": (?:it waits|the platform computes it)/);
  expect(text).toMatch(/^The downloads cover only 1 of the 5 days, on 13 Nov\./);
  expect(planIn(text)).not.toBe(first);
  expect(text).not.toContain('ask the same again, which waits for them');
});
