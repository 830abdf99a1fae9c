import { beforeAll, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { planIn, refusal, useTools, whole } from '../support.ts';

const { call, assistant } = useTools();

beforeAll(() => fetchExports(assistant(), ['Daily sessions']));

it('says how many new visitors come back, and marks what is not over', async () => {
  const answer = await call('analyze_retention', { periods: 3, breakdown: 'device' });
  expect(whole(answer)).toMatchSnapshot();
});

it('from a day on, fetches the days that the platform has, and plans all others up to yesterday that no file covers', {
  tags: 'nightly',
}, async () => {
  const { text } = await call('analyze_retention', { startDate: '2026-11-05' });
  const preview = await call('apply_export_plan', { planId: planIn(text) });
  expect(text).toMatch(/^The downloads cover only \d+ of the 15 days, from 9 to 19 Nov\./);
  expect(preview.text).toContain('from 2026-11-05T00:00Z · to 2026-11-09T00:00Z');
});

it('by week names what brings the weeks that it cannot do without', async () => {
  const { isError, text } = await call('analyze_retention', { by: 'week' });
  expect(isError).toBe(false);
  expect(text).toMatch(/^No cohort has a week after its first that is over/);
  expect(planIn(text)).not.toBe('');
});

it('of jobs without sessions says what it needs, and the call that plans it', async () => {
  const { isError, text } = await call('analyze_retention', { jobIds: ['Daily views'] });
  expect({ isError, text }).toEqual(refusal(/^No export of sessions is in the workspace; .* plan_export /));
});
