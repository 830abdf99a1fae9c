import { beforeAll, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { useTools, whole } from '../support.ts';

const { call, assistant } = useTools();

beforeAll(() => fetchExports(assistant(), ['Daily sessions']));

it('says how many new visitors come back, and marks what is not over', async () => {
  const answer = await call('analyze_retention', { periods: 3, breakdown: 'device' });
  expect(whole(answer)).toMatchSnapshot();
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
