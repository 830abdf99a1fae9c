import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import type { PayloadOf } from '../../src/api/operation.ts';
import { windowsOf } from '../../src/metrics/compare/comparison-windows.ts';
import { type CompareContext, questionOf } from '../../src/metrics/compare-question.ts';
import { metricQuery } from '../../src/metrics/read/metric-query.ts';
import { readSegments } from '../../src/metrics/read-segments.ts';
import type { Named } from '../../src/names/match-name.ts';
import { readingWith } from './points.ts';

const WEEK = { startDate: '2026-11-09T00:00:00.000Z', endDate: '2026-11-15T23:59:59.999Z' };
const nowMs = Date.parse('2026-11-20T10:00:00.000Z');

/** Segments of a project, the first changed last. */
function segments(count: number): Named[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    path: [`Segment ${index + 1}`],
    changedAt: new Date(nowMs - index * 86_400_000).toISOString(),
  }));
}

/** Reads the segments of a project in which each has as many visits as the test says; with the ids asked for and the notes. */
async function read(all: readonly Named[], visitsOf: (id: number) => number, selection = {}) {
  const asked = new Set<number>();
  const ask: CompareContext['ask'] = async (operation, input) => {
    const { segmentIds } = { segmentIds: [0], ...input };
    const id = segmentIds.at(-1) ?? 0;
    asked.add(id);
    const values = ['visits', 'conversionCount', 'conversionRate'].map((name) => ({ name, value: visitsOf(id) }));
    return operation.payload.parse({ values }) as PayloadOf<typeof operation>;
  };
  const nothing = () => undefined;
  const context: CompareContext = {
    ask,
    note: nothing,
    lists: async () => ({ of: async () => all, nameOf: (_, id) => String(id), ask }),
    progress: nothing,
    covers: nothing,
    isOneOfSeveral: false,
    signal: new AbortController().signal,
    timeZone: 'UTC',
    calendar: {},
    nowMs,
  };
  const question = questionOf({ ...WEEK, by: 'period', explain: true, metrics: ['conversionRate'], ...selection });
  const period = { startMs: Date.parse(WEEK.startDate), endMs: Date.parse(WEEK.endDate) };
  const windows = windowsOf({ period, kind: 'previous', timeZone: 'UTC', nowMs });
  const values = { visits: 1_000, conversionCount: 1_000, conversionRate: 100 };
  const whole = readingWith([], { before: values, after: values });
  const { chosen, choice, notes } = await readSegments({ question, metric: 'conversionRate', whole, windows }, context);
  return { choice, names: chosen.map(({ name }) => name), asked: [...asked].toSorted((a, b) => a - b), notes };
}

describe('segments that may explain a change', () => {
  it('are, of those that moved alike, the ones with most visits, and the answer says of how many', async () => {
    const { names, choice } = await read(segments(10), (id) => id);
    expect(names).toEqual([10, 9, 8, 7].map((id) => `Segment ${id}`));
    expect(choice).toBe('Segments: the 4 of 10 most unlike all others.');
    expect((await read(segments(4), (id) => id)).choice).toBeUndefined();
  });

  it('are told to be none where none of those 20 has visits', async () => {
    const { names, choice } = await read(segments(25), (id) => (id > 20 ? 1_000 : 0));
    expect(names).toEqual([]);
    expect(choice).toBe('Segments: none with visits among the 20 changed last, of 25; segmentIds asks for any other.');
  });

  it('leave out those that are the selection already', async () => {
    const { asked } = await read(segments(3), (id) => id, { segmentIds: [2] });
    expect(asked).toEqual([1, 3]);
  });

  it('are a note where the platform refuses them', async () => {
    const { names, notes, choice } = await read(segments(2), () => {
      throw new ApiError('forbidden', 'the scope metrics is missing');
    });
    expect(names).toEqual([]);
    expect([choice, notes]).toEqual([undefined, ['Segments could not be read: the scope metrics is missing']]);
  });
});

it('that are named by segment, several of them, are put side by side', () => {
  const asked = { ...WEEK, explain: false, segmentIds: [3, 4] } as const;
  expect(questionOf({ ...asked, by: 'segment' })).toMatchObject({ segmentIds: [], compareSegments: [3, 4] });
  expect(questionOf({ ...asked, by: 'segment', compareSegments: [5, 6] })).toMatchObject({ segmentIds: [3, 4], compareSegments: [5, 6] });
  expect(questionOf({ ...asked, by: 'period' })).toMatchObject({ segmentIds: [3, 4], compareSegments: [] });
  const rows = metricQuery({ ...WEEK, metrics: ['visits'], breakdown: ['segment'], segmentIds: [3, 4] });
  expect(rows).toMatchObject({ segmentIds: [], compareSegments: [3, 4] });
});
