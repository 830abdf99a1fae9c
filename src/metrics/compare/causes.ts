import { OTHER_DEVICE } from '../read/metric-grid.ts';
import { type Change, differenceOf } from './change.ts';
import { explain, type GroupValues, partition, splitRevenue } from './contributions.ts';
import type { JudgedChanges, PeriodsInput } from './judged-changes.ts';
import { judgeReading, type NamedReading, type Reading } from './readings.ts';

/** Segments that may have caused a change. */
export interface SegmentReadings {
  /** Both ranges of all that were looked at. */
  readonly all: readonly GroupValues[];
  /** Days of those whose change differs most from that of all other visits. */
  readonly chosen: readonly NamedReading[];
}

/** The input of a search for the causes of a change between two periods. */
export interface CausesInput extends PeriodsInput {
  readonly judged: JudgedChanges;
  readonly segments: SegmentReadings;
  /** Whether causes are wanted: devices, segments, factors of revenue. */
  readonly explains: boolean;
}

/** The causes of the headline; parts that do not apply are undefined. */
export type Causes = ReturnType<typeof explainHeadline>;

/** The devices' parts of a change, and their own changes; undefined where they do not divide it. */
export function deviceCause(change: Change, whole: Reading, { devices, windows, judged }: CausesInput) {
  const { metric } = change;
  const difference = differenceOf(change);
  const named = devices.map(({ device, before, after }) => ({ name: device, before, after }));
  const parts = devices.length > 0 ? partition(metric, whole, named, OTHER_DEVICE) : undefined;
  const explained = difference === null || !parts ? undefined : explain(metric, difference, parts, windows.factors);
  if (!explained) return undefined;
  return {
    explained,
    verdictOf: (device: string) => judged.devicesOf(metric).find(({ reading }) => reading.device === device),
  };
}

/** The segments' parts of the headline, each beside all other visits, and their own changes. */
function segmentCauses(whole: Reading, { windows, judged, segments: { chosen } }: CausesInput) {
  const { headline } = judged;
  const { metric } = headline;
  const difference = differenceOf(headline) ?? 0;
  return chosen.flatMap(({ name, reading }) => {
    const groups = partition(metric, whole, [{ name, before: reading.before, after: reading.after }], `not ${name}`);
    const apart = groups && explain(metric, difference, groups, windows.factors);
    return apart ? [{ apart, verdict: judgeReading(reading, metric) }] : [];
  });
}

function takings(values: Reading['before'], scale: number) {
  const { visits, conversionCount, revenueSum } = values;
  const scaled = (value: number | null | undefined) => (value ?? 0) * scale;
  return { visits: scaled(visits), conversions: scaled(conversionCount), revenue: scaled(revenueSum) };
}

/** The factors of revenue, where it is compared and can be split. */
function revenueCause(whole: Reading, { windows: { factors }, judged }: CausesInput) {
  const { before, after } = whole;
  const change = judged.changes.find(({ metric }) => metric === 'revenueSum');
  const split = change && !whole.isOfOtherGoal && splitRevenue(takings(before, factors.before), takings(after, factors.after));
  if (!change || !split) return undefined;
  return { split, difference: differenceOf(change) ?? 0 };
}

/** Searches the causes of the headline of one selection: devices, segments, factors of revenue. */
export function explainHeadline(input: CausesInput) {
  const { readings, segments, explains, judged } = input;
  const [whole] = readings;
  return {
    whole,
    byDevice: whole && deviceCause(judged.headline, whole, input),
    bySegment: whole && !judged.isNoise && segments.all.length > 0 ? segmentCauses(whole, input) : undefined,
    revenue: explains && whole && readings.length === 1 ? revenueCause(whole, input) : undefined,
  };
}
