import { expect, it } from 'vitest';
import { shownHints } from '../../src/lib/hint.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openOffline, writeRun } from './convert/converted-runs.ts';
import { asked } from './warehouse/loaded-project.ts';

const days = (first: number, last: number) => ({ from: `2026-11-${first}T00:00:00.000Z`, to: `2026-11-${last + 1}T00:00:00.000Z` });
const KEYS = { project_id: 1201, user_id: 7, session_id: 1 };

/** Sessions of the 10th to the 16th, views of the 12th to the 14th. */
function project() {
  const workspace = openOffline(temporaryFolder());
  const sessions = JSON.stringify({ ...KEYS, session_time: '2026-11-12T10:00:00Z', device_id: 2 });
  const views = JSON.stringify({ ...KEYS, view_number: 1, view_time: '2026-11-12T10:00:00Z', path: '/' });
  writeRun(workspace, { runId: 501, ...days(10, 16), fields: [...Object.keys(KEYS), 'session_time', 'device_id'], files: [sessions] });
  writeRun(workspace, {
    runId: 601,
    jobId: 32,
    scope: 'views',
    ...days(12, 14),
    fields: [...Object.keys(KEYS), 'view_number', 'view_time', 'path'],
    files: [views],
  });
  return workspace;
}

it.each([
  ['of one view, whatever its columns are called', 'SELECT path, count(*) AS sessions FROM views GROUP BY path', 12, 14],
  ['of the other', 'SELECT count(*) AS views FROM sessions AS s', 10, 16],
  ['of both where they are joined', 'SELECT path, device_id FROM views v JOIN sessions s USING (session_id) WHERE device_id = 2', 12, 14],
  ['of all where one need not have a row', 'SELECT device_id FROM sessions LEFT JOIN views USING (session_id)', 10, 16],
  ['of both where they are listed', 'SELECT s.device_id FROM sessions s, views v WHERE s.session_id = v.session_id', 10, 16],
])('the range is %s', { tags: 'nightly' }, async (_, sql, first, last) => {
  const workspace = project();
  try {
    const { drawnDays } = await asked(workspace, sql);
    expect(drawnDays).toEqual([{ startMs: Date.UTC(2026, 10, first), endMs: Date.UTC(2026, 10, last + 1) }]);
  } finally {
    await workspace.close();
  }
});

it('days whose rows lack the column that is asked by are told apart from days that are not here', async () => {
  const workspace = project();
  writeRun(workspace, {
    runId: 701,
    jobId: 33,
    ...days(17, 18),
    fields: [...Object.keys(KEYS), 'session_time', 'session_date'],
    files: [JSON.stringify({ ...KEYS, session_id: 9, session_time: '2026-11-17T10:00:00Z', session_date: '2026-11-17' })],
  });
  try {
    const sql = "SELECT count(*) FROM sessions WHERE session_date BETWEEN '2026-11-15' AND '2026-11-19'";
    const { notes, answer } = await asked(workspace, sql);
    expect(answer).toMatch(/^The downloads cover only 4 of the 5 days, from 15 to 18 Nov\. /);
    expect(notes.map((note) => shownHints(note))).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Not in the data: 2026-11-19 (1 day, UTC).'),
        expect.stringContaining(
          'The rows of 2026-11-15 … 2026-11-16 (2 days, UTC) are here without session_date, so the condition leaves them out. ' +
            'session_time is in all of them.',
        ),
      ]),
    );
  } finally {
    await workspace.close();
  }
});
