import { expect, it } from 'vitest';
import { useTools } from '../support.ts';

const { call } = useTools();
const ask = (startDate: string) => call('query_metrics', { startDate, endDate: 'now', metrics: ['visits'] });

it('today is said to be no whole day, up to when its figures may reach', async () => {
  expect((await ask('today')).structured['answer']).toMatch(
    /^2026-11-20 is not over: these figures are of its hours until 2026-11-20T10:\d\dZ, as far as they have arrived\.$/,
  );
});

it('a range that begins before has rows of whole days, and no such answer', async () => {
  expect((await ask('yesterday')).structured).not.toHaveProperty('answer');
});
