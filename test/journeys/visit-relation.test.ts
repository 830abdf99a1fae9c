import { describe, expect, it } from 'vitest';
import { parseStep } from '../../src/journeys/step.ts';
import { unseenStep } from '../../src/journeys/visit-relation.ts';
import { withVisits } from '../../src/journeys/with-visits.ts';
import { shownHints } from '../../src/lib/hint.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { dayOf, type SessionRow } from './visit-world.ts';

const world = sharedWorlds();

describe('what is missing', () => {
  const whole = () => world('whole days').workspace('DuckDB');

  it('an event that nobody sent is an error with the events there are', { tags: 'nightly' }, async () => {
    const step = parseStep('event:payed', 'steps');
    const needs = { sessions: ['app_events.event_name'] };
    const error = await withVisits({}, needs, usesOf(whole()), (visits) => unseenStep(step, 'steps', visits));
    expect(error.message).toMatch(/no app event of these visits is "event:payed"; closest, with their times: event:paid \(\d+\)/);
  });

  it('a column that the files lack is an error with the plan that brings it', async () => {
    const asked = withVisits({}, { views: ['frustration_score'] }, usesOf(whole()), () => Promise.resolve(undefined));
    const error: Error = await asked.then(
      () => expect.fail('answered'),
      (thrown) => thrown,
    );
    expect(shownHints(error.message)).toBe(
      'The downloaded files of views have no frustration_score, which this answer needs. ' +
        'plan_export {"fields":["journeys"],"scope":"views","frequency":"daily"} plans what is missing (once with dates for past days).',
    );
  });

  it('days that no file covers are an error with the days of each file', { tags: 'nightly' }, async () => {
    const range = { startDate: '2026-12-01', endDate: '2026-12-03' };
    const asked = withVisits(range, { views: [] }, usesOf(whole()), () => Promise.resolve(0));
    await expect(asked).rejects.toThrow(
      'The downloaded files cover no whole day (UTC) of 2026-12-01 … 2026-12-03. They cover views: 2026-11-09 … 2026-11-15 (7 days, ' +
        'UTC).',
    );
  });

  it.each(engines)('rows of days that are left out are counted, on %s', { tags: 'nightly' }, async (engine) => {
    const { sessions, workspace } = world('days missing in one scope or the other, views cut at midnight');
    const notes: string[] = [];
    const range = { startDate: '2026-11-10', endDate: '2026-11-14' };
    await withVisits(range, { sessions: [], views: [] }, usesOf(workspace(engine), notes), async () => 0);
    const [views, began] = [
      sessions.flatMap(({ views: own }) => own.filter(({ timeMs }) => dayOf(timeMs) === 11)).length,
      sessions.filter(({ beganMs }) => dayOf(beganMs) === 13).length,
    ];
    expect(shownHints(notes.join(' '))).toContain(
      '2026-11-11 (1 day, UTC): no whole day of sessions is downloaded; 2026-11-13 (1 day, UTC): no whole day of views is downloaded; ' +
        `${began} rows of sessions and ${views} rows of views of those days are here and left out too. find_export_gaps says why`,
    );
  });

  it.each(engines)('the share of automated sessions is said, under the other filters, on %s', { tags: 'nightly' }, async (engine) => {
    const { sessions, workspace } = world('whole days');
    const notes: string[] = [];
    await withVisits({ devices: ['mobile'] }, { views: [] }, usesOf(workspace(engine), notes), async () => 0);
    await withVisits({ automated: 'exclude' }, { views: [] }, usesOf(workspace(engine), notes), async () => 0);
    const counted = (own: readonly SessionRow[]) => {
      const part = own.filter(({ automated }) => automated).length;
      return `${part} of ${own.length} (${Number(((100 * part) / own.length).toFixed(1))}%)`;
    };
    expect(notes).toEqual([
      `Automated sessions count, as in the metrics: ${counted(sessions.filter(({ device }) => device === 2))}.`,
      `Automated sessions are left out: ${counted(sessions)}.`,
    ]);
  });
});
