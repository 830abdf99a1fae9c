import { expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import type { NameKind } from '../../src/names/match-name.ts';
import { createNames } from '../../src/tooling/names.ts';
import { manualClock } from '../support/clock.ts';

interface Asked {
  readonly path: string;
  readonly input: Record<string, unknown>;
}

/** Looks a name up on a platform that answers like this; tells what was asked. */
async function find(kind: NameKind, text: string, answer: (asked: Asked) => unknown) {
  const asked: Asked[] = [];
  const ask = (async ({ path }: { path: string }, input: Record<string, unknown>) => {
    asked.push({ path, input });
    return answer({ path, input });
  }) as Ask; // what each operation answers is up to the test
  const found = await createNames(manualClock('2026-11-20T10:00:00Z'))
    .find(kind, text, 7, ask)
    .then(
      ({ id }) => id,
      (error: Error) => error.message,
    );
  return { found, asked };
}

it.each([0, 1])('a job on the second page is found where pages count from %i', async (first) => {
  const jobs = Array.from({ length: 250 }, (_, index) => ({ jobId: index + 1, name: `Job ${index + 1}.` }));
  const { found, asked } = await find('export job', 'job 150.', ({ input }) => {
    const start = (Number(input['page'] ?? first) - first) * 100;
    return jobs.slice(Math.max(start, 0), Math.max(start, 0) + 100);
  });
  expect(found).toBe(150);
  // Several pages are in flight at once, of which those behind the end are empty.
  expect(asked.length).toBeLessThanOrEqual(12);
});

/** Screens with zonings, of which one is called like its screen, with zones. */
function zonesOf({ path, input }: Asked): { id: number; name: string }[] {
  if (path === '/v1/mappings') return [{ id: 1, name: 'Screens' }];
  if (path.endsWith('/page-groups'))
    return [
      { id: 10, name: 'Home' },
      { id: 20, name: 'Product' },
    ];
  if (path.endsWith('/zonings')) {
    return input['pageGroupId'] === 20
      ? [
          { id: 21, name: 'Product, main' },
          { id: 22, name: 'Offers' },
        ]
      : [{ id: 11, name: 'Header' }];
  }
  return [{ id: Number(input['zoningId']) * 10, name: 'Add to cart' }];
}

it('a zoning that is called like its screen does not hide the others of the screen', async () => {
  expect((await find('zone', 'Product / Add to cart', zonesOf)).found).toMatch(/fits 2 zones: 210 .*, 220 /);
  expect((await find('zone', 'Product / Offers / Add to cart', zonesOf)).found).toBe(220);
});

it('only what a path leads along is fetched', async () => {
  const { found, asked } = await find('zone', 'Home / Header / Add to cart', zonesOf);
  expect(found).toBe(110);
  expect(asked.map(({ path }) => path.split('/').at(-1))).toEqual(['mappings', 'page-groups', 'zonings', 'zones']);
});
