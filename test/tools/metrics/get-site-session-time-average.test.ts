import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is the time by session, its unit marked as not documented', async () => {
  const answer = await call('get_site_session_time_average', WEEK);
  const { seconds, visits } = sumOfWeek(platform());
  expect(only(answer)['sessionTimeAverage']).toBeCloseTo(seconds / visits, 3);
  expect(answer.text).toContain('unit not documented');
  expect(whole(answer)).toMatchSnapshot();
});
