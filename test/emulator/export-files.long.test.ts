import { stringify } from 'csv-stringify/sync';
import { describe, expect, test } from 'vitest';
import { app, content, type Project, shop } from '../../src/emulator/credentials.ts';
import { exportHandlers } from '../../src/emulator/handlers/data-export.ts';
import { metricsHandlers } from '../../src/emulator/handlers/metrics.ts';
import { userIdOf } from '../../src/emulator/world/exports/session-row.ts';
import { dayAfter } from '../../src/lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { exported, fieldsNamed, onceJob, partsOf, rowsOf, sumOf } from './export-place.ts';
import { type MovablePlace, placeOf, START_MS } from './place.ts';

const facts = ['session_number_of_transactions', 'session_transactions_revenue_cents', 'session_number_of_views', 'device_id'];
const nextDay = (day: string): string => dayAfter(day, 1);

async function allFields(place: MovablePlace, scope: string) {
  const fields = await exportHandlers.listExportableFields({ scope }, place);
  return fieldsNamed(...fields.filter(({ parameters }) => parameters?.length === 0).map(({ name }) => name));
}

/** Lengths of the arrays whose names begin so. */
function lengths(row: Record<string, unknown>, start: string): number[] {
  return Object.entries(row).flatMap(([name, value]) => (name.startsWith(start) && Array.isArray(value) ? [value.length] : []));
}

/** A cell that is an array. */
function listIn<T extends string | number>(row: Record<string, unknown>, name: string): T[] {
  const value = row[name];
  if (!Array.isArray(value)) throw new Error(`${name} is no array`);
  return value;
}

test.each<{ project: Project; day: string; device: 'all' | 'desktop' | 'mobile' | 'tablet'; segment?: number }>([
  { project: shop, day: '2026-11-19', device: 'all' },
  { project: shop, day: '2026-11-14', device: 'desktop' },
  { project: shop, day: '2026-11-02', device: 'mobile' },
  { project: shop, day: '2026-07-05', device: 'tablet' },
  { project: shop, day: '2026-10-11', device: 'all', segment: 418204 },
  { project: shop, day: '2025-11-30', device: 'mobile', segment: 418204 },
  { project: app, day: '2026-11-15', device: 'all' },
  { project: app, day: '2026-11-01', device: 'tablet' },
])('exports agree with metrics $project.name $day $device', { tags: 'nightly' }, async ({ project, day, device, segment }) => {
  const place = placeOf(project);
  const more = { fields: fieldsNamed(...facts), deviceLabel: device, ...(segment && { segmentId: String(segment) }) };
  const rows = rowsOf(await exported(place, onceJob(day, nextDay(day), more)));
  const { values } = await metricsHandlers.getSiteMetrics(
    {
      startDate: `${day}T00:00:00.000Z`,
      endDate: `${day}T23:59:59.999Z`,
      device,
      ...(segment && { segmentIds: [segment] }),
    },
    place,
  );
  const metric = (name: string) => values?.find((value) => value.name === name)?.value ?? Number.NaN;
  expect(rows.length).toBeGreaterThan(10);
  expect(rows).toHaveLength(metric('visits'));
  expect(sumOf(rows, 'session_transactions_revenue_cents')).toBe(Math.round(metric('revenueSum') * 100));
  expect(rows.filter((row) => Number(row['session_number_of_transactions']) > 0)).toHaveLength(metric('conversionCount'));
  expect(sumOf(rows, 'session_number_of_views') / rows.length).toBeCloseTo(metric('pageviewAverage'), 3);
  const bounces = rows.filter((row) => row['session_number_of_views'] === 1).length;
  expect((100 * bounces) / rows.length).toBeCloseTo(metric('bounceRate'), 3);
});

