import { beforeAll, expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { call } = useTools();

beforeAll(async () => {
  await call('sync_exports', { jobIds: ['Daily sessions'], since: '-4d', waitSeconds: 40 });
}, 60_000);

it('says how many new visitors come back, and marks what is not over', async () => {
  const answer = await call('analyze_retention', { periods: 3, breakdown: 'device' });
  expect(whole(answer)).toMatchSnapshot();
});

it('is drawn as a grid of shares, all cohorts first', { tags: 'nightly' }, async () => {
  const { structured } = await call('analyze_retention', { chart: true });
  expect(structured['chart']).toMatchObject({
    kind: 'grid',
    columns: ['day 1', 'day 2', 'day 3', 'day 4'],
    rows: { 0: { name: expect.stringMatching(/^all · [\d,]+$/) } },
    title: expect.stringMatching(/^[\d.]+% of [\d,]+ new visitors come back the day after their first session /),
    subtitle: expect.stringMatching(/^Nordlicht Shop, new visitors of \d+.* Nov 2026, UTC, whose day 1 is over: /),
  });
});

it('from a day on, plans all days up to yesterday that no file covers', { tags: 'nightly' }, async () => {
  const { text } = await call('analyze_retention', { startDate: '2026-11-05' });
  const planId = /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})"/.exec(text)?.[1];
  const preview = await call('apply_export_plan', { planId });
  expect(preview.text).toMatch(/2026-11-05T00:00Z\t2026-11-12T00:00Z\n.*2026-11-12T00:00Z\t2026-11-15T00:00Z\n/);
});

it('without sessions says which job has them', async () => {
  const { isError, text } = await call('analyze_retention', { jobIds: ['Daily views'] });
  expect(isError).toBe(true);
  expect(text).toContain('jobIds: nothing of job');
});
