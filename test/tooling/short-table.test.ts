import { describe, expect, it } from 'vitest';
import { shortTable } from '../../src/tooling/render-text.ts';

const COUNT = 40;
const rowsOf = (of: (at: number) => Record<string, string | number | null>) => Array.from({ length: COUNT }, (_, at) => of(at));

describe('a table of many rows', () => {
  const rows = rowsOf((at) => ({
    scenarioId: 4101 + (at % 4),
    scenario: `Checkout – number ${at % 4}`,
    step: `Step ${at}`,
    limit: at % 3,
  }));
  const columns = ['scenarioId', 'scenario', 'step', 'limit'];

  it('says what belongs to an id alone once for each, and every row', () => {
    const lines = shortTable(rows, columns).split('\n');
    expect(lines.slice(0, 5)).toEqual(['scenarioId\tscenario', ...[0, 1, 2, 3].map((at) => `${4101 + at}\tCheckout – number ${at}`)]);
    expect(lines.slice(5, 7)).toEqual(['scenarioId\tstep\tlimit', '4101\tStep 0\t0']);
    expect(lines).toHaveLength(5 + 1 + COUNT);
  });

  it('stays as it is where no id repeats, a fact differs, an id is missing, or rows are few', () => {
    const whole = (table: typeof rows) => shortTable(table, columns).split('\n')[0];
    const header = columns.join('\t');
    expect(whole(rows.map((row, at) => ({ ...row, scenarioId: at })))).toBe(header);
    expect(whole(rows.map((row, at) => ({ ...row, scenario: `${row['scenario']} ${at}` })))).toBe(header);
    expect(whole(rows.map((row, at) => (at === 3 ? { ...row, scenarioId: null } : row)))).toBe(header);
    expect(whole(rows.slice(0, 20))).toBe(header);
  });
});
