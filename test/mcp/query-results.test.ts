import { describe, expect, it } from 'vitest';
import { resultsOf } from '../../src/mcp/query-results.ts';
import type { ProjectWorkspace } from '../../src/workspace/project-workspace.ts';

/** Nothing of a workspace is used but that it is one and the same. */
const workspace = () => ({}) as ProjectWorkspace;
const rows = (text: string, count = 1) => ({ columns: ['a', 'b'], rows: Array.from({ length: count }, () => [text, null]) });

describe('results of queries', () => {
  it('are kept as CSV, each session its own, the latest first', () => {
    const [mine, theirs] = [resultsOf(workspace()), resultsOf(workspace())];
    const id = mine.keep({ columns: ['text', 'list', 'none'], rows: [['a "b", c', [1, null], null]] });
    expect(mine.find(id)).toBe('text,list,none\r\n"a ""b"", c","[1,null]",\r\n');
    expect(theirs.find(id)).toBeUndefined();
    expect(mine.ids()).toEqual([id]);
    expect(mine.keep(rows('x'))).toBe(id + 1);
    expect(mine.ids()).toEqual([id + 1, id]);
  });

  it('make room for later ones, ten for a session', () => {
    const results = resultsOf(workspace());
    const ids = Array.from({ length: 12 }, (_, index) => results.keep(rows(String(index))));
    expect(results.ids()).toEqual(ids.slice(2).toReversed());
    expect(results.find(ids[1] ?? 0)).toBeUndefined();
    expect(results.find(ids[2] ?? 0)).toBe('a,b\r\n2,\r\n');
  });

  it('take no more than 64 million characters of all sessions together', () => {
    const [early, late] = [resultsOf(workspace()), resultsOf(workspace())];
    const long = 'x'.repeat(1_000_000);
    const first = early.keep(rows(long, 20));
    const second = early.keep(rows(long, 20));
    const third = late.keep(rows(long, 30));
    expect([early.find(first), early.ids()]).toEqual([undefined, [second]]);
    expect(late.find(third)?.length).toBeGreaterThan(30_000_000);
  });
});
