import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is page views by session', async () => {
  const answer = await call('get_site_pageview_average', WEEK);
  const { views, visits } = sumOfWeek(platform());
  expect(only(answer)['pageviewAverage']).toBeCloseTo(views / visits, 3);
  expect(whole(answer)).toMatchSnapshot();
});
