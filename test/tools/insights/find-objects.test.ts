import { describe, expect, it } from 'vitest';
import { type ToolAnswer, withAssistant } from '../../support/assistant.ts';
import { refusal, useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

interface Found {
  readonly kind: string;
  readonly id: number | string;
  readonly path: string;
  readonly changed?: string;
}

const objectsIn = ({ structured }: ToolAnswer) => structured['objects'] as Found[];

/** The first that a text finds. */
async function first(text: string, more: Record<string, unknown> = {}): Promise<Found | undefined> {
  return objectsIn(await call('find_objects', { text, ...more }))[0];
}

it('finds objects of all kinds with their paths and when they were changed', async () => {
  const answer = await call('find_objects', { text: 'checkout' });
  const mapping = (await ask('listMappings')).find(({ name }) => name === 'Checkout funnel');
  expect(objectsIn(answer)).toContainEqual({
    kind: 'mapping',
    id: mapping?.id,
    path: 'Checkout funnel',
    changed: mapping?.updatedAt?.slice(0, 10),
  });
  expect(new Set(objectsIn(answer).map(({ kind }) => kind))).toEqual(
    new Set(['mapping', 'page group', 'scenario', 'zone', 'zoning', 'custom variable', 'custom timing']),
  );
  expect(whole(answer)).toMatchSnapshot();
});

describe('a text finds', () => {
  it.each([
    ['acheteurs fideles', 'segment', 'Acheteurs fidèles'],
    ['NEWSLETER', 'segment', 'Newsletter'],
    ['serach bar', 'zone', 'Shop pages / Home page / Home page, spring / Search bar'],
    ['product test add to cart', 'zone', 'Shop pages / Product page / Product page, test B / Add to cart'],
    ['purchase goal', 'goal', 'Purchase'],
    ['chekout mobile', 'scenario', 'Checkout – mobile'],
    ['daily sessions export', 'export job', 'Daily sessions'],
    ['browser name', 'exportable field', 'sessions / browser_name'],
    ['home spring', 'zoning', 'Shop pages / Home page / Home page, spring'],
    ['catgory page', 'page group', 'Shop pages / Category page'],
    ['landing pages', 'mapping', 'Landing pages'],
    ['73310', 'goal', 'Purchase'],
    ['price visible', 'custom timing', 'Checkout – desktop / Product / price-visible'],
    ['checkout variant', 'custom variable', 'checkout_variant'],
  ])('%s: the %s "%s"', { tags: 'nightly' }, async (text, kind, path) => {
    expect(await first(text)).toMatchObject({ kind, path });
  });

  it.each([
    ['new visitor', 'session_number'],
    ['bot traffic', 'is_excludable'],
    ['revenue of transactions', 'session_transactions_revenue_cents'],
    ['number of page views', 'session_number_of_views'],
    ['javascript error message', 'errors.message'],
    ['operating system', 'platform_name'],
    ['direct visit', 'referer_url'],
  ])('the words %s: the field %s', async (text, id) => {
    expect(await first(text, { kinds: ['exportable field'] })).toMatchObject({ id });
  });

  it('what has most of several words where nothing has all, and says so', { tags: 'nightly' }, async () => {
    const answer = await call('find_objects', { text: 'browser device country', kinds: ['exportable field'] });
    const paths = objectsIn(answer).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['sessions / browser_name', 'sessions / country_code']));
    expect(answer.text).toContain('No object has all words of "browser device country"; these have some of them.');
    expect(objectsIn(await call('find_objects', { text: 'xyzzy quux' }))).toEqual([]);
  });

  it('nothing by letters that a longer text has by chance', async () => {
    const found = objectsIn(await call('find_objects', { text: 'utm' }));
    expect(found.map(({ id }) => id)).toEqual(['query']);
  });

  it('what has some words, and the zone of another project that has them all', { tags: 'nightly' }, async () => {
    const paths = objectsIn(await call('find_objects', { text: 'mobile visitors' })).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['Mobile Safari', 'New visitors', 'Returning visitors']));
    const { text } = await call('find_objects', { text: 'Buy now' });
    expect(text).toMatch(
      /As zones of an app project 1202 \(Nordlicht App\) has \d+ "Screens \/ .+ \/ Buy now": call again with projectId "1202"\./,
    );
    const { structured } = await call('query_metrics', {
      metrics: ['tapRate'],
      zoneIds: ['Buy now'],
      startDate: '-9d',
      endDate: '-8d',
      projectId: '1202',
    });
    const [zone] = objectsIn(await call('find_objects', { text: 'Buy now', projectId: '1202' }));
    expect(structured['filters']).toMatchObject({ zone: zone?.path });
  });

  it('only the kinds that are named, and the best of many', async () => {
    const answer = await call('find_objects', { text: 'page', kinds: ['zone'], limit: 2 });
    expect(objectsIn(answer).map(({ kind }) => kind)).toEqual(['zone', 'zone']);
    expect(answer.text).toMatch(/The best 2 of \d+; pass kinds or limit for others/);
  });

  it('nothing, and says among how many', { tags: 'nightly' }, async () => {
    const answer = await call('find_objects', { text: 'xyzzy' });
    expect(answer).toMatchObject({ isError: false, structured: { objects: [] } });
    expect(answer.text).toMatch(/Nothing resembles "xyzzy" among \d+ objects \(.*segment 10/);
  });
});

