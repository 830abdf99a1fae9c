import { findReasons, type Reasons } from '../engine/reasons.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import { OTHER_DEVICE } from '../read/metric-grid.ts';
import { type Cause, deviceSentence, effectsOf, isMix, type MovedShare, opposedSentence, segmentSentence } from './cause-words.ts';
import { type Comparison, deviceRecord, type GroupVerdict, revenueRecord, rowOf, segmentRecord, sumsOf } from './comparison-rows.ts';
import type { Windows } from './comparison-windows.ts';
import {
  aloneSentence,
  type Change,
  changeSentence,
  changeText,
  differenceOf,
  earlierSentence,
  othersSentence,
} from './comparison-words.ts';
import { type Explained, explain, findPartition, type GroupValues, partition, splitRevenue } from './contributions.ts';
import { daysOf, type JudgedChanges, occasionOf, type PeriodsInput } from './judged-changes.ts';
import { isChanged, type Judged, judgeReading, type Reading, sinceOf } from './readings.ts';
import { revenueSentence } from './revenue-words.ts';

/** Segments that may have caused a change. */
export interface SegmentReadings {
  /** Both ranges of all that were looked at. */
  readonly all: readonly GroupValues[];
  /** Days of those whose change differs most from that of all other visits. */
  readonly chosen: readonly { readonly name: string; readonly reading: Reading }[];
}

/** The input of a comparison of two periods with its causes. */
export interface CausesInput extends PeriodsInput {
  readonly judged: JudgedChanges;
  readonly segments: SegmentReadings;
  readonly currency: string | undefined;
  /** Whether causes are wanted: devices, segments, factors of revenue. */
  readonly explains: boolean;
}

/** A comparison with what a chart and the search for events need beside the answer. */
export interface PeriodsResult {
  readonly data: Pick<Comparison, 'answer' | 'columns' | 'rows' | 'devices' | 'sums' | 'segments' | 'revenue'>;
  readonly headline: Change;
  /** The judged whole and devices of the headline. */
  readonly judged: readonly Judged[];
  /** Neither the headline nor a device of it stands out: there is nothing to explain. */
  readonly isNoise: boolean;
  /** The headline by devices, where they explain it. */
  readonly byDevice: Explained | undefined;
  /** The one device that changed, where there is one. */
  readonly leader: string | undefined;
  /** The headline by each segment and its complement. */
  readonly bySegment: readonly Explained[];
  /** The factors of revenue, where it can be split. */
  readonly factors: ReturnType<typeof revenueRecord> | undefined;
}

/** Devices as causes of one change. */
interface DeviceCause extends Cause {
  readonly explained: Explained;
  readonly verdictOf: (device: string) => GroupVerdict | undefined;
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
    isSteady: !judged.devicesOf(metric).some(isChanged),
    verdictOf(device) {
      const own = judged.devicesOf(metric).find(({ reading }) => reading.device === device);
      return own && { judged: own, change: reasons.groups.find(({ name }) => name === device) };
    },
  };
}

/** The segments' parts of the headline, and their own changes. */
function segmentCauses({ headline, hidden }: JudgedChanges, whole: Reading, { windows, segments: { all, chosen } }: CausesInput) {
  const { metric } = headline;
  const difference = differenceOf(headline) ?? 0;
  const explainedBy = (parts: readonly GroupValues[], rest: string) => {
    const groups = partition(metric, whole, parts, rest);
    return groups && explain(metric, difference, groups, windows.factors);
  };
  const groups = chosen.map(({ name, reading }) => ({ name, days: daysOf(reading, metric) }));
  const reasons = findReasons(occasionOf(headline, whole, hidden, windows), groups, all.length);
  const explained = chosen.flatMap(({ name, reading }) => {
    const apart = explainedBy([{ name, before: reading.before, after: reading.after }], `not ${name}`);
    const change = reasons.groups.find((group) => group.name === name);
    return apart ? [{ apart, verdict: { judged: judgeReading(reading, metric), change } }] : [];
  });
  const parts = findPartition(whole, all);
  const divided: Cause | undefined = parts && {
    of: parts.map(({ name }) => name).join(' and '),
    explained: explainedBy(parts, 'no segment of these'),
    reasons,
    isSteady: false,
  };
  return { reasons, explained, divided };
}

/** The segment whose share of the visits moved most, where that is 3 points or more. */
function movedSegmentOf(whole: Reading | undefined, segments: readonly GroupValues[]): MovedShare | undefined {
  const percentOf = (values: GroupValues['before'], all: GroupValues['before'] = {}) =>
    (100 * (values['visits'] ?? 0)) / (all['visits'] || 1);
  const shares = segments.map(({ name, before, after }) => ({
    name,
    before: percentOf(before, whole?.before),
    after: percentOf(after, whole?.after),
  }));
  const [most] = shares.toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  return most && Math.abs(most.after - most.before) >= LEAST_MOVED ? most : undefined;
}

/** Points. */
const LEAST_MOVED = 3;
/** Moved shares that make less of a change are not worth a line. */
const LEAST_MIX = 0.1;

function isWorthMix(explained: Explained): boolean {
  return Math.abs(effectsOf(explained).mix) >= LEAST_MIX * Math.abs(explained.change);
}

/** The segments' parts of the headline, where their moved shares are worth a line. */
function segmentSums(divided: Cause | undefined) {
  return divided?.explained && isWorthMix(divided.explained) ? [sumsOf(divided.of, divided.explained)] : [];
}

const COLUMNS = [
  'metric',
  'unit',
  'before',
  'after',
  'change',
  'changePercent',
  'levelPercent',
  'noisePercent',
  'detectablePercent',
  'verdict',
  'since',
  'sinceChangePercent',
];

