import { beforeAll, describe, expect, it } from 'vitest';
import { type Assistant, sharedAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();
const people = { shop: sharedAssistant(platform, { credential: 'shop' }), app: sharedAssistant(platform, { credential: 'app' }) };
type Person = keyof typeof people;
const projects: Record<Person, { id: number; name: string }> = {
  shop: { id: 1201, name: 'Nordlicht Shop' },
  app: { id: 1202, name: 'Nordlicht App' },
};
const other: Record<Person, Person> = { shop: 'app', app: 'shop' };
const both: Person[] = ['shop', 'app'];

async function segmentsOf(assistant: Assistant): Promise<{ id: number; name: string }[]> {
  const { structured } = await assistant.call('list_segments');
  return structured['segments'] as { id: number; name: string }[];
}

const range = { startDate: '2026-11-09', endDate: '2026-11-15' };

/** Bearers of the requests to the service since the last look; the emulator records them as hashes. */
function bearers(): Set<string> {
  const seen = new Set(
    platform().requests.flatMap(({ server, headers }) => (server === 'service' ? [headers['authorization'] ?? ''] : [])),
  );
  platform().requests.length = 0;
  return seen;
}

const segments: Record<Person, { id: number; name: string }[]> = { shop: [], app: [] };
beforeAll(async () => {
  for (const who of both) segments[who] = await segmentsOf(people[who]());
});

describe('two sessions in one process, called at the same time', () => {
  it('carry tokens of their own', async () => {
    const own = new Map<Person, Set<string>>();
    for (const who of both) {
      bearers();
      await people[who]().call('list_goals');
      own.set(who, bearers());
    }
    expect([...(own.get('shop') ?? []), ...(own.get('app') ?? [])]).toHaveLength(2);
    expect(own.get('shop')).not.toEqual(own.get('app'));
    const alone = await Promise.all(both.map((who) => people[who]().call('list_mappings')));
    const mappingIds = alone.map(({ structured }) => (structured['mappings'] as { id: number }[]).map(({ id }) => id));
    platform().requests.length = 0;
    const turns = Array.from({ length: 10 }, (_, index) => both[index % 2] ?? 'shop');
    // Each asks for an unknown id of its own beside all: equal questions of a session would be one request.
    const answers = await Promise.all(
      turns.map((who, index) => people[who]().call('list_mappings', { ids: [...(mappingIds[both.indexOf(who)] ?? []), 900_000 + index] })),
    );
    expect(answers).toEqual(turns.map((who) => alone[both.indexOf(who)]));
    expect(alone[0]).not.toEqual(alone[1]);
    const carried = platform().requests.map(({ headers }) => both.find((who) => own.get(who)?.has(headers['authorization'] ?? '')));
    expect(carried.map(String).toSorted()).toEqual(turns.toSorted());
  });

  it('see their own projects alone', async () => {
    const seen = await Promise.all(both.map(async (who) => (await people[who]().call('get_credential')).structured['projects']));
    expect(seen).toEqual(both.map((who) => [projects[who]]));
    const tokens = await Promise.all(both.map(async (who) => (await people[who]().call('authenticate')).structured));
    expect(tokens.map(({ projectId, fromCache }) => [projectId, fromCache])).toEqual(both.map((who) => [projects[who].id, true]));
  });

  it('are refused the project of the other, whatever the other has in its cache', async () => {
    for (const who of both) {
      const foreign = projects[other[who]];
      await people[other[who]]().call('list_segments');
      const { isError, text } = await people[who]().call('list_segments', { projectId: foreign.id });
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(`does not reach project ${foreign.id}`) });
      expect(text).not.toContain(foreign.name);
      expect(
        await people[who]()
          .read(`analytics://${foreign.id}/scenarios/4101`)
          .catch((error: unknown) => String(error)),
      ).toContain(`does not reach project ${foreign.id}`);
    }
  });

  it('do not find names of the other, which the other has just looked up', async () => {
    for (const who of both) {
      const mine = new Set(segments[who].map(({ name }) => name));
      const foreign = segments[other[who]].find(({ name }) => !mine.has(name));
      const visits = (person: Person) => people[person]().call('get_site_visits', { ...range, segmentIds: [foreign?.name] });
      expect(await visits(other[who])).toMatchObject({ isError: false });
      const { isError, text } = await visits(who);
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(`there is no segment "${foreign?.name}"`) });
      expect(text).not.toContain(String(foreign?.id));
    }
  });

  it('write into their own project', async () => {
    const event = { text: 'Release', date: '2026-11-19' };
    await Promise.all(both.map((who) => people[who]().call('create_speed_event', { ...event, key: `of ${who}` })));
    const keys = both.map((who) => [...platform().world.speed.eventsOf(projects[who].id).keys()].filter((key) => key.startsWith('of ')));
    expect(keys).toEqual([['of shop'], ['of app']]);
    const { structured } = await people.shop().call('list_speed_events');
    expect(JSON.stringify(structured)).not.toContain('of app');
  });
});

it('the end of one session leaves the token of the other', async () => {
  bearers();
  await people.app().call('list_goals');
  const before = bearers();
  await people.shop().close();
  await people.app().call('list_goals');
  expect(bearers()).toEqual(before);
});
