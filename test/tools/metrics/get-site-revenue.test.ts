import { expect, it } from 'vitest';
import { records, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is the sum of all transactions, day by day', async () => {
  const answer = await call('get_site_revenue', { ...WEEK, period: 'daily' });
  const total = records(answer).reduce((sum, { revenueSum }) => sum + Number(revenueSum), 0);
  expect(total).toBeCloseTo(sumOfWeek(platform()).revenue, 1);
  expect(whole(answer)).toMatchSnapshot();
});
