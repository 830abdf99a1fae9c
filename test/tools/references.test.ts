import { describe, expect, it } from 'vitest';
import type { ToolAnswer } from '../support/assistant.ts';
import { someOf } from '../support/sample-size.ts';
import { useTools, WEEK } from './support.ts';

interface Listed {
  readonly id: string;
  readonly name: string;
}

/** The ids and names of the list in an answer, under whatever names it has them. */
function listedIn({ structured, isError, text }: ToolAnswer, [member, id, name]: readonly [string, string, string]): Listed[] {
  expect(isError, text).toBe(false);
  const rows = structured[member] as Record<string, string | number>[];
  return rows.map((row) => ({ id: `${row[id]}`, name: `${row[name]}` }));
}

/** How each kind of object is listed, and a tool that takes it. */
const KINDS: Readonly<
  Record<string, readonly [list: string, members: readonly [string, string, string], tool: string, argument: string, more?: object]>
> = {
  segment: ['list_segments', ['segments', 'id', 'name'], 'get_site_visits', 'segmentIds', WEEK],
  goal: ['list_goals', ['goals', 'id', 'name'], 'get_site_conversions', 'goalId', WEEK],
  mapping: ['list_mappings', ['mappings', 'id', 'name'], 'list_page_groups', 'mappingId'],
  scenario: ['list_scenarios', ['scenarios', 'id', 'name'], 'list_scenario_reports', 'scenarioId', { limit: 1 }],
  'export job': ['list_export_jobs', ['jobs', 'jobId', 'name'], 'get_export_job', 'jobId'],
};

describe.each(someOf([1, 23, 404], 1))('in the world %i', (seed) => {
  const { call } = useTools({}, { seed });

  it.each(Object.entries(KINDS))(
    'each %s of a list is taken by its id, and by its name where only one has it; else the candidates are listed with their ids',
    async (_, [list, members, tool, argument, more]) => {
      const all = listedIn(await call(list), members);
      expect(all.length).toBeGreaterThan(1);
      for (const { id, name } of all) {
        const byId = await call(tool, { ...more, [argument]: id });
        expect(byId.isError, `${tool} ${argument} ${id}: ${byId.text}`).toBe(false);
        const same = all.filter((other) => other.name.toLowerCase() === name.toLowerCase());
        const byName = await call(tool, { ...more, [argument]: name });
        expect(byName.isError, `${tool} ${argument} ${name}: ${byName.text}`).toBe(same.length > 1);
        const unnamed = byName.isError ? same.filter((other) => !byName.text.includes(other.id)) : [];
        expect(unnamed).toEqual([]);
      }
    },
  );

  it('instants and ids of runs that a list of reports prints are taken where a date or a run is asked for', {
    tags: 'nightly',
  }, async () => {
    const { structured } = await call('list_scenario_reports', { scenarioId: 4101, lastDays: 3, limit: 20 });
    const { columns, rows } = structured as { columns: string[]; rows: (string | number)[][] };
    const at = columns.findIndex((name) => name === 'time' || name === 'date');
    for (const row of rows.slice(0, 10)) {
      const date = row[at];
      const one = await call('get_scenario_report', { scenarioId: 4101, date });
      expect(one.isError, `${String(date)}: ${one.text}`).toBe(false);
      const [step] = one.structured['steps'] as { stepResultId: string }[];
      for (const tool of ['get_step_report', 'analyze_har']) {
        const own = await call(tool, { scenarioStepResultId: step?.stepResultId });
        expect(own.isError, `${tool}: ${own.text}`).toBe(false);
      }
    }
  });

  it('instants and ids of runs that events, runs of exports and changes print are taken as dates, each with its zone', {
    tags: 'nightly',
  }, async () => {
    const texts = await Promise.all([
      call('list_speed_events', {}),
      call('list_export_runs', { jobId: 'Daily sessions' }),
      call('analyze_scenario', { scenarioIds: [4105] }),
    ]);
    const instants = texts
      .flatMap(({ text }) => text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?[^\s,;)]*/g) ?? [])
      .map((text) => text.replace(/[.:]$/, ''));
    expect(new Set(instants).size).toBeGreaterThan(10);
    for (const instant of new Set(instants)) {
      expect(instant).toMatch(/(?:Z|[+-]\d\d:\d\d)$/);
      const answer = await call('list_speed_events', { dateFrom: instant });
      expect(answer.text).not.toContain('is not a recognised date');
    }
  });
});
