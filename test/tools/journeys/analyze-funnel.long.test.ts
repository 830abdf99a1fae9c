import { beforeAll, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { useTools, whole } from '../support.ts';

const { call, assistant } = useTools();
const STEPS = ['/cart', '/checkout/address', '/checkout/payment', 'purchase'];

beforeAll(() => fetchExports(assistant()));

it('a funnel says where most are lost, to what, and for whom', async () => {
  const answer = await call('analyze_funnel', { steps: STEPS, breakdown: 'device' });
  expect(answer.text).toMatch(
    /^Fewer mobile sessions reach purchase: .*%\.\nThe largest loss is after \/cart: .* do not reach \/checkout\/address; the largest /,
  );
  expect(whole(answer)).toMatchSnapshot();
});

it('a funnel of one device begins with how it differs from the others', { tags: 'nightly' }, async () => {
  const { text } = await call('analyze_funnel', { steps: STEPS, devices: ['mobile'] });
  const split = await call('analyze_funnel', { steps: STEPS, breakdown: 'device' });
  const verdict = (split.structured['groups'] as { group: string; verdict: string }[]).find(({ group }) => group === 'mobile')?.verdict;
  expect(verdict).toMatch(/^fewer reach/);
  expect(text.startsWith(`${verdict?.replace('fewer', 'Fewer mobile sessions').replace(', elsewhere', ', others')}.`)).toBe(true);
});

it('a funnel names a statement that selects as many sessions as left', { tags: 'nightly' }, async () => {
  const { structured } = await call('analyze_funnel', { steps: ['/p/*', '/cart', '/checkout/address'] });
  const [first, second] = structured['steps'] as { left: number }[];
  const { structured: rows } = await call('query_export', { sql: `SELECT count(*) AS n FROM (${String(structured['sql'])})` });
  expect(rows['rows']).toEqual([[Math.max(first?.left ?? 0, second?.left ?? 0)]]);
});

it('a funnel against a baseline begins with what changed', { tags: 'nightly' }, async () => {
  const { text, structured } = await call('analyze_funnel', {
    steps: ['/p/*', '/cart'],
    startDate: '2026-11-18',
    endDate: '2026-11-19',
    baselineStartDate: '2026-11-16',
    baselineEndDate: '2026-11-17',
  });
  expect(text).toMatch(/^No step of this funnel changed significantly\.\sThe largest loss/);
  expect(structured['changes']).toEqual([
    { step: '/cart', beforePercent: expect.any(Number), afterPercent: expect.any(Number), verdict: 'within noise' },
  ]);
});

it.each([
  [{ steps: ['/p/*'] }, 'steps: must hold at least 2 items.'],
  [{ steps: Array.from({ length: 9 }, () => '/p/*') }, 'steps: must hold at most 8 items.'],
  [{ steps: ['purchase', '/p/*'] }, 'do not say when in a visit a purchase was, so "purchase" can only be the last step'],
  [{ steps: ['/p/*', '/carts'] }, /steps: no page of these visits is "\/carts"; closest, with their views: .*\/cart \([\d,]+\)/],
  [
    { steps: ['/p/*', '/cart'], entryPages: ['/serach'] },
    /entryPages: no page of these visits is "\/serach"; closest, with their views: \/search/,
  ],
  [{ steps: ['/p/*', '/cart'], countries: ['Atlantis'] }, /^countries: no session of 2026-11-.* has "Atlantis"; there are DE \([\d,]+\), /],
  [{ steps: ['/p/*', '/cart'], devices: ['app'] }, /^devices app: no session of 2026-11-.*; there are mobile \([\d,]+\), desktop/],
  [{ steps: ['/p/*', 'event:paid'] }, 'The downloaded files of sessions have no app_events.event_name, app_events.event_time'],
  [{ steps: ['/p/*', '/cart'], withinDays: 3 }, 'withinDays: only with within visitor.'],
  [{ steps: ['/p/*', '/cart'], baselineStartDate: '-9d' }, 'baselineEndDate: required with the other end of the baseline.'],
  [
    { steps: ['/p/*', '/cart'], baselineStartDate: '2026-11-16', baselineEndDate: '2026-11-17' },
    'the baseline shares days with the range; let it end before the range begins.',
  ],
  [{ steps: ['/p/*', '/cart'], within: 'visitor', withinDays: 30 }, 'withinDays: no day has 30 whole days after it that the files cover'],
  [{ steps: ['/p/*', '/cart'], startDate: '2026-10-01', endDate: '2026-10-04' }, 'cover no whole day (UTC) of 2026-10-01 … 2026-10-04'],
  [{ steps: ['/p/*', '/cart'], order: 'direct', within: 'visitor' }, 'order: direct compares pages of one session'],
])('bad input %j is one sentence', { tags: 'nightly' }, async (args, words) => {
  const { isError, text } = await call('analyze_funnel', args);
  expect(isError).toBe(true);
  expect(text).toMatch(typeof words === 'string' ? new RegExp(words.replaceAll(/[()|]/g, String.raw`\$&`)) : words);
});
