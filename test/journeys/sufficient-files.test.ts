import { describe, expect, it } from 'vitest';
import { sufficiencyWords } from '../../src/journeys/sufficient-files.ts';
import { shownHints } from '../../src/lib/hint.ts';

const run = (scope: string, day: number, fields: readonly string[]) => ({
  scope,
  from: `2026-11-${day}T00:00:00.000Z`,
  to: `2026-11-${day + 1}T00:00:00.000Z`,
  fields: fields.map((fieldName) => ({ fieldName })),
});
const views = (day: number, ...without: readonly string[]) =>
  run(
    'VIEWS',
    day,
    ['user_id', 'session_id', 'view_number', 'view_time', 'path'].filter((field) => !without.includes(field)),
  );
const sessions = (day: number, ...more: readonly string[]) => run('SESSIONS', day, ['user_id', 'session_id', 'session_time', ...more]);
const said = (runs: Parameters<typeof sufficiencyWords>[0], absent: readonly string[] = []) =>
  sufficiencyWords(runs)
    .map((sentence) => shownHints(sentence, new Set(absent)))
    .filter((sentence) => sentence !== '');

describe('for which tools over visits the files suffice', () => {
  it('is said of days that have all that a tool reads', () => {
    const runs = [views(11), views(12), sessions(12, 'session_number', 'session_number_of_transactions'), sessions(13, 'session_number')];
    expect(said(runs)).toEqual([
      'analyze_funnel, analyze_paths: the files suffice over 2026-11-11 … 2026-11-12 (2 days, UTC).',
      'measure_impact: the files suffice over 2026-11-12 (1 day, UTC).',
      'analyze_retention: the files suffice over 2026-11-12 … 2026-11-13 (2 days, UTC).',
    ]);
  });

  it('names the fields, scopes or days that are lacking, and leaves what brings them to the tools', () => {
    const way = 'a call says what brings it.';
    expect(said([views(11, 'path'), sessions(12, 'session_number_of_transactions')])).toEqual([
      `analyze_funnel, measure_impact, analyze_paths: the files lack views.path; ${way}`,
      `analyze_retention: the files lack sessions.session_number; ${way}`,
    ]);
    expect(said([views(11)])[1]).toBe(`measure_impact, analyze_retention: the files lack all sessions; ${way}`);
    expect(said([views(11), sessions(12, 'session_number_of_transactions')])[1]).toBe(
      `measure_impact: the files cover no whole day (UTC) with all that it reads; ${way}`,
    );
  });

  it('names no tool that is switched off, and nothing where nothing is here', () => {
    expect(said([views(11), sessions(11)], ['analyze_paths', 'analyze_retention'])).toEqual([
      'analyze_funnel: the files suffice over 2026-11-11 (1 day, UTC).',
      expect.stringMatching(/^measure_impact: the files lack sessions.session_number_of_transactions;/),
    ]);
    expect(said([])).toEqual([]);
  });
});
