import { expect, it } from 'vitest';
import { findingsOf, records, refusal, useTools } from '../support.ts';

const { call } = useTools();
const CALM = { startDate: '2026-10-12', endDate: '2026-10-18' };
const compare = (args: Record<string, unknown>) => call('compare_metrics', { ...CALM, metrics: ['conversionRate', 'visits'], ...args });

it('a change within noise says the smallest one that would have shown, larger than chance', { tags: 'nightly' }, async () => {
  const answer = await compare({});
  const [rows, findings] = [records(answer), findingsOf(answer)];
  expect(findings.map(({ subject, verdict }) => [subject, verdict])).toEqual(rows.map(({ metric }) => [metric, 'unchanged']));
  for (const [at, { verdict, low, high }] of rows.entries()) {
    expect(verdict).toBe('within noise');
    expect(findings[at]?.detectable).toBeGreaterThan((0.8 * (Number(high) - Number(low))) / 2);
  }
  expect(answer.text).toContain(`: no significant change; one of ${Math.round(findings[0]?.detectable ?? 0)}% would have shown.`);
});

it('a change that 92 days would not show is answered with the smallest that they would', async () => {
  expect((await compare({ detect: 0.5, metrics: ['conversionRate'] })).text).toMatch(
    /^A lasting change of 0\.5% could not be seen within 92 days in conversion rate\.\sA change of [\d.]+% in .+ could be seen\./,
  );
});

it('is refused beside devices at the same time', async () => {
  expect(await compare({ detect: 5, by: 'device' })).toMatchObject(
    refusal('detect: how long a change takes to show is said by period only'),
  );
});
