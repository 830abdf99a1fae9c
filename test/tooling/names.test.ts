import { describe, expect, it } from 'vitest';
import { foldMetric, metricAliases, siteMetricDefinitions, zoneMetricDefinitions } from '../../src/metrics/metric-definitions.ts';
import { metricOf, standInFor } from '../../src/tooling/metric-words.ts';
import { ownAssistant } from '../support/assistant.ts';
import { withPlatform } from '../support/emulator.ts';
import { refusal, useTools } from '../tools/support.ts';

const { call, platform } = useTools();
const day = { startDate: 'yesterday', endDate: 'yesterday' };
const listings = (operation: string) => platform().requests.filter((request) => request.operation === operation).length;

/** The ids that the filters of an answer name, and the notes that tell how. */
async function segments(names: unknown[], more: Record<string, unknown> = {}) {
  const { structured, text, isError } = await call('get_site_visits', { ...day, segmentIds: names, ...more });
  const { segmentIds } = (structured['filters'] ?? {}) as { segmentIds?: number[] };
  return { ids: segmentIds, notes: (structured['notes'] ?? []) as string[], text, isError };
}

it.each<[string, unknown, number]>([
  ['as it is written', 'Returning visitors', 418204],
  ['in another case, with spaces around', '  RETURNING   visitors ', 418204],
  ['without its accents', 'acheteurs fideles', 470415],
  ['with accents written in two characters', 'Acheteurs fide\u0300les', 470415],
  ['by its beginning, where only one has it', 'mobile s', 452390],
  ['exactly, where another begins with it', 'Newsletter', 431902],
])('a name is found %s', async (_, name, id) => {
  const { ids, notes } = await segments([name]);
  expect(ids).toEqual([id]);
  expect(notes[0]).toMatch(new RegExp(`^segment ".+" = ${id}$`));
});

it.each([[440156], ['440156'], [' 440156 ']])('a name is no name but an id: %j', async (id) => {
  const { ids, notes } = await segments([id]);
  expect(ids).toEqual([440156]);
  expect(notes.join()).not.toContain('segment');
  expect(listings('listSegments')).toBe(0);
});

it('a name may stand beside ids and other names, each resolved', async () => {
  const { ids, notes } = await segments(['Germany', 418204, 'newsletter']);
  expect(ids).toEqual([440156, 418204, 431902]);
  expect(notes.slice(0, 2)).toEqual(['segment "Germany" = 440156', 'segment "Newsletter" = 431902']);
});

it('a name with dashes is written as the console shows it or with plain ones', async () => {
  const answer = await call('list_scenario_reports', { scenarioId: 'checkout - desktop', limit: 1 });
  expect(answer.structured['scenarioId']).toBe(4101);
});

