import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { analyzeFunnel } from '../../src/journeys/analyze-funnel.ts';
import { analyzePaths } from '../../src/journeys/analyze-paths.ts';
import { analyzeRetention } from '../../src/journeys/analyze-retention.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { openOffline, writeRun } from '../exports/convert/converted-runs.ts';
import { times } from '../support/times.ts';
import { usesOf } from './both-engines.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 10, 9);
/** More entry pages than a statement tells apart, and more rows of them than of the largest page for each device and depth. */
const [PAGES, SMALL] = [4_200, 60];

/** A first visit: its entry page, where it went from there, the device, and on how many of the next days the visitor was there again. */
interface Visit {
  readonly pages: readonly string[];
  readonly device: number;
  readonly again: number;
}

const visits: readonly Visit[] = [
  ...times(2 * PAGES, (at): Visit => {
    const list = at % 3 === 0 ? 'b' : 'a';
    return { pages: [`/${list}/${1_000 + (at % PAGES)}`, ...(at % 5 === 0 ? [] : ['/goal'])], device: 1, again: Number(at % 7 === 0) };
  }),
  // The largest entry page has rows of single visits.
  ...times(SMALL, (at): Visit => {
    const pages = at % 20 === 0 ? ['/small'] : ['/small', '/goal'];
    return { pages, device: at === 3 ? 3 : 1 + Number(at === 7 || at === 20), again: Number(at === 5) };
  }),
];

const rows = visits.flatMap(({ pages, device, again }, visitor) =>
  times(1 + again, (day) => {
    const beganMs = FIRST_MS + day * DAY_MS + visitor;
    const keys = { project_id: 1201, user_id: String(5_000_000 + visitor), session_id: String(9_000_000 + 2 * visitor + day) };
    const session = { ...keys, session_number: 1 + day, session_time: isoTime(beganMs), device_id: device };
    const views = pages.map((path, at) => ({ ...keys, view_number: at + 1, view_time: isoTime(beganMs + 1_000 * at), path }));
    return { day, session, views };
  }),
);

const directory = mkdtempSync(join(tmpdir(), 'many-pages-'));
const workspace = openOffline(directory);
afterAll(async () => {
  await workspace.close();
  rmSync(directory, { recursive: true, force: true });
});
const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const filled = (async () => {
  for (const day of [0, 1]) {
    const own = rows.filter((row) => row.day === day);
    const range = { from: isoTime(FIRST_MS + day * DAY_MS), to: isoTime(FIRST_MS + (day + 1) * DAY_MS) };
    const [sessions, views] = [own.map(({ session }) => session), own.flatMap((row) => row.views)];
    for (const [jobId, scope, lines] of [[31, 'sessions', sessions] as const, [32, 'views', views] as const])
      writeRun(workspace, { jobId, runId: 100 * jobId + day, scope, ...range, fields: Object.keys(lines[0] ?? {}), files: [text(lines)] });
  }
  await workspace.runs();
  await workspace.converted();
  return workspace;
})();

const firstDay = { startDate: '2026-11-09', endDate: '2026-11-09' };

it('a group has all of its visits, however many other groups there are', async () => {
  const { groups = [], steps } = await analyzeFunnel({ steps: ['/*', '/goal'], breakdown: 'entry_page', ...firstDay }, usesOf(filled));
  const reached = visits.filter(({ pages }) => pages.length > 1);
  expect(steps.map(({ sessions }) => sessions)).toEqual([visits.length, reached.length]);
  const small = visits.filter(({ pages }) => pages[0] === '/small');
  expect(groups[0]).toMatchObject({ group: '/small', steps: [SMALL, small.filter(({ pages }) => pages.length > 1).length] });
  expect(groups.map(({ group }) => group)).not.toContain('other pages');
});

it('who comes back counts all visitors, however many groups there are', async () => {
  const answer = await analyzeRetention({ by: 'day', periods: 1, breakdown: 'entry_page' }, usesOf(filled));
  const back = visits.filter(({ again }) => again > 0);
  expect(answer.cohorts[0]?.returned).toEqual([visits.length, back.length]);
  expect(answer.groups?.[0]).toMatchObject({ group: '/small', visitors: SMALL, within: { returned: 1 } });
  expect(answer.groups?.map(({ group }) => group)).not.toContain('other pages');
});

it('paths from pages of several lists are one where they are called the same', async () => {
  const answer = await analyzePaths({ from: '/*', depth: 1, ...firstDay }, usesOf(filled));
  const ended = visits.filter(({ pages }) => pages.length === 1).length;
  const ofSmall = visits.filter(({ pages }) => pages[0] === '/small');
  const smallEnded = ofSmall.filter(({ pages }) => pages.length === 1).length;
  expect(answer.paths.map(({ pages, sessions }) => [pages, sessions])).toEqual([
    ['/* > /goal', visits.length - ended - (ofSmall.length - smallEnded)],
    ['/* > (visit ends)', ended - smallEnded],
    ['/small > /goal', ofSmall.length - smallEnded],
    ['/small > (visit ends)', smallEnded],
  ]);
});