/**
 * Tells what changed between two periods: a row for each metric and selection, and where there is one selection, the causes of the
 * headline.
 */
export function comparePeriods(input: CausesInput): PeriodsResult {
  const { windows, readings, devices, currency, explains, judged } = input;
  const { factors } = windows;
  const { changes, headline, hidden, isNoise } = judged;
  const [whole] = readings;
  const byDevice = whole && devices.length > 0 ? deviceCause(headline, whole, input) : undefined;
  const bySegment = whole && !isNoise && input.segments.all.length > 0 ? segmentCauses(judged, whole, input) : undefined;
  const revenueChange = changes.find(({ metric }) => metric === 'revenueSum');
  const split =
    explains && readings.length === 1 && whole && revenueChange
      ? splitRevenue(takings(whole.before, factors.before), takings(whole.after, factors.after))
      : undefined;
  const revenueDifference = (revenueChange && differenceOf(revenueChange)) ?? 0;
  const isHeadlineChanged = isChanged(headline.judgement);
  const divided = isHeadlineChanged && !(byDevice?.explained && isMix(byDevice.explained)) ? bySegment?.divided : undefined;
  const sentences = [
    changeSentence(headline, currency),
    earlierSentence(headline),
    isHeadlineChanged
      ? byDevice && deviceSentence(byDevice, movedSegmentOf(whole, input.segments.all))
      : hidden && hiddenSentence(headline, hidden, windows),
    whole && byDevice && opposedDevices(byDevice, whole, input),
    bySegment && segmentSentence(divided, bySegment.reasons),
    split && revenueChange && isChanged(revenueChange.judgement) ? revenueSentence(split, revenueDifference, currency) : '',
    othersSentence(changes.filter((change) => change !== headline)),
  ];
  const revenueFactors = split && revenueRecord(split, revenueDifference, currency);
  // Amounts are shown with their cents.
  const money = definitionOf(headline.metric)?.unit === 'currency' && currency !== undefined ? { unit: currency } : {};
  const isLabelled = readings.length > 1;
  const sums = [...(byDevice ? [sumsOf(byDevice.of, byDevice.explained)] : []), ...segmentSums(bySegment?.divided)];
  return {
    data: {
      answer: sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' '),
      columns: [...(isLabelled ? ['of'] : []), ...COLUMNS],
      rows: changes.map((change) => rowOf(change, isLabelled, currency)),
      ...(byDevice && {
        devices: byDevice.explained.groups.map((group) => ({
          ...deviceRecord(group, isNoise ? undefined : byDevice.explained.change, byDevice.verdictOf(group.name)),
          ...money,
        })),
      }),
      ...(sums.length > 0 && { sums: sums.map((each) => ({ ...each, ...money })) }),
      ...(bySegment && {
        segments: bySegment.explained.map(({ apart, verdict }) => ({ ...segmentRecord(apart, verdict), ...money })),
      }),
      ...(revenueFactors && { revenue: revenueFactors }),
    },
    headline,
    judged: judged.judgedOf(headline.metric),
    isNoise,
    byDevice: isNoise ? undefined : byDevice?.explained,
    leader: hidden?.reading.device ?? byDevice?.reasons.named,
    bySegment: bySegment?.explained.map(({ apart }) => apart) ?? [],
    factors: revenueFactors,
  };
}

function takings(values: Reading['before'], scale: number) {
  const { visits, conversionCount, revenueSum } = values;
  const scaled = (value: number | null | undefined) => (value ?? 0) * scale;
  return { visits: scaled(visits), conversions: scaled(conversionCount), revenue: scaled(revenueSum) };
}

/**
 * Devices that moved against each other, in the headline or, where that is their mix, in visits; empty where their own sentence tells it.
 */
function opposedDevices(byDevice: DeviceCause, whole: Reading, input: CausesInput): string {
  const { headline, changes, hidden } = input.judged;
  if (!isMix(byDevice.explained)) {
    const isTold = isChanged(headline.judgement) && byDevice.reasons.named === undefined;
    return isTold && !hidden ? '' : opposedSentence('Devices', byDevice.reasons.groups);
  }
  const visits = changes.find(({ metric }) => metric === 'visits');
  if (!visits || visits === headline) return '';
  const occasion = occasionOf({ ...visits, since: visits.since ?? headline.since }, whole, undefined, input.windows);
  const groups = input.devices.map((reading) => ({ name: reading.device, days: daysOf(reading, 'visits') }));
  return opposedSentence(nameOf('visits'), findReasons(occasion, groups).groups);
}

/** A device that stands out although the whole does not. */
function hiddenSentence({ metric }: Change, hidden: Judged, windows: Windows): string {
  const { reading } = hidden;
  const [before, after] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
  return aloneSentence(reading.device, hidden, sinceOf(hidden, [hidden], windows), changeText(metric, before, after));
}

/** How the numbers of a comparison of periods were made, and what is not in them; docs/statistics.md explains the columns. */
export function periodNotes([whole]: readonly Judged[], { isAdjacent, isFar }: Windows): string[] {
  return [
    whole && whole.verdict !== 'not enough data'
      ? `noisePercent: chance exceeds it once in 100, for levelPercent (without weekdays and outliers); learned from ` +
        `${whole.learnedDays} days (docs/statistics.md).`
      : 'Noise: too few days with a value before the period.',
    ...(isAdjacent ? [] : ['The baseline does not end where the period begins: a change among the days between has no date.']),
    ...(isFar ? ['Drift over the time between the two ranges is not in the noise.'] : []),
  ];
}
