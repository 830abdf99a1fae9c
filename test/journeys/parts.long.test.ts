import { expect, it } from 'vitest';
import { readPaths } from '../../src/journeys/analyze-paths.ts';
import { type FunnelQuestion, needsOf, readFunnel } from '../../src/journeys/funnel-sql.ts';
import { parseStep } from '../../src/journeys/step.ts';
import type { VisitRow, Visits } from '../../src/journeys/visit-relation.ts';
import { type Needs, withVisits } from '../../src/journeys/with-visits.ts';
import { sharedWorlds, usesOf } from './both-engines.ts';

const world = sharedWorlds();

const ordered = (values: Iterable<unknown>) => [...values].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The same, read at once and in parts, and the statements that each took. */
async function bothWays<T>(needs: Needs, read: (visits: Visits) => Promise<T>) {
  const uses = usesOf(world('days that several jobs hold, some of them twice').workspace('DuckDB'));
  return withVisits({}, needs, uses, async (visits) => {
    const counted = async (views: number) => {
      const rows: VisitRow[][] = [];
      const select: Visits['select'] = async (statement) => {
        const own = await visits.select(statement);
        rows.push(own);
        return own;
      };
      return { read: await read({ ...visits, views, select }), statements: rows.filter((own) => own.length > 0).length };
    };
    return { whole: await counted(0), parts: await counted(20_000_000) };
  });
}

it.each([
  ['sessions', { withinDays: undefined, breakdown: 'device' }],
  ['visitors', { withinDays: 2, breakdown: undefined }],
] as const)('many views are read in parts that add up to all of them in a funnel of %s', { tags: 'nightly' }, async (_, more) => {
  const steps = ['/p/*', '/cart', '/checkout/confirmation | purchase'].map((text) => parseStep(text, 'steps'));
  const question: FunnelQuestion = { steps, order: 'in_order', ...more };
  const { whole, parts } = await bothWays(needsOf(question), (visits) => readFunnel(question, visits));
  expect([whole.statements, parts.statements]).toEqual([1, 3]);
  for (const member of ['days', 'groups', 'next'] as const) expect(ordered(parts.read[member])).toEqual(ordered(whole.read[member]));
  for (const [step, gaps] of whole.read.gaps) expect(ordered(parts.read.gaps.get(step) ?? [])).toEqual(ordered(gaps));
  expect(parts.read.immature).toBe(whole.read.immature);
  expect(whole.read.next.length).toBeGreaterThan(3);
});

it('many views are read in parts that add up to all of them in paths', async () => {
  const { whole, parts } = await bothWays({ views: [] }, (visits) => readPaths({ from: '/cart', direction: 'after', depth: 2 }, visits));
  expect([whole.statements, parts.statements]).toEqual([2, 4]);
  expect(ordered(parts.read)).toEqual(ordered(whole.read));
  expect(whole.read.length).toBeGreaterThan(5);
});
