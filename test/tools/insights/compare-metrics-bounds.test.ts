import { describe, expect, it } from 'vitest';
import { records, useTools } from '../support.ts';

const { call, platform } = useTools();

type Row = Record<string, unknown>;

const JUDGED: ReadonlySet<unknown> = new Set(['up', 'down', 'drift', 'within noise']);

/** Percents are rounded to two digits. */
const ROUNDING = 0.01;

/** The rows whose verdict does not follow from the size and the bound that they show. */
function contradicted(rows: readonly Row[]): Row[] {
  return rows.filter(({ verdict, levelPercent, changePercent, noisePercent }) => {
    const size = levelPercent ?? changePercent;
    if (!JUDGED.has(verdict) || typeof size !== 'number' || typeof noisePercent !== 'number') return false;
    return verdict === 'within noise' ? Math.abs(size) > noisePercent + ROUNDING : Math.abs(size) < noisePercent - ROUNDING;
  });
}

describe('a verdict beside its bound', () => {
  it.each([
    { startDate: 'last_month', endDate: 'last_month', baseline: 'previous_year' },
    { startDate: 'last_month', endDate: 'last_month', metrics: ['visits', 'revenue'] },
    { startDate: '-28d', endDate: 'yesterday', metrics: ['visits'] },
    { startDate: '-14d', endDate: 'yesterday' },
    { startDate: '-7d', endDate: 'yesterday', metrics: ['revenue'] },
    { startDate: '-56d', endDate: '-29d', metrics: ['visits'] },
  ])('follows from it in every row of %j', async (args) => {
    const answer = await call('compare_metrics', args);
    const { devices = [], segments = [] } = answer.structured as { devices?: Row[]; segments?: Row[] };
    expect(devices.length).toBeGreaterThan(0);
    expect(contradicted([...records(answer), ...devices, ...segments])).toEqual([]);
  });
});

it('figures per day say of how many days each total is', async () => {
  const { structured } = await call('compare_metrics', {
    metrics: ['visits'],
    startDate: 'last_month',
    endDate: 'last_month',
    baseline: 'previous_year',
  });
  const { days } = structured['baseline'] as { days: number };
  expect(days).toBeLessThan(31);
  expect(structured['answer']).toMatch(
    new RegExp(`^Visits \\w+ per day [\\d,]+ → [\\d,]+ \\([+-][\\d.]+%; [\\d,]+ in ${days} days? → [\\d,]+ in 31 days\\)`),
  );
});

it('a break from before the period comes first, by the rate that sales follow from and the same in every question', async () => {
  const { startDay, device } = platform().stories.conversionFall;
  const asked = { startDate: '2026-11-13', endDate: 'yesterday', devices: [device] };
  const answersOf = async (more: object) => String((await call('compare_metrics', { ...asked, ...more })).structured['answer']);
  const answer = await answersOf({});
  expect(answer).toMatch(
    new RegExp(
      `^Already since ${startDay}, before the period, conversion rate \\(${device}\\) is .* lower \\(.*\\), in the period about -`,
    ),
  );
  expect(answer).toMatch(new RegExp(` Conversion rate \\(${device}\\) fell `));
  const [first = ''] = answer.slice('Already '.length).split(' Conversion rate');
  for (const metrics of [['revenueSum'], ['conversionCount', 'revenueSum']]) expect(await answersOf({ metrics })).toContain(first);
});