it('the lists that cannot be had are named, the others are searched', { tags: 'nightly' }, async () => {
  await withAssistant(platform(), { credential: 'noSpeed' }, async (assistant) => {
    const answer = await assistant.call('find_objects', { text: 'checkout' });
    expect(objectsIn(answer).map(({ kind }) => kind)).toContain('mapping');
    expect(answer.text).toMatch(
      /Not searched: (?:(?:speed event|scenario|custom timing),? ?){3}\. The credential lacks the scope speed-analysis/,
    );
  });
  await withAssistant(platform(), {}, async (assistant) => {
    platform().faults.add({ kind: 'refused', operation: 'listZonings' });
    const answer = await assistant.call('find_objects', { text: 'checkout' });
    expect(answer.text).toMatch(/Not searched: (zoning, zone|zone, zoning)\. /);
    expect(objectsIn(answer).map(({ kind }) => kind)).toContain('scenario');
    platform().faults.clear();
    expect((await assistant.call('find_objects', { text: 'checkout button' })).text).not.toContain('Not searched');
  });
});

it('the lists are all refused: that is an error', async () => {
  await withAssistant(platform(), { credential: 'noSpeed' }, async (assistant) => {
    const answer = await assistant.call('find_objects', { text: 'checkout', kinds: ['scenario'] });
    expect(answer).toMatchObject(refusal('speed-analysis'));
  });
});

it('costs at most 1,000 tokens as it is called by default', async () => {
  for (const text of ['a', 'page', 'zone', 'session', 'exportable field', 'checkout']) {
    const { text: words, structured } = await call('find_objects', { text });
    expect(Math.max(words.length, JSON.stringify(structured).length) / 4).toBeLessThanOrEqual(1_000);
  }
});

describe('what exports and speed analysis hold besides objects with ids', () => {
  it('custom variables by their values, with the position', async () => {
    const variable = (await ask('listCustomVariables')).find(({ values }) => (values?.length ?? 0) > 1);
    const value = String(variable?.values?.at(-1));
    const answer = await call('find_objects', { text: value, kinds: ['custom variable'] });
    expect(objectsIn(answer)[0]).toMatchObject({ id: variable?.position, path: `${variable?.key} / ${value}` });
  });

  it('dynamic variables by their key', async () => {
    const [variable] = await ask('listDynamicVariableKeys');
    expect(await first(String(variable?.key), { kinds: ['dynamic variable'] })).toMatchObject({ id: variable?.key, path: variable?.key });
  });

  it('speed events by their text and key', async () => {
    const { events } = await ask('listSpeedEvents');
    const event = events.find(({ text }) => text);
    const found = { kind: 'speed event', id: event?.key, path: event?.text };
    expect(await first(String(event?.text))).toMatchObject(found);
    expect(await first(String(event?.key), { kinds: ['speed event'] })).toMatchObject(found);
  });
});
