import { describe, expect, it } from 'vitest';
import { lines, runsOnDisk } from './runs-on-disk.ts';

const KEYS = ['project_id', 'user_id', 'session_id'];
const session = (id: number, more: object = {}) => ({ project_id: 1201, user_id: 7, session_id: id, ...more });

describe('runs that overlap', () => {
  const first = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-11T00:00:00.000Z', exportedAt: '2026-11-11T02:00:00.000Z' };
  const again = { from: '2026-11-10T00:00:00.000Z', to: '2026-11-12T00:00:00.000Z', exportedAt: '2026-11-12T02:00:00.000Z' };
  const fields = [...KEYS, 'session_number_of_views'];
  const views = (id: number, count: number) => session(id, { session_number_of_views: count });

  it('count each row once, as the last export has it, whatever the order of the runs', { tags: 'nightly' }, async () => {
    for (const [early, late] of [
      [first, again],
      [
        { ...first, exportedAt: again.exportedAt },
        { ...again, exportedAt: first.exportedAt },
      ],
    ] as const) {
      const { records, view } = runsOnDisk(
        { ...early, fields, files: [lines(views(1, 10), views(2, 20))] },
        { ...late, fields, files: [lines(views(2, 21)), lines(views(3, 30))] },
        { from: '2026-11-12T00:00:00.000Z', to: '2026-11-13T00:00:00.000Z', fields, files: [lines(views(4, 40), views(4, 40))] },
      );
      expect(await records('SELECT session_id, session_number_of_views AS n FROM data ORDER BY ALL')).toEqual([
        { session_id: '1', n: 10 },
        { session_id: '2', n: early === first ? 21 : 20 },
        { session_id: '3', n: 30 },
        { session_id: '4', n: 40 },
        { session_id: '4', n: 40 },
      ]);
      expect((await view()).notes).toEqual(['Some runs overlap: each row counts once, as the last export has it.']);
    }
  });

  it('may be three, of other formats and fields: the last export is the one whose columns count', { tags: 'nightly' }, async () => {
    const day = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-10T00:00:00.000Z' };
    const { records } = runsOnDisk(
      {
        ...day,
        exportedAt: '2026-11-12T02:00:00.000Z',
        fields: [...KEYS, 'city'],
        files: [lines(session(1, { city: 'Ulm' }))],
        gzip: false,
      },
      { ...day, exportedAt: '2026-11-10T02:00:00.000Z', fields, files: [lines(views(1, 1), views(2, 2)), lines(views(3, 3))] },
      {
        ...day,
        exportedAt: '2026-11-11T02:00:00.000Z',
        fields,
        format: 'CSV',
        files: ['session_number_of_views,session_id,user_id,project_id\r\n20,2,7,1201\r\n'],
      },
    );
    expect(await records('SELECT session_id, session_number_of_views AS n, city FROM data ORDER BY ALL')).toEqual([
      { session_id: '1', n: null, city: 'Ulm' },
      { session_id: '2', n: 20, city: null },
      { session_id: '3', n: 3, city: null },
    ]);
  });

  it('of several jobs read on where a column is in the files of other days alone', { tags: 'nightly' }, async () => {
    const day = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-10T00:00:00.000Z' };
    const { records } = runsOnDisk(
      { ...day, jobId: 31, exportedAt: '2026-11-11T02:00:00.000Z', fields, files: [lines(views(1, 1))] },
      { ...day, jobId: 32, exportedAt: '2026-11-12T02:00:00.000Z', fields: [...KEYS, 'city'], files: [lines(session(1, { city: 'Ulm' }))] },
      { ...again, jobId: 33, fields: [...KEYS, 'country_code'], files: [lines(session(2, { country_code: 'DE' }))] },
    );
    expect(await records('SELECT session_id, session_number_of_views AS n, city, country_code AS country FROM data ORDER BY ALL')).toEqual([
      { session_id: '1', n: 1, city: 'Ulm', country: null },
      { session_id: '2', n: null, city: null, country: 'DE' },
    ]);
  });

  it('keep the views of a session apart, and rows whose key is not whole', { tags: 'nightly' }, async () => {
    const viewFields = ['user_id', 'session_id', 'view_number', 'path'];
    const at = (number: number | null, path: string) => ({ user_id: 7, session_id: 1, view_number: number, path });
    const { records } = runsOnDisk(
      { ...first, scope: 'views', fields: viewFields, files: [lines(at(1, '/old'), at(2, '/kept'), at(null, '/odd'))] },
      { ...again, scope: 'views', fields: viewFields, files: [lines(at(1, '/new'), at(null, '/odd too'))] },
    );
    expect((await records('SELECT path FROM data ORDER BY path')).map(({ path }) => path)).toEqual(['/kept', '/new', '/odd', '/odd too']);
  });

  it('are told of where the key was not exported', { tags: 'nightly' }, async () => {
    const { records, view } = runsOnDisk(
      { ...first, fields: ['session_id'], files: [lines({ session_id: 1 })] },
      { ...again, fields: ['session_id'], files: [lines({ session_id: 1 })] },
    );
    expect(await records('SELECT count(*) AS n FROM data')).toEqual([{ n: 2 }]);
    expect((await view()).notes).toEqual([
      'Rows may repeat: runs 501, 502 overlap, and without user_id in the export, a row and its later version cannot be matched.',
    ]);
  });

  it('cost nothing where they only meet: no key is compared', async () => {
    const { view } = runsOnDisk({ fields, files: [lines(views(1, 1))] }, { fields, files: [lines(views(1, 1))] });
    const { setup, notes } = await view();
    expect(setup).not.toMatch(/JOIN|GROUP BY/);
    expect(notes).toEqual([]);
  });
});
