import { expect, it } from 'vitest';
import { only, useTools, WEEK, whole } from '../support.ts';
import { sumOfWeek } from './sessions.ts';

const { call, platform } = useTools();

it('counts sessions; unknown devices count only in all', async () => {
  const answer = await call('get_site_visits', WEEK);
  expect(only(answer)['visits']).toBe(sumOfWeek(platform()).visits);
  expect(only(await call('get_site_visits', { ...WEEK, device: 'desktop' }))['visits']).toBe(
    sumOfWeek(platform(), { device: 'desktop' }).visits,
  );
  expect(whole(answer)).toMatchSnapshot();
});

it('says that today is not over', async () => {
  const answer = await call('get_site_visits', { startDate: 'today', endDate: 'today' });
  expect(answer.structured).toMatchObject({
    range: { start: '2026-11-20T00:00:00.000Z', end: '2026-11-20T10:00:00.000Z' },
    notes: expect.arrayContaining(['Today is incomplete (2026-11-20).']),
  });
});
