import { expect, it, onTestFinished } from 'vitest';
import { openOffline, writeRun } from '../convert/converted-runs.ts';
import { scratchDirectory } from '../download/store-stub.ts';
import { asked } from '../warehouse/loaded-project.ts';
import { lines } from './runs-on-disk.ts';

const SQL = 'SELECT session_id, label FROM sessions ORDER BY session_id';
const FIELDS = ['session_id', 'label'];
const day = (date: number) => ({ from: `2026-11-${date}T00:00:00.000Z`, to: `2026-11-${date + 1}T00:00:00.000Z` });

function project(odd: string) {
  const dir = scratchDirectory();
  const raw = openOffline(dir);
  const converting = openOffline(dir, { keepSource: true });
  onTestFinished(async () => void (await Promise.all([raw.close(), converting.close()])));
  writeRun(raw, { runId: 501, ...day(18), fields: FIELDS, files: [lines({ session_id: 'a', label: 'x' }, odd)] });
  writeRun(raw, { runId: 502, ...day(19), fields: FIELDS, files: [lines({ session_id: 'c', label: 'y' })] });
  return { raw, converting };
}

it('a value that ends in half a character is shown with U+FFFD, and whole characters and backslashes stay, before and after', async () => {
  const { raw, converting } = project(String.raw`{"session_id":"b","label":"\ud83d\ude00 \\ud83d caf \ud83d"}`);
  const expected = {
    rows: [
      ['a', 'x'],
      ['b', '\u{1F600} \\ud83d caf \uFFFD'],
      ['c', 'y'],
    ],
    notes: expect.arrayContaining(['In run 501 some values end in half a character, which is shown as \uFFFD.']),
  };
  expect(await asked(raw, SQL)).toMatchObject(expected);
  await converting.runs();
  await converting.converted();
  expect((await converting.runs()).map(({ table }) => table?.isMended)).toEqual([true, undefined]);
  expect(await asked(converting, SQL)).toMatchObject(expected);
});

it('a run with a broken line is left out by name, and the others answer', async () => {
  const { raw } = project('{"session_id":"b","label":');
  const { rows, notes } = await asked(raw, SQL);
  expect(rows).toEqual([['c', 'y']]);
  expect(notes).toContain('Run 501 of job 31 is left out: part-00001.jsonl.gz, line 2 is not valid JSON.');
});
