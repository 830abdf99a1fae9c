import { describe, expect, it } from 'vitest';
import { alteredPlatform } from '../../support/altered-platform.ts';
import { withAssistant } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';

const altered = alteredPlatform(sharedPlatform());

type Rows = { id: number; name: string; type?: string }[];

/** Sets when the objects of a list were last changed. */
function changedAt(list: string, member: string, instant: string, is: (row: Rows[number], index: number) => boolean = () => true) {
  altered.alterBy((payload, target) =>
    target.split('?')[0]?.endsWith(list)
      ? (payload as Rows).map((row, index) => ({ ...row, [member]: is(row, index) ? instant : '2024-01-01T00:00:00.000Z' }))
      : payload,
  );
}

async function notesOf(args: Record<string, unknown>): Promise<string> {
  const week = { startDate: '2026-11-09', endDate: '2026-11-15', explain: false };
  // A session keeps its lists for some minutes.
  const { structured, isError, text } = await withAssistant(altered.platform(), {}, ({ call }) =>
    call('compare_metrics', { ...week, ...args }),
  );
  altered.alterBy(undefined);
  if (isError) throw new Error(text);
  return String(structured['notes']);
}

const SAID = /Last changed inside the compared range: (.*?)\. A new definition may explain a step on that day/;

describe('what was defined anew inside a compared range is said', () => {
  it('of a segment', { tags: 'nightly' }, async () => {
    changedAt('/v1/segments', 'updatedAt', '2026-11-11T09:00:00.000Z', ({ name }) => name === 'Returning visitors');
    expect(SAID.exec(await notesOf({ segmentIds: ['Returning visitors'] }))?.[1]).toBe('segment "Returning visitors" on 2026-11-11');
  });

  it('of a segment in the baseline, and of one beside others', { tags: 'nightly' }, async () => {
    changedAt('/v1/segments', 'updatedAt', '2026-11-04T09:00:00.000Z');
    expect(await notesOf({ segmentIds: ['Returning visitors'] })).toMatch(SAID);
    changedAt('/v1/segments', 'updatedAt', '2026-11-11T09:00:00.000Z');
    expect(SAID.exec(await notesOf({ by: 'segment', compareSegments: ['Returning visitors', 'all visitors'] }))?.[1]).toContain(
      'Returning',
    );
  });

  it('of the goal, named or that of e-commerce', { tags: 'nightly' }, async () => {
    changedAt('/v1/goals', 'updatedAt', '2026-11-11T09:00:00.000Z', ({ type }) => /commerce/i.test(type ?? ''));
    expect(SAID.exec(await notesOf({ metrics: ['conversionRate'] }))?.[1]).toMatch(/^goal ".+" on 2026-11-11$/);
    changedAt('/v1/goals', 'updatedAt', '2026-11-11T09:00:00.000Z');
    expect(await notesOf({ metrics: ['visits'] })).not.toMatch(SAID);
  });

  it('but nothing where it was changed at another time', async () => {
    changedAt('/v1/segments', 'updatedAt', '2026-11-16T09:00:00.000Z');
    expect(await notesOf({ segmentIds: ['Returning visitors'] })).not.toMatch(SAID);
  });

  it('of the zoning of a zone', async () => {
    const app = { projectId: '1202', metrics: ['tapRate'], zoneIds: ['8120447'] };
    changedAt('/zonings', 'lastUpdatedAt', '2026-11-11T09:00:00.000Z');
    expect(SAID.exec(await notesOf(app))?.[1]).toMatch(/^zoning ".+ \/ .+" on 2026-11-11$/);
  });
});
