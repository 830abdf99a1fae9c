import { expect, it } from 'vitest';
import { useTools } from '../tools/support.ts';

const { call } = useTools();
const week = { startDate: '-8d', endDate: 'yesterday' };

it.each([
  ['a name that several zones of pages have', 'Product / Add to cart', /project 1202 \(Nordlicht App\) has \d+ ".+ \/ Add to cart"/],
  ['a screen that is a page here', 'Home', /project 1202 \(Nordlicht App\) has page group "Screens \/ Home" with \d+ zones/],
  ['a name that no zone of pages has', 'Hero banner', /project 1202 \(Nordlicht App\) has \d+ ".+ \/ Hero banner"/],
])(
  'zones of an app, asked for in the project of a site are found by %s in their own project, where they are answered',
  { tags: 'nightly' },
  async (_, zone, words) => {
    const asked = { metrics: ['tapRate'], zoneIds: [zone], ...week };
    const refused = await call('query_metrics', asked);
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(words);
    expect(refused.text).toMatch(
      /^(?:zoneIds\[0\]: )?As zones of an app project 1202 .*: call again with projectId "1202"\. In this project: /,
    );
    expect(refused.text).not.toContain('Pass the id');
    const { isError, structured } = await call('query_metrics', { ...asked, projectId: '1202' });
    expect(isError).toBe(false);
    expect(structured['rows']).not.toEqual([]);
  },
);

it('zones of an app, asked for in the project of a site are not looked for where the project was chosen, or none has them', {
  tags: 'nightly',
}, async () => {
  for (const more of [{ projectId: '1201', zoneId: 'Home' }, { zoneId: 'Nothing called so' }]) {
    const { isError, text } = await call('get_zone_tap_rate', { ...week, ...more });
    expect(isError).toBe(true);
    expect(text).not.toContain('As zones of an app');
  }
});

it('find_objects says whether zones are of an app, and have metrics', { tags: 'nightly' }, async () => {
  const notesOf = async (projectId: string) => (await call('find_objects', { text: 'add to cart', kinds: ['zone'], projectId })).text;
  expect(await notesOf('1201')).toContain('Zones here are of web pages and have no metrics in this interface');
  expect(await notesOf('1202')).toContain('Zones here are of an app: query_metrics takes them as zoneIds.');
});

it('a name that several scenarios begin with stands for all where they are read, and is refused where something is written', async () => {
  const { structured, isError } = await call('analyze_scenario', { scenarioIds: ['checkout'], view: 'levels' });
  expect(isError).toBe(false);
  expect((structured['notes'] as string[])[0]).toBe(
    'scenario "checkout" = all 2 that it fits: 4101 "Checkout – desktop", 4102 "Checkout – mobile"',
  );
  const { columns, rows } = structured as { columns: string[]; rows: unknown[][] };
  expect(new Set(rows.map((row) => row[columns.indexOf('scenarioId')]))).toEqual(new Set([4101, 4102]));
  const event = { key: 'k', text: 'A release', date: 'now', scenarios: ['checkout'] };
  expect((await call('create_speed_event', event)).text).toContain('"checkout" fits 2 scenarios');
});
