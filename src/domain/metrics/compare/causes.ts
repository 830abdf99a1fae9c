import { findReasons, type Reasons } from '../engine/reasons.ts';
import { OTHER_DEVICE } from '../read/metric-grid.ts';
import { type Change, differenceOf, earlierOf } from './change.ts';
import type { GroupVerdict } from './comparison-rows.ts';
import { type Explained, explain, findPartition, type GroupValues, partition, type RevenueSplit, splitRevenue } from './contributions.ts';
import { daysOf, type JudgedChanges, occasionOf, type PeriodsInput } from './judged-changes.ts';
import type { MeasuredChange } from './measured-change.ts';
import { followingSize, measureHeadline, type OtherPlace, otherPlaces, withMeasured } from './measured-headline.ts';
import { isChanged, judgeReading, type Reading } from './readings.ts';

/** Segments that may have caused a change. */
export interface SegmentReadings {
  /** Both ranges of all that were looked at. */
  readonly all: readonly GroupValues[];
  /** Days of those whose change differs most from that of all other visits. */
  readonly chosen: readonly { readonly name: string; readonly reading: Reading }[];
}

/** The input of a search for the causes of a change between two periods. */
export interface CausesInput extends PeriodsInput {
  readonly judged: JudgedChanges;
  readonly segments: SegmentReadings;
  /** Whether causes are wanted: devices, segments, factors of revenue. */
  readonly explains: boolean;
}

/** A way to divide the visits, and what each of its groups did. */
interface Cause {
  /** The kind of the groups: `devices`, `New visitors and Returning visitors`. */
  readonly of: string;
  /** Their shares of the change; undefined where they do not divide it. */
  readonly explained: Explained | undefined;
  readonly reasons: Reasons;
}

/** Devices as causes of one change. */
export interface DeviceCause extends Cause {
  readonly explained: Explained;
  readonly verdictOf: (device: string) => GroupVerdict | undefined;
}

/** Segments as causes of one change. */
interface SegmentCauses {
  readonly reasons: Reasons;
  /** Each segment beside all other visits. */
  readonly explained: readonly { readonly apart: Explained; readonly verdict: GroupVerdict }[];
  /** Segments that divide the visits, where some do. */
  readonly divided: Cause | undefined;
}

/** The change of revenue and its factors. */
interface RevenueCause {
  readonly split: RevenueSplit;
  readonly difference: number;
  readonly isChanged: boolean;
}

/** The causes of the headline; parts that do not apply are undefined. */
export interface Causes {
  readonly whole: Reading | undefined;
  readonly byDevice: DeviceCause | undefined;
  readonly bySegment: SegmentCauses | undefined;
  readonly revenue: RevenueCause | undefined;
  /** The changes, the headline with the day and size that every tool gives it. */
  readonly judged: JudgedChanges;
  /** Where and since when the headline changed, and what that costs. */
  readonly measured: MeasuredChange | undefined;
  /** Other metrics that changed by themselves, with their devices. */
  readonly others: readonly OtherPlace[];
}

/** The devices' parts of a change, and their own changes; undefined where they do not divide it. */
function deviceCause(change: Change, whole: Reading, { devices, windows, judged }: CausesInput): DeviceCause | undefined {
  const { metric } = change;
  const difference = differenceOf(change);
  const parts = partition(
    metric,
    whole,
    devices.map(({ device, before, after }) => ({ name: device, before, after })),
    OTHER_DEVICE,
  );
  const explained = difference === null || !parts ? undefined : explain(metric, difference, parts, windows.factors);
  if (!explained) return undefined;
  const hidden = change === judged.headline ? judged.hidden : undefined;
  const groups = devices.map((reading) => ({ name: reading.device, days: daysOf(reading, metric) }));
  const reasons: Reasons =
    isChanged(change.judgement) || hidden ? findReasons(occasionOf(change, whole, hidden, windows), groups) : { groups: [] };
  return {
    of: 'devices',
    explained,
    reasons,
    verdictOf(device) {
      const own = judged.devicesOf(metric).find(({ reading }) => reading.device === device);
      return own && { judged: own };
    },
  };
}

