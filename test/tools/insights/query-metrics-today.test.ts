import { expect, it } from 'vitest';
import { useTools } from '../support.ts';

const { call } = useTools();
const ask = (startDate: string) => call('query_metrics', { startDate, endDate: 'now', metrics: ['visits'] });

it('today is said to be no whole day, up to when its figures may reach', async () => {
  expect((await ask('today')).structured['answer']).toMatch(
    /^[\d,]+ visits on 20 Nov so far\. Today is not over: its figures are of the hours until \S+T10:\d\dZ, as far as they have arrived\.$/,
  );
});

it('a range that begins before says nothing of it', async () => {
  expect((await ask('yesterday')).structured['answer']).toMatch(/^[\d,]+ visits from 19 to 20 Nov\.$/);
});
