import { expect, it } from 'vitest';
import { findingsOf, useTools } from '../support.ts';

const { ask, call, platform } = useTools();

const RANGE = { startDate: '2026-11-02', endDate: '2026-11-15' };

it('by segment without names puts all segments beside all visitors, the largest effect first', async () => {
  const answer = await call('compare_metrics', { ...RANGE, metrics: ['conversionRate'], by: 'segment', chart: false });
  expect([answer.isError, answer.text]).toEqual([false, expect.any(String)]);
  const rows = answer.structured['rows'] as [string, string, string, number | null, number | null][];
  const segments = await ask('listSegments', {});
  expect(rows.map(([, , name]) => name).toSorted()).toEqual(['all visitors', ...segments.map(({ name }) => String(name))].toSorted());
  expect(rows[0]?.[2]).toBe('all visitors');
  const sizes = rows.slice(1).map(([, , , , difference]) => (difference === null ? -1 : Math.abs(difference)));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  // The platform's own value of each, asked for by itself.
  for (const { id, name } of segments.slice(0, 3)) {
    const values = await ask('getSiteConversionRate', {
      startDate: '2026-11-02T00:00:00.000Z',
      endDate: '2026-11-15T23:59:59.999Z',
      segmentIds: [Number(id)],
    });
    expect([name, rows.find(([, , own]) => own === name)?.[3]]).toEqual([name, values.values[0]?.value ?? null]);
  }
  const named = String(answer.structured['answer']);
  const [change, ...sides] = named.split(/(?<=lower since 10 Nov\. It cost about [\d,]+ EUR up to 15 Nov\.) /);
  expect(change).toMatch(/^Mobile conversion rate has been \d+%/);
  expect(sides.join(' ')).toMatch(/^Conversion rate of "Mobile Safari": [\d.]+% \(all visitors: [\d.]+%\), \d+% lower\.$/);
  const beside = findingsOf(answer).filter(({ when }) => when.shape === 'range');
  // Of one without visits there is nothing to say.
  const visited = rows.slice(1).filter(([, , , value]) => value !== null);
  expect(beside.map(({ place: { segment }, now }) => [segment, now])).toEqual(visited.map(([, , own, value]) => [own, value]));
  expect(named.split(' ').length).toBeLessThanOrEqual(60);
  expect(platform().requests.length).toBeLessThan(120);
});
