import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Named } from '../../src/names/match-name.ts';
import { compareSegments, endOf, momentOf, startOf } from '../../src/tooling/params.ts';
import { resolveParams } from '../../src/tooling/resolve-params.ts';

/** What names become in a project with these segments, and what is noted. */
async function resolved(texts: readonly string[], segments: readonly Named[]) {
  const notes: string[] = [];
  const find = async (_kind: string, text: string) => {
    const found = segments.find(({ path }) => path.at(-1)?.toLowerCase().startsWith(text.toLowerCase()));
    if (!found) throw new Error(`no ${text}`);
    return found;
  };
  const { input } = await resolveParams(
    z.strictObject({ compareSegments }),
    { compareSegments: texts },
    {
      find,
      list: async () => segments,
      within: async () => undefined,
      timeZone: 'UTC',
      nowMs: 0,
      note: (sentence) => void notes.push(sentence),
    },
  );
  return { named: input.compareSegments, notes };
}

it('words for all visitors stand for them, even where a longer name begins so, and ids stay ids', async () => {
  const longer = [{ id: 5, path: ['All visitors from Germany'] }];
  expect(await resolved(['all'], longer)).toEqual({ named: ['all visitors'], notes: ['"all" = all visitors'] });
  expect(await resolved(['All Visitors', '12', 'all users'], longer)).toEqual({
    named: ['all visitors', 12, 'all visitors'],
    notes: ['"all users" = all visitors'],
  });
});

it('a segment of that very name comes first', async () => {
  const segments = [{ id: 7, path: ['All Visitors'] }];
  expect(await resolved(['all visitors', 'everyone'], segments)).toEqual({
    named: [7, 'all visitors'],
    notes: ['"everyone" = all visitors', 'segment "All Visitors" = 7'],
  });
});

it('an event stands for its instant in questions about lab runs, and is no date of anything else', async () => {
  const notes: string[] = [];
  const options = {
    find: () => Promise.reject(new Error('no name')),
    list: async () => [],
    within: async () => undefined,
    timeZone: 'UTC',
    nowMs: Date.parse('2026-11-20T10:00:00Z'),
    note: (sentence: string) => void notes.push(sentence),
  };
  const schema = z.strictObject({ startDate: startOf('').optional(), endDate: endOf('').optional(), date: momentOf('').optional() });
  const eventAt = async (text: string) =>
    text === 'release-4' ? { atMs: Date.parse('2026-11-19T08:57:00Z'), words: 'event 4' } : undefined;
  const { input, range } = await resolveParams(schema, { startDate: 'release-4' }, { ...options, eventAt });
  expect(input.startDate).toBe('2026-11-19T08:57:00.000Z');
  expect(range.start?.ms).toBe(Date.parse('2026-11-19T08:57:00Z'));
  expect(notes).toEqual(['event 4']);
  const refused = (asked: Record<string, string>, more = {}) =>
    expect(resolveParams(schema, asked, { ...options, ...more })).rejects.toThrow(/"release-[45]" is not a recognised date/);
  await refused({ startDate: 'release-5' }, { eventAt });
  await refused({ startDate: 'release-4' });
  const moment = await resolveParams(schema, { date: 'release-4' }, { ...options, eventAt });
  expect(moment).toMatchObject({ input: { date: '2026-11-19T08:57:00.000Z' }, range: {} });
});
