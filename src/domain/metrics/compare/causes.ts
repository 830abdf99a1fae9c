import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { type FoundChange, measureChange, sizeOfDays } from '../engine/measure.ts';
import { findReasons, type Reasons } from '../engine/reasons.ts';
import type { Effect } from '../engine/scan.ts';
import { OTHER_DEVICE } from '../read/metric-grid.ts';
import { type Change, differenceOf, earlierOf, isSameChange } from './change.ts';
import { type Explained, explain, findPartition, type GroupValues, partition, type RevenueSplit, splitRevenue } from './contributions.ts';
import { daysOf, type JudgedChanges, occasionOf, type PeriodsInput, pointsKnown } from './judged-changes.ts';
import type { MeasuredChange } from './measured-change.ts';
import { isChanged, type Judged, judgeReading, kindOf, type Reading } from './readings.ts';

const pValueOf = ({ main }: Judged) => main?.pValue ?? 1;

/** The factor of a product that changed most clearly, with the selections that show it; undefined where none did. */
function factorBehind(metric: string, { readings: [whole], devices }: PeriodsInput, { judgedOf }: JudgedChanges) {
  if (!whole) return undefined;
  const found = factorsOf(metric, whole).map((factor) => {
    const known = judgedOf(factor);
    const judged = known.length > 0 ? known : [whole, ...devices].map((reading) => judgeReading(reading, factor));
    return { metric: factor, judged: judged.filter((own) => isChanged(own) && own.main) };
  });
  const [first] = found
    .flatMap(({ metric: factor, judged }) => judged.map((own) => ({ metric: factor, own })))
    .toSorted((a, b) => pValueOf(a.own) - pValueOf(b.own));
  return first;
}

/** A change with a date at the place where it was found. */
export interface DatedPlace {
  readonly metric: string;
  readonly reading: Reading;
  readonly change: DatedChange;
}

/** Where a change lies, and its size there as it was found. */
interface Located {
  readonly reading: Reading;
  readonly found: FoundChange;
}

/** A part of the visits that a change may lie in, by its name. */
interface NamedReading {
  readonly name: string;
  readonly reading: Reading;
}

/** The one part that moved unlike the rest, with its own size; undefined where none did. `reasons` are those of the parts, if known. */
function locatedPart(
  change: Change,
  since: DatedChange,
  parts: readonly NamedReading[],
  { readings: [whole], windows }: PeriodsInput,
  { reasons, looked }: { readonly reasons?: Reasons | undefined; readonly looked?: number | undefined } = {},
): Located | undefined {
  if (!whole) return undefined;
  const groups = parts.map(({ name, reading }) => ({ name, days: daysOf(reading, change.metric) }));
  const { named, groups: moved } = reasons ?? findReasons(occasionOf({ ...change, since }, whole, undefined, windows), groups, looked);
  const reading = parts.find(({ name }) => name === named)?.reading;
  const { relative = null, low = null, high = null } = moved.find(({ name }) => name === named) ?? {};
  if (!reading || relative === null || low === null || high === null) return undefined;
  return { reading, found: { from: since.from, to: since.to, relative, low, high } };
}

/** A device that stands out alone: by the factor that its product follows from, where one changed. */
function locatedDevice({ metric, reading, main }: Judged): (Located & { metric: string }) | undefined {
  const changed = factorsOf(metric, reading)
    .map((factor) => judgeReading(reading, factor))
    .filter((own) => isChanged(own) && own.main);
  const [clearest] = changed.toSorted((a, b) => pValueOf(a) - pValueOf(b));
  const found = clearest?.main ?? main;
  return found && { metric: clearest?.metric ?? metric, reading, found };
}

/** The change that is to be measured, of the headline, its factor or the device that stands out alone. */
function locatedHeadline(
  input: PeriodsInput,
  judged: JudgedChanges,
  reasons: Reasons | undefined,
): (Located & { metric: string }) | undefined {
  const { headline, hidden } = judged;
  if (hidden) return locatedDevice(hidden);
  const { since } = headline;
  if (!since || !isChanged(headline.judgement)) return undefined;
  const factor = factorBehind(headline.metric, input, judged);
  const metric = factor?.metric ?? headline.metric;
  const dated = factor?.own.main ?? since;
  const [whole] = input.readings;
  const devices = input.devices.map((reading) => ({ name: reading.device, reading }));
  const located = locatedPart({ ...headline, metric }, dated, devices, input, { reasons: factor ? undefined : reasons });
  return whole && { ...(located ?? { reading: whole, found: dated }), metric };
}

/** Measures the change of the headline where it has a first day; `reasons` are those of its devices, where they are known. */
function measureHeadline(input: PeriodsInput, judged: JudgedChanges, reasons: Reasons | undefined): MeasuredChange | undefined {
  if (input.readings.length !== 1 || !input.windows.isAdjacent) return undefined;
  const located = locatedHeadline(input, judged, reasons);
  const change = located && measureChange(kindOf(located.metric), pointsKnown(located.reading, located.metric), located.found);
  if (!change) return undefined;
  const { metric, reading } = located;
  return { metric, device: reading.device, change };
}