/** The segments' parts of the headline, and their own changes. */
function segmentCauses(whole: Reading, { windows, judged, segments: { all, chosen } }: CausesInput): SegmentCauses {
  const { headline, hidden } = judged;
  const { metric } = headline;
  const difference = differenceOf(headline) ?? 0;
  const explainedBy = (parts: readonly GroupValues[], rest: string) => {
    const groups = partition(metric, whole, parts, rest);
    return groups && explain(metric, difference, groups, windows.factors);
  };
  const groups = chosen.map(({ name, reading }) => ({ name, days: daysOf(reading, metric) }));
  // Of a break that goes on from before the period the ranges hold what chance made of the days on both sides of it.
  const since = headline.since ?? earlierOf(headline);
  const reasons = findReasons(occasionOf({ ...headline, since }, whole, hidden, windows), groups, all.length);
  const explained = chosen.flatMap(({ name, reading }) => {
    const apart = explainedBy([{ name, before: reading.before, after: reading.after }], `not ${name}`);
    return apart ? [{ apart, verdict: { judged: judgeReading(reading, metric) } }] : [];
  });
  const parts = findPartition(whole, all);
  const divided: Cause | undefined = parts && {
    of: parts.map(({ name }) => name).join(' and '),
    explained: explainedBy(parts, 'no segment of these'),
    reasons,
  };
  return { reasons, explained, divided };
}

function takings(values: Reading['before'], scale: number) {
  const { visits, conversionCount, revenueSum } = values;
  const scaled = (value: number | null | undefined) => (value ?? 0) * scale;
  return { visits: scaled(visits), conversions: scaled(conversionCount), revenue: scaled(revenueSum) };
}

/** The factors of revenue, where it is compared and can be split. */
function revenueCause(whole: Reading, { windows: { factors }, judged }: CausesInput): RevenueCause | undefined {
  const { before, after } = whole;
  const change = judged.changes.find(({ metric }) => metric === 'revenueSum');
  const split = change && !whole.isOfOtherGoal && splitRevenue(takings(before, factors.before), takings(after, factors.after));
  if (!change || !split) return undefined;
  return { split, difference: differenceOf(change) ?? 0, isChanged: isChanged(change.judgement) };
}

/** The device that the change lies on, with the size that was measured there; a product with that on the days of its factor. */
function withMeasuredGroup(cause: DeviceCause, measured: MeasuredChange, { metric }: Change, devices: readonly Reading[]): DeviceCause {
  const reading = devices.find(({ device }) => device === cause.reasons.named && device === measured.device);
  if (!reading) return cause;
  const size = metric === measured.metric ? measured.change : followingSize(metric, reading, measured);
  if (!size) return cause;
  const { relative, low, high } = size;
  const groups = cause.reasons.groups.map((group) => (group.name === reading.device ? { ...group, relative, low, high } : group));
  return { ...cause, reasons: { ...cause.reasons, groups } };
}

/** The headline with the day and size that every tool gives it, and its devices. */
function measuredParts(input: CausesInput): Pick<Causes, 'measured' | 'judged' | 'byDevice'> {
  const { judged, devices, explains, readings } = input;
  const [whole] = readings;
  const found = whole && devices.length > 0 ? deviceCause(judged.headline, whole, input) : undefined;
  const measured = whole && explains ? measureHeadline(input, judged, found?.reasons) : undefined;
  if (!whole || !measured) return { measured, judged, byDevice: found };
  const own = withMeasured(judged, whole, measured);
  return { measured, judged: own, byDevice: found && withMeasuredGroup(found, measured, own.headline, devices) };
}

/** Searches the causes of the headline of one selection: devices, segments, factors of revenue. */
export function explainHeadline(input: CausesInput): Causes {
  const { readings, segments, explains } = input;
  const [whole] = readings;
  const parts = measuredParts(input);
  const own = { ...input, judged: parts.judged };
  return {
    whole,
    ...parts,
    bySegment: whole && !parts.judged.isNoise && segments.all.length > 0 ? segmentCauses(whole, own) : undefined,
    revenue: explains && whole && readings.length === 1 ? revenueCause(whole, own) : undefined,
    others: parts.byDevice ? otherPlaces(input, parts.judged, parts.measured) : [],
  };
}
