/** @module-tag nightly */
import { describe, expect, it } from 'vitest';
import { type Cells, holds } from '../../../../src/domain/journeys/impact/cells.ts';
import type { CellPlan } from '../../../../src/usecases/journeys/impact/cell-plan.ts';
import { cellsSql, keptSessionsSql } from '../../../../src/usecases/journeys/impact/cells-sql.ts';
import { type Profile, type ProfiledPath, textOf } from '../../../../src/usecases/journeys/impact/profile.ts';
import { readCells } from '../../../../src/usecases/journeys/impact/read-cells.ts';
import { type Sampling, samplingNote, samplingOf } from '../../../../src/usecases/journeys/impact/sampling.ts';
import type { Visits } from '../../../../src/usecases/journeys/visits.ts';
import { withVisits } from '../../../../src/usecases/journeys/with-visits.ts';
import { engines, sharedWorlds, usesOf } from '../both-engines.ts';

const worldOf = sharedWorlds();

describe('sessions of a page that are read', () => {
  const path = (views: number): ProfiledPath => ({
    path: '/p/1',
    views,
    slow: [90, 80, 70, 60, 50, 40, 30, 20].map((share) => (share / 100) * views),
    frustrated: [0, 0, 0],
    troubled: [0, 5_000, 30_000],
  });
  const profileOf = (views: number): Profile => ({
    paths: [path(views)],
    views,
    sessions: 400_000,
    frustrated: [0, 0, 0],
    browsers: [],
    countries: [],
    sources: [],
    messages: [{ value: 'Error: #', count: 1_200 }],
  });
  const conditions = [
    { what: 'slow_page', over: 5 },
    { what: 'api_error' },
    { what: 'rage_click' },
    { what: 'js_error', message: 'Error: #' },
    { what: 'page', pages: ['/guide/*'] },
  ] as const;
  const of = (views: number) => samplingOf([path(views)], conditions, profileOf(views));

  it('are all where a page has few views, and a part where it has many, but more of those that met what is rare', () => {
    expect(of(31_000)).toEqual({ oneOf: 1, met: [1, 1, 1, 1, 1] });
    // No more sessions can have reached a page than there are; 1,200,000 views were slow, 5,000 had an API error, 30,000 a rage click.
    expect(of(2_000_000)).toEqual({ oneOf: 16, met: [16, 1, 2, 1, 16] });
  });

  it('are told', () => {
    expect(samplingNote([of(31_000)])).toBeUndefined();
    expect(samplingNote([of(31_000), of(2_000_000)])).toContain('a part of them is read (1 in 16 of the largest)');
  });
});

/** Slow products, read by a sampling. */
const planOf = (sampling: Sampling, { sql }: Visits): CellPlan => ({
  pages: [{ pattern: '/p/*', sql: sql.like('path', '/p/*'), slowMs: 3_000 }],
  asked: [],
  probes: [{ on: { sql: 'load_ms > slow_ms' } }],
  samplings: [sampling],
  outcome: { kind: 'purchase' },
  browsers: [],
  countries: [],
  sources: [],
  looksAhead: false,
  judged: [0],
  met: [],
  isPlain: true,
});

describe.each(engines)('on %s', (engine) => {
  const rowsOf = (sampling: Sampling, part: string, isKept = false) => {
    const { workspace } = worldOf('whole days');
    const needs = { sessions: ['session_number_of_transactions'], views: ['fully_loaded'] };
    return withVisits({}, needs, usesOf(workspace(engine)), async (visits) => {
      const plan = planOf(sampling, visits);
      if (isKept) await visits.keep?.('kept', keptSessionsSql(plan, visits));
      const rows = await visits.select(cellsSql(plan, visits, isKept && visits.keep ? ['kept'] : undefined));
      return { plan, rows: rows.filter((row) => row['part'] === part) };
    });
  };
  const read = async (sampling: Sampling, isKept = false): Promise<Cells> => {
    const { plan, rows } = await rowsOf(sampling, 'cells', isKept);
    return readCells(rows, plan).get(0) ?? expect.fail('no session reached the page');
  };
  /** Sessions that met the condition at any view of the page, and all others, with how many of both buy. */
  const anywhere = async (sampling: Sampling) => {
    const { rows } = await rowsOf(sampling, 'plain');
    const lines = rows.flatMap((row) => textOf(row['cells']).split(';')).map((line) => line.split(' ').map(Number));
    const sum = (side: number, column: number) =>
      lines.filter(([met]) => met === side).reduce((total, line) => total + (line[column] ?? Number.NaN), 0);
    return { met: sum(1, 1), metBuyers: sum(1, 2), others: sum(0, 1), otherBuyers: sum(0, 2) };
  };
  const sums = ({ exposure, sessions }: Cells) => {
    const [others, slow] = [0, 1].map((side) =>
      sessions.reduce((sum, value, cell) => sum + (holds(exposure[cell] ?? 0, 0) === (side === 1) ? value : 0), 0),
    );
    return { others: others ?? 0, slow: slow ?? 0 };
  };

  it('one of four sessions stands for all without the rare condition, and all are there that met it', async () => {
    const [whole, part] = [await read({ oneOf: 1, met: [1] }), await read({ oneOf: 4, met: [1] })];
    const [all, some] = [sums(whole), sums(part)];
    expect(some.slow).toBe(all.slow);
    expect(all.slow).toBeGreaterThan(20);
    expect(some.others % 4).toBe(0);
    expect(some.others).not.toBe(all.others);
    // Four standard deviations of a draw of every fourth.
    expect(Math.abs(some.others - all.others)).toBeLessThan(4 * Math.sqrt(3 * all.others));
    expect(part.factor.every((factor, cell) => factor === (holds(part.exposure[cell] ?? 0, 0) ? 1 : 4))).toBe(true);
  });

  it('of a frequent condition a part is read as well, and each of its sessions stands for as many', async () => {
    const [whole, part] = [await read({ oneOf: 1, met: [1] }), await read({ oneOf: 4, met: [2] })];
    const [all, some] = [sums(whole), sums(part)];
    expect(some.slow % 2).toBe(0);
    expect(some.slow).not.toBe(all.slow);
    expect(Math.abs(some.slow - all.slow)).toBeLessThan(4 * Math.sqrt(all.slow));
    expect(part.factor.every((factor, cell) => factor === (holds(part.exposure[cell] ?? 0, 0) ? 2 : 4))).toBe(true);
  });

  it('who met the rare condition at any view is counted whole, and all others by those that stand for them', {}, async () => {
    const [whole, part] = [await anywhere({ oneOf: 1, met: [1] }), await anywhere({ oneOf: 4, met: [1] })];
    expect(whole.met).toBeGreaterThan(20);
    expect(part).toMatchObject({ met: whole.met, metBuyers: whole.metBuyers });
    expect(part.others % 4).toBe(0);
    expect(part.others).not.toBe(whole.others);
    expect(Math.abs(part.others - whole.others)).toBeLessThan(4 * Math.sqrt(3 * whole.others));
    expect(Math.abs(part.otherBuyers - whole.otherBuyers)).toBeLessThan(4 * Math.sqrt(3 * whole.otherBuyers));
  });

  it('sessions that the engine keeps are counted like those that it reads', async () => {
    const sampling = { oneOf: 4, met: [2] };
    expect(sums(await read(sampling, true))).toEqual(sums(await read(sampling)));
  });
});