describe('session files', () => {
  test('hold the chosen fields alone, in order, under their aliases', async () => {
    const fields = [
      { fieldName: 'user_id', aliasName: 'visitor' },
      { fieldName: 'custom_var', customVarPosition: '1', aliasName: 'plan' },
      { fieldName: 'custom_var', customVarPosition: 12 },
      { fieldName: 'dynamic_var', dynamicVarKey: 'search_results' },
      { fieldName: 'session_time' },
    ];
    const [first = ''] = await exported(placeOf(), onceJob('2026-11-19', '2026-11-20', { fields }));
    const [line = ''] = first.split('\n');
    expect(line).toBe(
      '{"visitor":7285904643674072045,"plan":"free","custom_var_12":"wa-empty",' +
        '"dynamic_var_search_results":null,"session_time":"2026-11-19T00:00:19.000Z"}',
    );
    const plans = new Set(rowsOf([first]).map((row) => row['plan']));
    expect(plans).toEqual(new Set(['free', 'plus', 'business', 'wa-empty']));
  });

  test('show user ids as whole numbers beyond 2^53, digit by digit those of the columns', async () => {
    const place = placeOf();
    const day = place.world.sessions.day(shop.id, Date.parse('2026-11-19') / DAY_MS, START_MS);
    const text = (await exported(place, onceJob('2026-11-19', '2026-11-20', { fields: fieldsNamed('user_id') }))).join('');
    const expected = Array.from({ length: day.count }, (_, index) => `{"user_id":${userIdOf(day, index)}}\n`).join('');
    expect(text).toBe(expected);
    expect(userIdOf(day, 0)).toBeGreaterThan(2n ** 53n);
  });

  test('have parallel arrays of one length; the items add up to the revenue', { tags: 'nightly' }, async () => {
    const place = placeOf(app);
    const rows = rowsOf(await exported(place, onceJob('2026-11-18', '2026-11-19', { fields: await allFields(place, 'sessions') })));
    for (const row of rows) {
      const items = lengths(row, 'session_transaction_items.');
      expect(items).toHaveLength(5);
      expect(new Set(items).size).toBe(1);
      expect((items[0] ?? 0) > 0).toBe(Number(row['session_number_of_transactions']) > 0);
      const revenue = listIn<number>(row, 'session_transaction_items.revenue_cents').reduce((sum, cents) => sum + cents, 0);
      expect(revenue).toBe(row['session_transactions_revenue_cents']);
      const events = lengths(row, 'app_events.');
      expect(events).toEqual([events[0], events[0], events[0]]);
      const times = listIn<string>(row, 'app_events.event_time');
      expect(times).toEqual(times.toSorted());
    }
    expect(rows.some((row) => listIn(row, 'app_events.event_name').length > 1)).toBe(true);
  });

  test('in CSV are what an independent writer makes of the same cells', { tags: 'nightly' }, async () => {
    const place = placeOf();
    const input = onceJob('2026-11-19', '2026-11-20', { fields: await allFields(place, 'sessions') });
    const rows = rowsOf(await exported(place, input));
    const parts = await exported(place, { ...input, format: 'CSV' });
    const names = Object.keys(rows[0] ?? {});
    const expected = stringify(
      rows.map((row) => names.map((name) => row[name])),
      { record_delimiter: '\r\n', cast: { boolean: String, object: (value) => JSON.stringify(value), bigint: String } },
    );
    const [header, ...others] = parts.map((part) => part.slice(0, part.indexOf('\r\n') + 2));
    expect(header).toBe(`${names.join(',')}\r\n`);
    expect(new Set(others)).toEqual(new Set([header]));
    expect(parts.map((part) => part.slice(header?.length)).join('')).toBe(expected);
  });

  test('cover each session once, whatever the number of parts, and come back the same', async () => {
    const input = onceJob('2026-11-12', '2026-11-19');
    const parts = await exported(placeOf(), input);
    expect(parts.length).toBeGreaterThanOrEqual(2);
    expect(parts.every((part) => part.length > 1000)).toBe(true);
    const ids = rowsOf(parts).map((row) => Number(row['session_id']));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(await exported(placeOf(), input)).toEqual(parts);
  });

  test('end with the clock and never grow', async () => {
    const place = placeOf();
    const { jobId } = await exportHandlers.createExportJob(
      onceJob('2026-11-20', '2026-11-21', { fields: fieldsNamed('session_time') }),
      place,
    );
    place.nowMs += HOUR_MS;
    const [run] = await exportHandlers.listExportRuns({ jobId: Number(jobId) }, place);
    const read = () => partsOf(place, Number(jobId), Number(run?.jobRunId));
    const before = await read();
    expect(rowsOf(before).at(-1)?.['session_time']).toMatch(/^2026-11-20T(09:5|10:00)/);
    place.nowMs += 2 * DAY_MS;
    expect(await read()).toEqual(before);
  });

  test('without a single session are one file, empty but for a header', async () => {
    const place = placeOf(app);
    const input = onceJob('2026-11-18', '2026-11-19', { deviceLabel: 'desktop' });
    expect(await exported(place, input)).toEqual(['']);
    expect(await exported(place, { ...input, format: 'CSV' })).toEqual(['session_id\r\n']);
    const [run] = await exportHandlers.listSuccessfulExportRuns({}, place);
    expect(run?.nbOfFiles).toBe(1);
  });

  test('carry a dynamic variable only while it was sent', async () => {
    const fields = [{ fieldName: 'dynamic_var', dynamicVarKey: 'delivery_days', aliasName: 'days' }];
    const sent = async (day: string) =>
      rowsOf(await exported(placeOf(), onceJob(day, nextDay(day), { fields }))).filter(({ days }) => days !== null);
    expect(await sent('2026-09-01')).toEqual([]);
    const values = (await sent('2026-11-01')).map(({ days }) => days);
    expect(values.length).toBeGreaterThan(100);
    expect(values.every(Number.isInteger)).toBe(true);
  });
});

