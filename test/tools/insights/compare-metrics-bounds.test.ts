import { expect, it } from 'vitest';
import { findingsOf, records, useTools } from '../support.ts';

const { call, platform } = useTools();

type Row = Record<string, unknown>;

const JUDGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift', 'within noise']);

/** The rows whose verdict does not follow from the bounds that they show. */
function contradicted(rows: readonly Row[]): Row[] {
  return rows.filter(({ verdict, low, high }) => {
    if (!JUDGED.has(verdict) || typeof low !== 'number' || typeof high !== 'number') return false;
    return (verdict === 'within noise') !== (low <= 0 && high >= 0);
  });
}

it.each([
  { startDate: 'last_month', endDate: 'last_month', baseline: 'previous_year' },
  { startDate: 'last_month', endDate: 'last_month', metrics: ['visits', 'revenue'] },
  { startDate: '-28d', endDate: 'yesterday', metrics: ['visits'] },
  { startDate: '-14d', endDate: 'yesterday' },
  { startDate: '-7d', endDate: 'yesterday', metrics: ['revenue'] },
  { startDate: '-56d', endDate: '-29d', metrics: ['visits'] },
])('a verdict beside its bound follows from it in every row of %j', { tags: 'nightly' }, async (args) => {
  const answer = await call('compare_metrics', args);
  for (const { low, high } of records(answer)) expect(low).toBeLessThan(Number(high));
  expect(contradicted(records(answer))).toEqual([]);
});

it('figures per day stand beside the totals of ranges that differ in length', async () => {
  const answer = await call('compare_metrics', {
    metrics: ['visits'],
    startDate: '2026-10-01',
    endDate: '2026-10-31',
    baselineStartDate: '2026-09-01',
    baselineEndDate: '2026-09-30',
  });
  const { days } = answer.structured['baseline'] as { days: number };
  expect(days).toBeLessThan(31);
  const [row] = records(answer);
  expect(row).toMatchObject({
    unit: 'sessions a day',
    before: expect.closeTo(Number(row?.['beforeTotal']) / days, 2),
    after: expect.closeTo(Number(row?.['afterTotal']) / 31, 2),
  });
  const range = findingsOf(answer).find(({ when }) => when.shape === 'range');
  expect(range).toMatchObject({ unit: 'sessions a day', now: expect.closeTo(Number(row?.['after']), 2) });
});

it('a break from before the period comes first, by the rate that sales follow from and the same in every question', {
  tags: 'nightly',
}, async () => {
  const { startDay, device } = platform().stories.conversionFall;
  const asked = { startDate: '2026-11-13', endDate: 'yesterday', devices: [device] };
  const findingsFor = async (more: object) => findingsOf(await call('compare_metrics', { ...asked, ...more }));
  const [first, second] = await findingsFor({});
  expect(first).toMatchObject({
    subject: 'conversionRate',
    place: { device },
    when: { shape: 'step', from: startDay, ongoing: true },
    verdict: 'lower',
    cost: { of: 'revenueSum', from: startDay },
  });
  expect(first?.cost?.high).toBeLessThan(0);
  expect(second).toMatchObject({ subject: 'conversionRate', when: { shape: 'range' }, verdict: 'lower' });
  for (const metrics of [['revenueSum'], ['conversionCount', 'revenueSum']]) expect((await findingsFor({ metrics }))[0]).toEqual(first);
});

it('side by side a device without visits is not what the others are compared with, and no finding', async () => {
  const asked = { projectId: 'Nordlicht App', startDate: '2026-10-01', endDate: '2026-10-31', by: 'device', metrics: ['conversionRate'] };
  const answer = await call('compare_metrics', asked);
  expect(records(answer).map(({ device, verdict }) => [device, typeof verdict])).toEqual([
    ['mobile', 'object'],
    ['tablet', 'string'],
    ['desktop', 'object'],
  ]);
  expect(findingsOf(answer)).toMatchObject([{ place: { device: 'tablet' }, against: { name: 'mobile', value: expect.any(Number) } }]);
  expect(answer.structured['notes']).toContain('desktop has no visits in this range.');
});
