import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('is revenue by transaction', async () => {
  const answer = await call('get_site_cart_average', WEEK);
  const { revenue, transactions } = sumOfWeek(platform());
  expect(only(answer)['cartAverage']).toBeCloseTo(revenue / transactions, 3);
  expect(answer.structured).toMatchObject({ currency: 'EUR', units: { cartAverage: 'EUR' } });
  expect(whole(answer)).toMatchSnapshot();
});

it('takes no period, and says what it takes', async () => {
  const answer = await call('get_site_cart_average', { ...WEEK, period: 'daily' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^period: is not known here; there are .*startDate/) });
});

it('is refused for a project without a shop', async () => {
  const answer = await call('get_site_cart_average', { ...WEEK, projectId: 1203 });
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/e-commerce/i) });
});
