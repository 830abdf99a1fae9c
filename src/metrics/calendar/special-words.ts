import { median } from 'simple-statistics';
import { daysFrom } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { grouped, runsOf } from '../../lib/grouped.ts';
import { formatPercent } from '../../lib/number-text.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { logOf } from '../change-cost.ts';
import type { DailyPoint } from '../engine/series.ts';
import { WEEKS } from './last-year.ts';
import type { SpecialDays } from './special-days.ts';

/** Special days that do less are not worth a word. */
const LEAST_EFFECT = 0.08;
const WEEK_MS = 7 * DAY_MS;
/** Fewer ordinary days of a weekday say too little of what is usual. */
const LEAST_ALIKE = 2;
/** Standard errors that an effect must exceed: ordinary days scatter too, and several special days may lie in a range. */
const CLEAR = 2.5;
/** Variance of a median, in that of a mean of as many days. */
const MEDIAN_COST = 1.57;
/** Fewer ordinary days on a level say too little of how they scatter there. */
const LEAST_SCATTER = 7;

/** Ordinary days beside a special one that say whether its level had moved before, and the least of them. */
const [BESIDE, LEAST_BESIDE] = [14, 3];

/** A change of the level, of which a special day is no cause. */
export interface LevelChange {
  readonly from: string;
  /** Left out: it goes on. */
  readonly to?: string | undefined;
  /** −0.25 for a quarter less. */
  readonly relative: number;
}

/** Special days of one name and what they did against ordinary days of their weekdays. */
export interface Occasion {
  readonly name: string;
  /** Each with its effect, as a logarithm. */
  readonly days: readonly { readonly label: string; readonly offset: number }[];
  /** It is much, and more than chance makes. */
  readonly isClear: boolean;
}

const isIn = (day: string, { from, to = day }: LevelChange) => day >= from && day <= to;
/** The logarithm of a level that changes left of the usual one on a day. */
const levelAt = (day: string, changes: readonly LevelChange[]) =>
  changes.reduce((sum, each) => sum + (isIn(day, each) ? logOf(each.relative) : 0), 0);

/** A day against those alike, as a logarithm, and how many these are. */
interface Offset {
  readonly label: string;
  readonly offset: number;
  readonly alike: number;
}

interface LoggedDay {
  readonly label: string;
  readonly log: number;
  readonly ms: number;
  readonly weekday: number;
}

/** The ordinary days that say what is usual on a day: those of its weekday in the weeks around it. */
const alikeTo = ({ label, ms, weekday }: LoggedDay, ordinary: readonly LoggedDay[]): LoggedDay[] =>
  ordinary.filter((other) => other.weekday === weekday && other.label !== label && Math.abs(other.ms - ms) <= WEEKS * WEEK_MS);

/** How far the ordinary days beside a special one lie from those alike: what moved them too is no effect of the special day. */
function aroundOf({ label }: Offset, usual: readonly Offset[]): number {
  const distanceOf = (other: Offset) => Math.abs(Date.parse(other.label) - Date.parse(label));
  const beside = usual.toSorted((a, b) => distanceOf(a) - distanceOf(b)).slice(0, BESIDE);
  return beside.length < LEAST_BESIDE ? 0 : median(beside.map(({ offset }) => offset));
}

/** The scatter of ordinary days about those alike, on the level of the special days where enough of them lie there. */
function scatterOf(offsets: readonly Offset[], isOnLevel: (label: string) => boolean): number {
  const own = offsets.filter(({ label }) => isOnLevel(label));
  const taken = own.length >= LEAST_SCATTER ? own : offsets;
  return taken.length === 0 ? 0 : MAD_TO_SD * median(taken.map(({ offset }) => Math.abs(offset)));
}

/** The special days among some labels and what they did to a metric beside what changed it, by their names. */
export function occasionsOf(
  points: readonly DailyPoint[],
  labels: ReadonlySet<string>,
  specialDays: SpecialDays,
  changes: readonly LevelChange[],
): Occasion[] {
  const values = points.map(({ label, numerator, denominator }): LoggedDay => {
    const ms = Date.parse(label);
    const log = Math.log(Math.max(0.5, numerator) / denominator) - levelAt(label, changes);
    return { label, log, ms, weekday: new Date(ms).getUTCDay() };
  });
  const ordinary = values.filter(({ label }) => !specialDays(label));
  const offsetOf = (day: LoggedDay): Offset[] => {
    const alike = alikeTo(day, ordinary);
    return alike.length < LEAST_ALIKE
      ? []
      : [{ label: day.label, offset: day.log - median(alike.map(({ log }) => log)), alike: alike.length }];
  };
  const usual = ordinary.flatMap(offsetOf);
  const special = values.filter(({ label }) => labels.has(label) && specialDays(label)).flatMap(offsetOf);
  // What a special day did in one year says little of another.
  const named = grouped(special, ({ label }) => `${label.slice(0, 4)} ${specialDays(label)?.name ?? ''}`);
  return [...named.values()].map((own) => {
    const name = specialDays(own[0]?.label ?? '')?.name ?? '';
    const days = own.map((day) => ({ ...day, offset: day.offset - aroundOf(day, usual) }));
    const sd = scatterOf(usual, (label) => days.some((day) => levelAt(label, changes) === levelAt(day.label, changes)));
    const taught = days.reduce((sum, { alike }) => sum + alike, 0);
    const error = sd * Math.sqrt(1 / days.length + MEDIAN_COST / taught + MEDIAN_COST / BESIDE);
    const size = days.reduce((sum, { offset }) => sum + offset, 0) / days.length;
    return { name, days, isClear: Math.abs(size) > Math.max(CLEAR * error, LEAST_EFFECT) };
  });
}

const firstOf = ({ days: [first] }: Pick<Occasion, 'days'>) => first?.label ?? '';

/** Special days that follow each other as one, by the names of the first and the last. */
export function joined(occasions: readonly Occasion[]): Occasion[] {
  const runs = runsOf(
    occasions.toSorted((a, b) => firstOf(a).localeCompare(firstOf(b))),
    (run, next) => daysFrom(run.at(-1)?.days.at(-1)?.label ?? '', firstOf(next)) <= 1,
  );
  return runs.map((run) => ({
    name: [...new Set([run[0]?.name, run.at(-1)?.name])].join(' to '),
    days: run.flatMap(({ days }) => days),
    isClear: run.some(({ isClear }) => isClear),
  }));
}

/** `+80% to +110%`: what some days did, by logarithms; a mean of days that differ is what none of them did. */
export const effectText = (offsets: readonly number[]) =>
  [
    ...new Set([Math.min(...offsets), Math.max(...offsets)].map((own) => formatPercent(100 * Math.expm1(own), { sign: true, digits: 0 }))),
  ].join(' to ');

/** The special days among some labels that did much to a metric beside what changed it: `Black Friday (+80% to +110%)`. */
export const clearOccasions = (...asked: Parameters<typeof occasionsOf>): string[] =>
  joined(occasionsOf(...asked).filter(({ isClear }) => isClear)).map(
    ({ name, days }) => `${name} (${effectText(days.map(({ offset }) => offset))})`,
  );
