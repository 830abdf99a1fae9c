import { dayAfter } from '../../lib/calendar.ts';
import { atItsPlace, isWithin, type Places } from '../change-places.ts';
import { factorsOf } from '../metric-names.ts';
import { dayPoints } from '../read/day-points.ts';
import { PARTS } from '../read/metric-grid.ts';
import { areNear, changesOf, DAYS_BEFORE, isDay, isOn, measuredAt, onceASeason, type SiteChange } from '../site-changes.ts';
import type { CausesInput } from './causes.ts';
import { type Change, earlierOf } from './change.ts';
import { CLEAR_P_VALUE } from './judged-changes.ts';
import type { Reading } from './readings.ts';

/** Where the changes of a metric may lie. */
function placesOf(metric: string, { readings, parts, segments, judged }: CausesInput): Places<Reading> {
  const shown = judged.devicesOf(metric).flatMap(({ reading, changes }) => changes.map((change) => ({ metric, reading, change })));
  return {
    all: [...readings, ...parts.filter((part) => !readings.includes(part)), ...segments.chosen.map(({ reading }) => reading)],
    looked: PARTS.length + segments.all.length,
    shown,
  };
}

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
      if (isShown && isOn(each.change, days) && each.change.low * each.change.high > 0)
        placed.push(atItsPlace(each, placesOf(metric, input)));
    }
  }
  // Each once: by the part or the factor that carries it, else as it was placed first.
  const located = placed.filter((own, at) => {
    const others = placed.filter((other, index) => index < at || other.metric !== own.metric || other.reading !== own.reading);
    return toldFor(own, others) === undefined;
  });
  return onceASeason(located, (own) => own);
}
