import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is the share of visits with one page view, here on tablets', async () => {
  const answer = await call('get_site_bounce_rate', { ...WEEK, device: 'tablet' });
  const { visits, bounces } = sumOfWeek(platform(), { device: 'tablet' });
  expect(only(answer)['bounceRate']).toBeCloseTo((100 * bounces) / visits, 3);
  expect(whole(answer)).toMatchSnapshot();
});
