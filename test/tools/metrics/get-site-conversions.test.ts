import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('counts the sessions that reached a goal', async () => {
  const answer = await call('get_site_conversions', { ...WEEK, goalId: 'account created' });
  expect(only(answer)['conversionCount']).toBe(sumOfWeek(platform(), { goal: 'Account created' }).conversions);
  expect(answer.structured['notes']).toContain('goal "Account created" = 74905');
  expect(whole(answer)).toMatchSnapshot();
});

it('takes the sale where a shop names no goal; a project without a shop needs one', async () => {
  expect(only(await call('get_site_conversions', WEEK))['conversionCount']).toBe(sumOfWeek(platform()).conversions);
  const answer = await call('get_site_conversions', { ...WEEK, projectId: 1203 });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('goalId') });
});