/** A change on the one device, else the one segment, that moved unlike the rest; itself where none did. */
export function narrowed(own: DatedPlace, change: Change, input: CausesInput): DatedPlace {
  const { metric, change: dated } = own;
  const { devices, segments, judged } = input;
  const at = (parts: readonly NamedReading[], looked?: number) =>
    parts.length > 0 ? locatedPart({ ...change, metric }, dated, parts, input, { looked }) : undefined;
  // The segments that were read are those in which the headline moved unlike the rest.
  const chosen = change.metric === judged.headline.metric ? segments.chosen : [];
  // A device that alone shows it by itself needs no test beside the others.
  const shown = judged.devicesOf(metric).flatMap(({ reading, changes }): Located[] => {
    const found = changes.find((each) => each.shape === dated.shape && isSameChange(each, dated));
    return found ? [{ reading, found }] : [];
  });
  const [alone] = shown.length === 1 ? shown : [];
  const located = alone ?? at(devices.map((reading) => ({ name: reading.device, reading }))) ?? at(chosen, segments.all.length);
  if (!located) return own;
  const { relative, low, high } = located.found;
  return measuredAt({ metric, reading: located.reading, change: { ...dated, relative, low, high } });
}

/** A change as every tool dates and sizes it: by all days that are known and not by the ranges of the question. */
export const measuredAt = ({ metric, reading, change }: DatedPlace): DatedPlace => ({
  metric,
  reading,
  change: measureChange(kindOf(metric), pointsKnown(reading, metric), change) ?? change,
});

/** Days by which the first day of the same change may be found off. */
const NEAR_MS = 3 * 86_400_000;
const isNear = (a: string, b: string) => Math.abs(Date.parse(a) - Date.parse(b)) <= NEAR_MS;

/** Whether a size is one of this direction, of which chance leaves no doubt: bounds that hold 0 are no rise and no fall. */
const isOfWay = ({ relative, low, high }: Effect, way: number) => relative * way > 0 && low * high > 0;

/** The size that a product has in a reading on the days of its factor, where it moved with it. */
export function followingSize(metric: string, reading: Reading, { change }: MeasuredChange): Effect | undefined {
  const size = factorsOf(metric, reading).length > 0 ? sizeOfDays(kindOf(metric), daysOf(reading, metric), change) : undefined;
  return size && isOfWay(size, change.relative) ? size : undefined;
}

/** The change of a product on the days of its factor: it follows, so it has no first day of its own. */
function following({ metric, judgement }: Change, whole: Reading, measured: MeasuredChange): DatedChange | undefined {
  const { change } = measured;
  const isMoved = metric !== measured.metric && isChanged(judgement) && (judgement.relative ?? 0) * change.relative > 0;
  const size = isMoved ? followingSize(metric, whole, measured) : undefined;
  return size && { ...change, relative: size.relative, low: size.low, high: size.high };
}

/** The headline with the first day that was measured, and its size where it was measured there; what follows from it has the same day. */
function withMeasured(judged: JudgedChanges, whole: Reading, measured: MeasuredChange): JudgedChanges {
  const { metric, device, change } = measured;
  const { from, to, days, earliest, latest } = change;
  const changes = judged.changes.map((own): Change => {
    const product = following(own, whole, measured);
    if (product) return { ...own, since: product };
    const isSame = own.since && isNear(own.since.from, from) && (own.since.to === undefined) === (to === undefined);
    if (!own.since || !isSame || (own !== judged.headline && own.metric !== metric)) return own;
    if (device === 'all' && own.metric === metric) return { ...own, since: change };
    // Where a device dates the change, its size in all visits is that of these days.
    const size = own.judgement.main?.from === from ? undefined : sizeOfDays(kindOf(own.metric), daysOf(whole, own.metric), change);
    const { relative, low, high } = size && isOfWay(size, own.since.relative) ? size : own.since;
    return { ...own, since: { ...own.since, relative, low, high, from, days, earliest, latest, ...(to !== undefined && { to }) } };
  });
  return { ...judged, changes, headline: changes[judged.changes.indexOf(judged.headline)] ?? judged.headline };
}

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
  readonly verdictOf: (device: string) => Judged | undefined;
}

/** Segments as causes of one change. */
interface SegmentCauses {
  readonly reasons: Reasons;
  /** Each segment beside all other visits. */
  readonly explained: readonly { readonly apart: Explained; readonly verdict: Judged }[];
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
    verdictOf: (device) => judged.devicesOf(metric).find(({ reading }) => reading.device === device),
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
    return apart ? [{ apart, verdict: judgeReading(reading, metric) }] : [];
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
  };
}
