import { dayAfter } from '../../../lib/calendar.ts';
import { grouped } from '../../../lib/grouped.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { factorsOf } from '../change-cost.ts';
import { areNear, changesOfMetric, ERROR } from '../compare/changes-of-metric.ts';
import { dayPoints, kindOf } from '../compare/readings.ts';
import type { DatedChange } from '../engine/changes.ts';
import { measureChange } from '../engine/measure.ts';
import { findReasons } from '../engine/reasons.ts';
import { LONGEST_EPISODE_DAYS } from '../engine/seek.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { PARTS } from '../read/metric-grid.ts';
import { askedOf } from '../read/metric-query.ts';
import { type ExpectedInput, keyOf } from './expected-lines.ts';

/** A change that began this many days before the first row is no longer news. */
const LATELY_DAYS = 56;

/** A change in one selection. */
export interface FoundChange {
  readonly metric: string;
  readonly device: string;
  readonly change: DatedChange;
  /** Conversions beside it are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean | undefined;
  /** The goal that the metric counts, where it is another than that of the metrics beside it. */
  readonly goal?: string | undefined;
  /** Names the selection. */
  readonly key: string;
  /** Days of the selection, and of the metric in it. */
  readonly rows: readonly MetricRow[];
  readonly points: readonly DailyPoint[];
}

/**
 * Lasting changes that begin on a day or later, in each selection and metric that was asked for, as every tool tells them. Where days
 * after the rows are known, `last` is the last day of these.
 */
export function changesFrom({ query, days, known }: ExpectedInput, from: string, last = '9'): FoundChange[] {
  const asked = askedOf(query);
  const selections = [...grouped(days, ({ selection }) => keyOf(selection))];
  const searched = new Set(asked.flatMap((metric) => [metric, ...factorsOf(metric)]));
  const most = ERROR / Math.max(1, searched.size * selections.length);
  const found = selections.flatMap(([key, rows]) => {
    const ofDays = rows.map((row) => ({ ...row, known }));
    const pointsOf = (metric: string) => dayPoints(ofDays, metric);
    const device = rows[0]?.selection.device ?? 'all';
    const isOfOtherGoal = rows[0]?.isOfOtherGoal;
    const all = asked.flatMap((metric) => changesOfMetric(metric, factorsOf(metric, { isOfOtherGoal }), { pointsOf, from, most }));
    const once = new Map(all.map((each) => [`${each.metric} ${each.change.from} ${each.change.to ?? ''}`, each]));
    const among = [...once.values()].filter(({ change }) => change.from <= last);
    return among.map(({ metric, change }) => {
      return { key, metric, device, change, rows, points: pointsOf(metric), ...(isOfOtherGoal && { isOfOtherGoal }) };
    });
  });
  // What lasted for longer and is over was a level between two changes, and is no story of these rows.
  const lasting = found.filter(({ change }) => change.to === undefined || change.days <= LONGEST_EPISODE_DAYS);
  return lasting.filter((own) => !lasting.some((other) => isMadeBy(own, other))).toSorted((a, b) => a.change.pValue - b.change.pValue);
}

/** Whether a product changed on the day on which one of its factors did, whose cost in it is told. */
function isMadeBy(own: FoundChange, other: FoundChange): boolean {
  const isFactor = own.metric !== other.metric && own.key === other.key && factorsOf(own.metric, own).includes(other.metric);
  return isFactor && areNear(own.change, other.change);
}

/**
 * Changes that begin among some rows, of which `last` is the last day, by the days after these too: one that nothing but the last day
 * showed is of that day alone.
 */
export function changesWithLater(
  among: readonly FoundChange[],
  later: ExpectedInput,
  [first, last]: readonly [string, string],
): FoundChange[] {
  const found = changesFrom(later, first, last);
  const goesOn = (own: FoundChange) =>
    found.some(({ key, metric, change }) => key === own.key && metric === own.metric && areNear(change, own.change));
  const alone = among.filter((own) => own.change.to === undefined && own.change.from === last && !goesOn(own));
  return [...found, ...alone.map((own) => ({ ...own, change: { ...own.change, to: last } }))].toSorted(
    (a, b) => a.change.pValue - b.change.pValue,
  );
}

/** Changes shortly before some rows, of which `first` is the first day, that these lie in whole. */
export function changesBefore(input: ExpectedInput, first: string): FoundChange[] {
  return changesFrom(input, dayAfter(first, -LATELY_DAYS)).filter(({ change }) => change.from < first && change.to === undefined);
}

/** The days of all devices and of each, of one set of visits. */
interface DeviceDays {
  readonly rows: readonly MetricRow[];
  readonly known: KnownDays;
}

/** A change of all devices on the one that moved otherwise than the rest, with its size and cost there; itself where none did. */
function onItsDevice(own: FoundChange, { rows, known }: DeviceDays): FoundChange {
  const { metric, change } = own;
  const whole = rows.find(({ selection }) => keyOf(selection) === own.key);
  if (own.device !== 'all' || !whole) return own;
  const kind = kindOf(metric);
  const keyAt = (device: MetricRow['selection']['device']) => keyOf({ ...whole.selection, device });
  const rowsAt = (key: string) => rows.filter(({ selection }) => keyOf(selection) === key);
  const daysAt = (key: string) =>
    dayPoints(
      rowsAt(key).map((row) => ({ ...row, known })),
      metric,
    );
  const groups = PARTS.map((device) => ({ name: device, days: daysAt(keyAt(device)) })).filter(({ days }) => days.length > 0);
  const all = daysAt(own.key);
  const to = change.to ?? all.at(-1)?.label ?? change.from;
  const { named, groups: moved } = findReasons({ kind, whole: all, from: change.from, to, periodFrom: change.from }, groups);
  const device = PARTS.find((name) => name === named);
  const { relative = null, low = null, high = null } = moved.find(({ name }) => name === named) ?? {};
  if (!device || relative === null || low === null || high === null) return own;
  const key = keyAt(device);
  const found = measureChange(kind, daysAt(key), { from: change.from, to: change.to, relative, low, high });
  if (!found) return own;
  return { ...own, key, device, change: found, rows: rowsAt(key), points: daysAt(key) };
}

/** Changes where they happened, each once: what a device alone did is told of it, and costs what it cost there. */
export function atTheirDevices(changes: readonly FoundChange[], days: DeviceDays): FoundChange[] {
  const placed = changes.map((change) => onItsDevice(change, days));
  const once = new Map(placed.map((own) => [`${own.key} ${own.metric} ${own.change.from} ${own.change.to ?? ''}`, own]));
  return [...once.values()];
}
