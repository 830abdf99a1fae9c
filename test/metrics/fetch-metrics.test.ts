import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import type { PayloadOf } from '../../src/api/operation.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { fetchMetrics, readDays } from '../../src/metrics/fetch-metrics.ts';
import type { MetricValue } from '../../src/metrics/metric-table.ts';
import type { MetricGrid } from '../../src/metrics/read/metric-grid.ts';
import type { ToolContext } from '../../src/tooling/tool.ts';
import { times } from '../support/times.ts';

const DAY_MS = 86_400_000;
const at = (iso: string) => Date.parse(iso);
const WEEK = { startMs: at('2026-11-09T00:00:00Z'), endMs: at('2026-11-15T23:59:59.999Z') };

interface Asked {
  readonly startDate: string;
  readonly endDate: string;
  readonly period?: string;
  readonly device?: string;
}

/** A platform that answers as the test says, and what it was asked. */
function platformOf(answer: (asked: Asked) => MetricValue[]) {
  const asked: Asked[] = [];
  const ask: ToolContext['ask'] = async (operation, input) => {
    const request = { startDate: '', endDate: '', ...input };
    asked.push(request);
    return operation.payload.parse({ values: answer(request) }) as PayloadOf<typeof operation>;
  };
  return { asked, ask };
}

/** Runs a grid on a platform that answers as the test says, with the calls and the news that there were. */
async function run(grid: MetricGrid, answer: (asked: Asked) => MetricValue[], signal = new AbortController().signal) {
  const { asked, ask } = platformOf(answer);
  const news: string[] = [];
  const progress: ToolContext['progress'] = (done, total, message) => void news.push(`${done}/${total} ${message}`);
  const answers = await fetchMetrics(grid, { ask, progress, signal, timeZone: 'UTC' });
  return { ...answers, asked, news };
}

const value = (startDate: string, endDate: string, visits: number | null, currency = 'EUR') => ({
  name: 'visits',
  value: visits,
  startDate,
  endDate,
  currency,
});

/** A platform whose days begin an hour late; each whole hour of a range brings one visit. */
function lateDays({ startDate, endDate, period }: Asked): MetricValue[] {
  const [startMs, endMs] = [at(startDate), at(endDate)];
  if (period !== 'daily') return [value(startDate, endDate, Math.ceil((endMs - startMs) / 3_600_000))];
  return times(Math.ceil((endMs - startMs) / DAY_MS), (index) => {
    const fromMs = startMs + index * DAY_MS + 3_600_000;
    return value(isoTime(fromMs), isoTime(fromMs + DAY_MS - 1), 1);
  });
}

it('days of a platform that begin elsewhere are asked for one by one', async () => {
  const { rows, asked, missing } = await run({ metrics: ['visits'], ranges: [WEEK], daily: true }, lateDays);
  expect(rows.map(({ interval, values }) => `${interval.label} ${values['visits']}`)).toEqual(
    ['09', '10', '11', '12', '13', '14', '15'].map((day) => `2026-11-${day} 24`),
  );
  expect(asked).toHaveLength(8);
  expect(missing).toEqual([]);
});

it('days of a platform that begin elsewhere are missing with the reason where they would be too many', async () => {
  const year = { startMs: WEEK.startMs - 365 * DAY_MS, endMs: WEEK.endMs };
  const { rows, asked, missing } = await run({ metrics: ['visits'], ranges: [year], daily: true }, lateDays);
  expect(asked.length).toBeLessThanOrEqual(240);
  expect(rows.some(({ values }) => values['visits'] === null)).toBe(true);
  expect(rows.filter(({ values }) => values['visits'] !== null && values['visits'] !== 24)).toEqual([]);
  expect(missing.map(({ reason }) => reason)).toEqual([expect.stringContaining('do not begin at midnight in UTC')]);
});

describe('calls that fail', () => {
  const grid: MetricGrid = { metrics: ['visits'], ranges: [WEEK], devices: ['desktop', 'mobile', 'tablet'] };
  const whole = ({ startDate, endDate }: Asked) => [value(startDate, endDate, 5)];
  const gone = new ApiError('down', 'The platform is gone.');

  it('are the failure of the whole where there is nothing else', async () => {
    const failing = run(grid, () => {
      throw gone;
    });
    await expect(failing).rejects.toBe(gone);
  });

  it('because the caller stopped are no missing part', async () => {
    const controller = new AbortController();
    const stopped = new Error('stopped');
    const failing = run(
      grid,
      (asked) => {
        controller.abort(stopped);
        return whole(asked);
      },
      controller.signal,
    );
    await expect(failing).rejects.toBe(stopped);
  });
});

it('what the platform says of its values is heard: bounds other than those asked for, currency where all agree, null as null', async () => {
  const other = await run({ metrics: ['visits'], ranges: [WEEK] }, ({ startDate }) => [value(startDate, '2026-11-14T23:59:59.999Z', null)]);
  expect(other.otherBounds).toBe('2026-11-09T00:00:00.000Z … 2026-11-14T23:59:59.999Z');
  expect(other).toMatchObject({ currency: 'EUR', rows: [{ values: { visits: null } }] });
  const exact = await run({ metrics: ['visits'], ranges: [WEEK], devices: ['desktop', 'mobile'] }, ({ startDate, endDate, device }) => [
    value(startDate, endDate, 1, device === 'mobile' ? 'USD' : 'EUR'),
  ]);
  expect('otherBounds' in exact || 'currency' in exact).toBe(false);
});

describe('the days of two ranges and the time before', () => {
  const range = (first: string, last: string) => ({ startMs: at(`${first}T00:00:00Z`), endMs: at(`${last}T23:59:59.999Z`) });
  const read = async (windows: Parameters<typeof readDays>[1]) => {
    const { asked, ask } = platformOf(({ startDate, endDate }) =>
      times(Math.round((at(endDate) - at(startDate)) / DAY_MS), (day) => {
        const startMs = at(startDate) + day * DAY_MS;
        return value(new Date(startMs).toISOString(), new Date(startMs + DAY_MS - 1).toISOString(), 1);
      }),
    );
    const context = { ask, note: () => undefined, signal: new AbortController().signal, timeZone: 'UTC' };
    const rows = await readDays({ metrics: ['visits'] }, windows, context, true);
    return { calls: asked.length, daysOf: (index: number) => rows.filter((row) => row.range === index).length };
  };

  it('hold both ranges where these are quarters, and no more of the history than that takes in calls', async () => {
    const quarters = {
      history: range('2025-12-01', '2026-03-30'),
      baseline: range('2026-03-31', '2026-06-30'),
      period: range('2026-07-01', '2026-09-30'),
      between: undefined,
      later: undefined,
    };
    const { calls, daysOf } = await read(quarters);
    expect([calls, daysOf(0), daysOf(1), daysOf(2)]).toEqual([2, 0, 92, 92]);
  });
});
