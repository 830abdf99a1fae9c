import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/api/params.ts';
import { content } from '../../src/emulator/credentials.ts';
import { speedHandlers } from '../../src/emulator/handlers/speed-analysis.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { NOW_MS, placeIn } from './speed-place.ts';

const event = { key: 'release-9', text: 'Release 9', date: '2026-11-19T08:30:00+0100' };

describe('speed analysis events', () => {
  it('are seeded over the past 60 days, newest first, their dates in three spellings', async () => {
    const { events } = await speedHandlers.listSpeedEvents({}, placeIn());
    const dates = events.map(({ date }) => instantOf(String(date)));
    expect(dates).toEqual(dates.toSorted((a, b) => b - a));
    expect(Math.max(...dates)).toBeLessThan(NOW_MS);
    expect(Math.min(...dates)).toBeGreaterThan(NOW_MS - 61 * DAY_MS);
    for (const ending of [/Z$/, /\+02:00$/, /\+0200$/]) expect(events.some(({ date }) => ending.test(String(date)))).toBe(true);
    expect(events.every((item) => Object.keys(item).join() === 'key,text,date')).toBe(true);
  });

  it('are filtered by key, by date after the bound, and by what they are tied to', async () => {
    const place = placeIn();
    await speedHandlers.createSpeedEvent({ ...event, monitorings: [9001], scenarios: [4101, 4102] }, place);
    const keys = async (input: Parameters<typeof speedHandlers.listSpeedEvents>[0]) =>
      (await speedHandlers.listSpeedEvents(input, place)).events.map(({ key }) => key);
    expect(await keys({ key: 'release-9' })).toEqual(['release-9']);
    expect(await keys({ monitoringId: 9001 })).toEqual(['release-9']);
    expect(await keys({ scenarioId: 4102, dateFrom: '2026-11-19T07:29:59Z' })).toEqual(['release-9']);
    expect(await keys({ key: 'release-9', dateFrom: '2026-11-19T07:30:00Z' })).toEqual([]);
    expect(await keys({ key: 'release-9', scenarioId: 4103 })).toEqual([]);
    expect(await keys({ key: 'release' })).toEqual([]);
  });

  it('are created and deleted in one project of one emulator', async () => {
    const place = placeIn();
    expect(await speedHandlers.createSpeedEvent(event, place)).toEqual({ key: 'release-9' });
    expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, place)).events).toEqual([event]);
    for (const elsewhere of [{ ...place, project: content }, placeIn()]) {
      expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, elsewhere)).events).toEqual([]);
    }
    expect(await speedHandlers.deleteSpeedEvent({ key: 'release-9' }, place)).toEqual({ key: 'release-9' });
    expect((await speedHandlers.listSpeedEvents({ key: 'release-9' }, place)).events).toEqual([]);
  });

  it('are refused with a key that exists, an unknown scenario, or a key that does not exist', async () => {
    const place = placeIn();
    await speedHandlers.createSpeedEvent(event, place);
    const refusals = [
      [() => speedHandlers.createSpeedEvent(event, place), 409, /key "release-9" already/],
      [() => speedHandlers.createSpeedEvent({ ...event, key: 'b', scenarios: [4101, 77, 4301] }, place), 400, /no scenario 77, 4301/],
      [() => speedHandlers.deleteSpeedEvent({ key: 'b' }, place), 404, /no event with the key "b"/],
    ] as const;
    for (const [call, status, message] of refusals) {
      await expect(async () => call()).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
    }
    expect((await speedHandlers.listSpeedEvents({ key: 'b' }, place)).events).toEqual([]);
  });
});
