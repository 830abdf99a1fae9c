import { type SegmentColumn, segmentsOf } from './catalogue.ts';
import type { SessionDay } from './types.ts';

const VALUES = 256;

/** For each value of a column, the segments that it does not shut out. */
function passes(projectId: number, column: SegmentColumn): Uint16Array {
  const table = new Uint16Array(VALUES);
  for (const [bit, { rule }] of segmentsOf(projectId).entries()) {
    for (let value = 0; value < VALUES; value += 1) {
      if (rule[column]?.(value) ?? true) table[value] = (table[value] ?? 0) | (1 << bit);
    }
  }
  return table;
}

function tablesOf(projectId: number): Record<SegmentColumn, Uint16Array> {
  const table = (column: SegmentColumn) => passes(projectId, column);
  return {
    sessionNumber: table('sessionNumber'),
    country: table('country'),
    source: table('source'),
    campaign: table('campaign'),
    platform: table('platform'),
    deviceId: table('deviceId'),
    browser: table('browser'),
  };
}

const known = new Map<number, Record<SegmentColumn, Uint16Array>>();

/** Fills the segments of each session from its other columns. */
export function fillSegments(day: SessionDay): void {
  const tables = known.get(day.projectId) ?? tablesOf(day.projectId);
  known.set(day.projectId, tables);
  for (let index = 0; index < day.count; index += 1) {
    day.segments[index] =
      (tables.sessionNumber[day.sessionNumber[index] ?? 0] ?? 0) &
      (tables.country[day.country[index] ?? 0] ?? 0) &
      (tables.source[day.source[index] ?? 0] ?? 0) &
      (tables.campaign[day.campaign[index] ?? 0] ?? 0) &
      (tables.platform[day.platform[index] ?? 0] ?? 0) &
      (tables.deviceId[day.deviceId[index] ?? 0] ?? 0) &
      (tables.browser[day.browser[index] ?? 0] ?? 0);
  }
}
