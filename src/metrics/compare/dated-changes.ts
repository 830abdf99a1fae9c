import { dayAfter } from '../../lib/calendar.ts';
import { LAST } from '../engine/scan.ts';
import { factorsOf } from '../metric-names.ts';
import { combined } from '../read/combine.ts';
import { dayPoints, metricsToRead } from '../read/day-points.ts';
import { OTHER_DEVICE } from '../read/metric-grid.ts';
import { onceASeason } from '../season.ts';
import {
  type AskedDays,
  areNear,
  changesOf,
  DAYS_BEFORE,
  foundInPart,
  isDay,
  isOn,
  measuredAt,
  type NamedVisits,
  onItsPart,
  onTheWhole,
  pointsKnown,
  type SiteChange,
} from '../site-changes.ts';
import type { CausesInput } from './causes.ts';
import { type Change, earlierOf } from './change.ts';
import { type Explained, explain, type GroupValues, partition } from './contributions.ts';
import { CLEAR_P_VALUE } from './judged-changes.ts';
import type { Reading } from './readings.ts';

/** A change that made that of a metric on the one device, else the one segment, that moved unlike the rest; itself where none did. */
function narrowed(own: SiteChange<Reading>, { parts, segments, judged }: CausesInput): SiteChange<Reading> {
  const { metric, reading } = own;
  const devices = parts.filter(
    (part) => part !== reading && part.segmentIds.length === reading.segmentIds.length && isWithin(part, reading),
  );
  const named = devices.map((part) => ({ name: part.device, reading: part }));
  // A device that shows it and makes it needs no test beside the others.
  const shown = judged.devicesOf(metric).filter((device) => devices.includes(device.reading));
  const found = foundInPart(
    own,
    shown.flatMap(({ reading: part, changes }) => changes.map((each) => ({ metric, reading: part, change: each }))),
  );
  if (found) return measuredAt(found);
  const chosen = segments.chosen.filter((segment) => isWithin(segment.reading, reading));
  return onItsPart(own, named) ?? (isDay(own) ? undefined : onItsPart(own, chosen, segments.all.length)) ?? own;
}

/** Whether all visits of one reading are visits of another one. */
const isWithin = (part: Reading, whole: Reading) =>
  part.zoneId === whole.zoneId &&
  (whole.device === 'all' || part.device === whole.device) &&
  whole.segmentIds.every((id) => part.segmentIds.includes(id));

/** Whether a change is one of a metric, or of what it is the product of, on some visits. */
export const isOf = ({ metric, reading }: SiteChange<Reading>, of: string, whole: Reading) =>
  isWithin(reading, whole) && (metric === of || factorsOf(of, whole).includes(metric));

/** The change among some by which another one is told: the same of its metric or of a factor, on its visits or a part of these. */
export const toldFor = ({ metric, reading, change }: SiteChange<Reading>, told: readonly SiteChange<Reading>[]) =>
  told.find((each) => areNear(each.change, change) && isOf(each, metric, reading));

/** The changes that days show by themselves: of all visits, where these show none of the headline on each device. */
function shownBy(change: Change, reading: Reading, { readings, devices, windows, judged }: CausesInput): SiteChange<Reading>[] {
  if (!readings.includes(reading)) return [];
  const { metric, days } = change;
  const lately = dayAfter(days.first, -DAYS_BEFORE);
  const [first = lately] = windows.isAdjacent ? dayPoints(reading.baselineDays, metric).map(({ label }) => label) : [];
  const found = (on: Reading, count: number) =>
    changesOf(on, metric, first < lately ? first : lately, CLEAR_P_VALUE / judged.changes.length / count).filter((own) =>
      isOn(own.change, days),
    );
  const ofAll = found(reading, 1);
  if (ofAll.length > 0 || change !== judged.headline) return ofAll;
  return devices.filter((device) => isWithin(device, reading)).flatMap((device, _, own) => found(device, own.length));
}

/**
 * The changes that have a day in the period, each by its factor and on the part that carries it: those of the headline first, whatever the
 * baseline shows of them, and single days of it of the headline.
 */
export function datedChanges(input: CausesInput): SiteChange<Reading>[] {
  const { readings, judged } = input;
  const { changes, headline, hidden } = judged;
  const placed: SiteChange<Reading>[] = [];
  const place = (own: SiteChange<Reading>) => {
    // A device or a segment that shows it best need not be the one that made it.
    const wider = readings.filter((each) => isWithin(own.reading, each));
    const whole = wider.find((each) => wider.every((other) => isWithin(other, each)));
    placed.push(narrowed((whole && onTheWhole(own, whole)) ?? own, input));
  };
  const asked = changes.map((change, at) => ({
    change,
    reading: readings[at % readings.length],
    mains: [change.since, earlierOf(change)],
  }));
  const alone = hidden ? [{ change: headline, reading: hidden.reading, mains: [hidden.main] }] : [];
  for (const { change, reading, mains } of [...alone, ...asked].toSorted(
    (a, b) => Number(b.change === headline) - Number(a.change === headline),
  )) {
    const { metric, days } = change;
    if (!reading || days.first === '') continue;
    const found = mains.flatMap((each) => (each ? [measuredAt({ metric, reading, change: each })] : []));
    for (const each of [...found, ...shownBy(change, reading, input)]) {
      // A day is told of what was asked first, or where it was asked about.
      const isShown = !isDay(each) || change === headline || days.first === days.last;
      // What is left of a change beside an earlier one may be nothing.
      if (isShown && isOn(each.change, days) && each.change.low * each.change.high > 0) place(each);
    }
  }
  // Each once: by the part or the factor that carries it, else as it was placed first.
  const located = placed.filter((own, at) => {
    const others = placed.filter((other, index) => index < at || other.metric !== own.metric || other.reading !== own.reading);
    return toldFor(own, others) === undefined;
  });
  return onceASeason(located, ({ metric, reading, change }) => {
    const { device, segmentIds, zoneId } = reading;
    return { metric, place: [device, zoneId, ...segmentIds].join(' '), points: pointsKnown(reading, metric), change };
  });
}

/** A part of the visits on the days before a change and on those of it. */
export function besideChange(name: string, { known }: Reading, { metric, change: { from, to } }: SiteChange<Reading>): GroupValues {
  const valuesOn = (days: AskedDays) => {
    const rows = known.filter(
      ({ interval: { label, isPart } }) => label !== undefined && !isPart && isOn({ from: label, to: label }, days),
    );
    const parts = rows.map(({ values }) => values);
    return Object.fromEntries(metricsToRead([metric]).map((each) => [each, combined(parts, each)]));
  };
  const before = { first: dayAfter(from, -DAYS_BEFORE), last: dayAfter(from, -1) };
  return { name, before: valuesOn(before), after: valuesOn({ first: from, last: to ?? LAST }) };
}

/** A dated change by parts of the visits on its own days, a count by that of a day; undefined where they do not divide it. */
export function onItsDays(own: SiteChange<Reading>, whole: Reading, parts: readonly NamedVisits<Reading>[]): Explained | undefined {
  const { metric, change } = own;
  const values = parts.map(({ name, reading }) => besideChange(name, reading, own));
  const groups = parts.length > 0 ? partition(metric, besideChange('', whole, own), values, OTHER_DEVICE) : undefined;
  const explained = groups && explain(metric, 0, groups, { before: 1 / DAYS_BEFORE, after: 1 / change.days });
  return explained && { ...explained, change: explained.groups.reduce((sum, { contribution }) => sum + contribution, 0) };
}