test.each([shop, app, content])(
  'view files of $name derive from the sessions, and are sound in themselves',
  { tags: 'nightly' },
  async (project) => {
    const place = placeOf(project);
    const range = ['2026-11-18', '2026-11-19'] as const;
    const sessionFields = fieldsNamed('session_id', 'session_number_of_views', 'session_duration_msec', 'session_number_of_transactions');
    const sessions = rowsOf(await exported(place, onceJob(...range, { fields: sessionFields })));
    const views = rowsOf(await exported(place, onceJob(...range, { scope: 'views', fields: await allFields(place, 'views') })));
    const bySession = new Map<unknown, typeof views>(views.map((view) => [view['session_id'], []]));
    for (const view of views) bySession.get(view['session_id'])?.push(view);
    expect(bySession.size).toBe(sessions.length);
    const isWrong = sessions.filter((session) => {
      const own = bySession.get(session['session_id']) ?? [];
      const ends = own.flatMap((view, at) => [...(view['is_first'] ? [`first ${at}`] : []), ...(view['is_last'] ? [`last ${at}`] : [])]);
      const isBuyer = Number(session['session_number_of_transactions']) > 0 && own.length > 1;
      return (
        own.length !== session['session_number_of_views'] ||
        own.some((view, at) => view['view_number'] !== at + 1) ||
        sumOf(own, 'view_duration_msec') !== session['session_duration_msec'] ||
        ends.join() !== `first 0,last ${own.length - 1}` ||
        (isBuyer && !/confirmation|thanks|welcome/.test(String(own.at(-1)?.['path'])))
      );
    });
    expect(isWrong).toEqual([]);
    const isUnsound = views.filter((view) => {
      const score = Number(view['frustration_score']);
      const errors = lengths(view, 'errors.');
      const timings = ['start_render', 'dom_interactive_after_msec', 'fully_loaded'].map((name) => view[name]);
      const isSlower = timings.every((timing, at) => typeof timing === 'number' && timing > Number(timings[at - 1] ?? 0));
      return (
        !(score >= 0 && score <= 100) ||
        Number(view['page_interaction_time_msec']) > Number(view['view_duration_msec']) ||
        errors.length !== 3 ||
        new Set(errors).size !== 1 ||
        view['any_js_error_ind'] !== (errors[0] ?? 0) > 0 ||
        (project === app ? timings.some((timing) => timing !== null) : !isSlower)
      );
    });
    expect(isUnsound).toEqual([]);
    expect(views.length).toBeGreaterThan(1000);
  },
);
