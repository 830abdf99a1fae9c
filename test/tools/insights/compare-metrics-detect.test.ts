import { expect, it } from 'vitest';
import { records, useTools } from '../support.ts';

const { call } = useTools();
const CALM = { startDate: '2026-10-12', endDate: '2026-10-18' };
const compare = (args: Record<string, unknown>) => call('compare_metrics', { ...CALM, metrics: ['conversionRate', 'visits'], ...args });

it('a change within noise says the smallest one that would have shown, larger than chance', async () => {
  const answer = await compare({});
  for (const row of records(answer)) {
    expect(row).toMatchObject({ verdict: 'within noise' });
    expect(Number(row['detectablePercent'])).toBeGreaterThan(0.8 * Number(row['noisePercent']));
  }
  const [first] = records(answer);
  const sign = Number(first?.['levelPercent']) < 0 ? '-' : '+';
  const size = Number(first?.['detectablePercent']).toFixed(1);
  expect(answer.text).toContain(`% by chance; held against all days before, a lasting ${sign}${size}% would show in 4 of 5 cases)`);
});

it('how long a change of some percent would take to show is said for each metric, sooner for a larger one', async () => {
  const [small, large] = [await compare({ detect: 12 }), await compare({ detect: '40' })];
  const daysOf = ({ structured }: typeof small) => (structured['detect'] as { days: number | null }[]).map(({ days }) => days ?? 93);
  expect(daysOf(small)).toHaveLength(2);
  for (const [at, days] of daysOf(large).entries()) expect(days).toBeLessThanOrEqual(daysOf(small)[at] ?? 0);
  expect(large.text).toMatch(
    /A lasting change of 40% would show in 4 of 5 cases: conversion rate after \d+ days?, visits after \d+ days?\./,
  );
});

it('a change that 92 days would not show is answered with the smallest that they would', async () => {
  expect((await compare({ detect: 0.5, metrics: ['conversionRate'] })).text).toMatch(
    /A lasting change of 0\.5% would show in 4 of 5 cases: conversion rate not within 92 days \(\d+(?:\.\d)?% would\)\./,
  );
});

it('is refused beside devices at the same time', async () => {
  expect(await compare({ detect: 5, by: 'device' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('detect: how long a change takes to show is said by period only'),
  });
});
