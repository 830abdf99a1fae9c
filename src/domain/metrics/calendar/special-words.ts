import { median } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { SpecialDays } from './special-days.ts';

/** Ordinary days of the same weekday that say what is usual, the nearest ones. */
const NEAREST = 8;
/** Special days that do less are not worth a word. */
const LEAST_EFFECT = 0.08;
const MOST_NAMES = 4;

/** Special days of one name and what they did against ordinary days of their weekdays. */
interface Occasion {
  readonly name: string;
  readonly days: string[];
  readonly logs: number[];
}

const weekdayOf = (label: string) => new Date(Date.parse(label)).getUTCDay();

function occasionsOf(points: readonly DailyPoint[], labels: ReadonlySet<string>, specialDays: SpecialDays): Occasion[] {
  const values = points.map(({ label, numerator, denominator }) => ({ label, log: Math.log(Math.max(0.5, numerator) / denominator) }));
  const ordinary = values.filter(({ label }) => !specialDays(label));
  const occasions = new Map<string, Occasion>();
  for (const { label, log } of values) {
    const day = labels.has(label) ? specialDays(label) : undefined;
    if (!day) continue;
    const alike = ordinary
      .filter((other) => weekdayOf(other.label) === weekdayOf(label))
      .toSorted((a, b) => Math.abs(Date.parse(a.label) - Date.parse(label)) - Math.abs(Date.parse(b.label) - Date.parse(label)))
      .slice(0, NEAREST);
    if (alike.length === 0) continue;
    const own = occasions.get(day.name) ?? { name: day.name, days: [], logs: [] };
    own.days.push(label);
    own.logs.push(log - median(alike.map((other) => other.log)));
    occasions.set(day.name, own);
  }
  return [...occasions.values()];
}

/** Days as they follow each other: those of two years are two ranges. */
function daysText(days: readonly string[]): string {
  const ranges: [string, string][] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && Date.parse(day) - Date.parse(last[1]) <= DAY_MS) last[1] = day;
    else ranges.push([day, day]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from} to ${to}`)).join(' and ');
}

/**
 * One sentence: the special days among some labels and what they did to a metric, against the nearest ordinary days of their weekdays;
 * empty where none did much. `name` is that of the metric in a sentence.
 */
export function specialSentence(
  points: readonly DailyPoint[],
  labels: ReadonlySet<string>,
  specialDays: SpecialDays,
  name: string,
): string {
  const sizeOf = ({ logs }: Occasion) => logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const clear = occasionsOf(points, labels, specialDays)
    .filter((occasion) => Math.abs(sizeOf(occasion)) >= LEAST_EFFECT)
    .toSorted((a, b) => Math.abs(sizeOf(b)) - Math.abs(sizeOf(a)));
  if (clear.length === 0) return '';
  const texts = clear
    .slice(0, MOST_NAMES)
    .map(
      (occasion) =>
        `${occasion.name} (${daysText(occasion.days)}) ${formatPercent(100 * Math.expm1(sizeOf(occasion)), { sign: true, digits: 0 })}`,
    );
  return `Special days, ${name} against usual days of the same weekdays: ${texts.join(', ')}.`;
}