describe('a name that fits several or none', () => {
  it('is refused with the candidates', async () => {
    expect((await segments(['summer sale'])).text).toBe(
      'segmentIds[0]: "summer sale" fits 2 segments: 467741 "Summer sale campaign", 467749 "Summer sale returning visitors". Pass ' +
        'the id or the exact name.\nCorrect the arguments and call again.',
    );
  });

  it('is taken for the only close one where nothing is written, and said', async () => {
    const { ids, notes } = await segments(['Returnin visitor']);
    expect(ids).toEqual([418204]);
    expect(notes[0]).toBe('There is no segment "Returnin visitor": "Returning visitors" (418204), the only close name, is taken.');
  });

  it('is refused with the closest where something is written', async () => {
    const plan = await call('create_export_job', {
      name: 'One',
      format: 'CSV',
      frequency: { value: 'daily' },
      fields: [{ fieldName: 'session_id' }],
      deviceLabel: 'all',
      segmentId: 'Returnin visitor',
    });
    expect(plan).toMatchObject(refusal(/there is no segment "Returnin visitor"\. Closest: 418204 "Returning visitors"/));
  });

  it('of a project is taken for the only close one', async () => {
    const { isError, notes } = await segments(['all visitors'])
      .then(() => call('get_site_visits', { ...day, projectId: 'Magazine' }))
      .then(({ isError: failed, structured }) => ({ isError: failed, notes: structured['notes'] as string[] }));
    expect(isError).toBe(false);
    expect(notes.join()).toContain('There is no project "Magazine": "Nordlicht Magazin"');
  });

  it('is refused with candidates and the tool that lists them even where none resembles it', async () => {
    expect((await call('get_export_job', { jobId: 'zzzzzzzz' })).text).toMatch(
      /there is no export job "zzzzzzzz", nor one that resembles it\. Closest: (\d+ ".+"(, )?){5}\. list_export_jobs lists all\./,
    );
  });

  it('is refused in few words and soon, however long it is', async () => {
    const startedMs = performance.now();
    expect((await segments(['x'.repeat(200_000)])).text.length).toBeLessThan(500);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('is worded for each of several', async () => {
    const { text } = await call('get_site_conversions', { ...day, segmentIds: ['Xermny', 440158, 'Xrnce'], goalId: 'Xurchse' });
    const told = text.split('\n').map((line) => line.split(':')[0]);
    expect(told.slice(0, 3)).toEqual(expect.arrayContaining(['goalId', 'segmentIds[0]', 'segmentIds[2]']));
  });
});

it.each<[string, string, number]>([
  ['page group, zoning and zone', 'Home / Header / Search bar', 8120447],
  ['with the mapping before it', 'Screens/Home/Header/Cart icon', 8120450],
  ['with the other mapping that holds the screen', 'purchase path / product screen / product details / add to cart', 8120571],
  ['with a step left out', 'Search results / Search bar', 8120512],
  ['the name alone, where it is unique', 'Hero banner', 8120463],
  ['beginnings of steps', 'home / feed / cat', 8120466],
])('a path to a zone is read: %s', { tags: 'nightly' }, async (_, zoneId, id) => {
  const { structured } = await call('get_zone_tap_rate', { ...day, zoneId, projectId: 1202 });
  expect(structured).toMatchObject({
    filters: { zoneId: id },
    notes: expect.arrayContaining([expect.stringMatching(`^zone ".* / .*" = ${id}$`)]),
  });
});

it('a path to a zone is refused where several zones have the name, each shown with its whole path', async () => {
  const { text } = await call('get_zone_tap_rate', { ...day, zoneId: 'search bar', projectId: 1202 });
  expect(text).toContain(
    '"search bar" fits 2 zones: 8120447 "Screens / Home / Header / Search bar", 8120512 "Screens / Search results / Results / ' +
      'Search bar"',
  );
  expect(text).toContain('Pass the id or a longer path.');
});

it('the lists behind names are fetched once for calls within ten seconds, also when asked for at once', async () => {
  await withPlatform(async (own) => {
    const assistant = await ownAssistant(own, { thinksMs: 0 });
    const ask = (name: string) => assistant.call('get_site_visits', { ...day, segmentIds: [name] });
    await Promise.all([ask('Germany'), ask('France'), ask('newsletter')]);
    await ask('Paid search');
    expect(own.requests.filter(({ operation }) => operation === 'listSegments')).toHaveLength(1);
  });
});

it('the lists behind names are fetched again for a name that came after them', async () => {
  const before = await call('get_export_job', { jobId: 'Fresh job' });
  expect(before.isError).toBe(true);
  await platform().ask(
    'createExportJob',
    {
      name: 'Fresh job',
      format: 'CSV',
      scope: 'sessions',
      frequency: { value: 'daily' },
      fields: [{ fieldName: 'user_id' }],
      deviceLabel: 'all',
    },
    await platform().token('shop'),
  );
  await platform().clock.advance(6_000);
  const after = await call('get_export_job', { jobId: 'fresh job' });
  expect(after.structured['job']).toMatchObject({ name: 'Fresh job' });
});

it('the lists behind names are those of the project that is asked', async () => {
  expect((await segments(['Returning visitors'])).ids).toEqual([418204]);
  expect((await segments(['Returning visitors'], { projectId: 1203 })).ids).toEqual([602115]);
  expect((await segments(['Paid search'], { projectId: 1203 })).isError).toBe(true);
});

const definitions = Object.entries<{ readonly aliases?: readonly string[] }>({ ...siteMetricDefinitions, ...zoneMetricDefinitions });

it('the names of metrics are understood as they are declared, in any case, with spaces and underscores', () => {
  const lost = definitions.flatMap(([metric, { aliases = [] }]) =>
    aliases
      .flatMap((alias) => [alias, alias.toUpperCase(), alias.replaceAll(' ', '_')])
      .filter((name) => metricOf('range', name) !== metric),
  );
  expect(lost).toEqual([]);
  expect(Object.keys(metricAliases).filter((alias) => alias !== foldMetric(alias))).toEqual([]);
});

it('the names of metrics never hide another metric', () => {
  const names = new Map(definitions.map(([metric]) => [foldMetric(metric), metric]));
  const hidden = Object.entries(metricAliases).filter(([alias, metric]) => names.has(alias) && names.get(alias) !== metric);
  expect(hidden).toEqual([]);
  const all = definitions.flatMap(([, { aliases = [] }]) => aliases.map(foldMetric));
  expect(all.filter((alias, index) => all.indexOf(alias) < index)).toEqual([]);
});

it('orders are answered by the sessions with a purchase, page views by those of a session, which is said', () => {
  for (const name of ['orders', 'Number of orders', 'transactions', 'purchases'])
    expect(standInFor('range', name)).toEqual({
      metric: 'conversionCount',
      words: expect.stringContaining(`metric "${name}" = conversionCount: sessions with a purchase, unless another goal is named; `),
    });
  expect(standInFor('range', 'Page views')?.words).toBe(
    'metric "Page views" = pageviewAverage: page views are given per session; times visits they are their number.',
  );
  expect(standInFor('range', 'items sold')).toBeUndefined();
  expect(standInFor('speed', 'orders')).toBeUndefined();
});
