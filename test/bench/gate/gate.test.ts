import { expect, test } from 'vitest';
import type { GateRow } from '../gate-row.ts';
import { compare, tableOf } from './compare.ts';

const share = (what: string, value: number, more: Partial<GateRow> = {}): GateRow => ({
  what,
  value,
  unit: '%',
  better: 'higher',
  ...more,
});
const stateOf = (row: GateRow, landed: number) => compare([row], { [row.what]: landed })[0]?.state;

test('A figure is held against the landed one in its own direction, beyond what two runs differ by', () => {
  expect(stateOf(share('power', 90.5), 90)).toBe('as landed');
  expect(stateOf(share('power', 92), 90)).toBe('better');
  expect(stateOf(share('power', 88), 90)).toBe('worse');
  expect(stateOf(share('false', 3, { better: 'lower' }), 1)).toBe('worse');
  expect(stateOf(share('time', 1.1, { better: 'lower', unit: 's' }), 1)).toBe('as landed');
  expect(stateOf(share('time', 1.2, { better: 'lower', unit: 's' }), 1)).toBe('worse');
  expect(stateOf(share('text', 103, { better: 'lower', unit: 'tokens' }), 100)).toBe('worse');
  expect(stateOf(share('power', Number.NaN), 90)).toBe('worse');
});

test('A row that is new and one that is gone are both said', () => {
  const states = compare([share('new', 1)], { old: 2 }).map(({ what, state, landed }) => [what, state, landed]);
  expect(states).toEqual([
    ['new', 'new', undefined],
    ['old', 'gone', 2],
  ]);
});

test('A bound is held in the direction of the figure, and not by a figure that is none', () => {
  const rows = [
    share('at', 90, { bound: 90 }),
    share('under', 89, { bound: 90 }),
    share('over', 6, { better: 'lower', bound: 5 }),
    share('none', Number.NaN, { bound: 5 }),
    share('free', 0),
  ];
  expect(compare(rows, {}).map(({ isBeyond }) => isBeyond)).toEqual([false, true, true, true, false]);
});

test('The table marks what got worse and what is beyond its bound', () => {
  expect(tableOf(compare([share('power', 80, { bound: 85 })], { power: 90 }))).toContain(
    '| power | 80 % | 90 | ≥ 85 | WORSE, BEYOND ITS BOUND |',
  );
});
