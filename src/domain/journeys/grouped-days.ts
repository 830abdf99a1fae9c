import { dayText } from './covered-days.ts';

/** Monday of the week of a day; the first day of 1970 was a Thursday. */
function weekOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

/** Depths of a funnel by day or by week, which begins on Monday. */
export function groupedDays(days: ReadonlyMap<number, readonly number[]>, by: 'day' | 'week'): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [day, depths] of [...days].toSorted(([a], [b]) => a - b)) {
    const name = by === 'day' ? dayText(day) : `week of ${dayText(weekOf(day))}`;
    const own = groups.get(name) ?? [];
    groups.set(name, own);
    for (const [depth, count] of depths.entries()) own[depth] = (own[depth] ?? 0) + (count ?? 0);
  }
  return groups;
}
