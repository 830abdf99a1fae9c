import type { Judgement } from '../engine/judge.ts';
import { type Comparison, deviceRecord, differenceOf, revenueRecord, rowOf, segmentRecord, sumsOf } from './comparison-rows.ts';
import type { Windows } from './comparison-windows.ts';
import {
  aloneSentence,
  type Change,
  changeSentence,
  changeText,
  deviceSentence,
  earlierSentence,
  leadOf,
  othersSentence,
  revenueSentence,
} from './comparison-words.ts';
import { type Explained, explain, type GroupValues, OTHER_DEVICE, rest, splitRevenue } from './contributions.ts';
import { isCount } from './days.ts';
import { isChanged, type Judged, judgeReading, type Reading, sinceOf } from './readings.ts';

/** What a comparison of two periods is made from. */
export interface PeriodsInput {
  readonly metrics: readonly string[];
  readonly windows: Windows;
  /** Those of the table; with `devices`, the first is the whole. */
  readonly readings: readonly Reading[];
  /** The devices that partition the whole. */
  readonly devices: readonly Reading[];
  /** Segments with most visits, each within the selection. */
  readonly segments: readonly GroupValues[];
  readonly labelOf: (reading: Reading) => string;
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
  /** The device whose own rate explains the headline best, where one does. */
  readonly leader: string | undefined;
  /** The headline by each segment and its complement. */
  readonly bySegment: readonly Explained[];
  /** The factors of revenue, where it can be split. */
  readonly factors: ReturnType<typeof revenueRecord> | undefined;
}

/** A device that stands out alone must do so at 0.1 %, because there are several. */
const CLEAR_SCORE = 3.3;

const standsAlone = (judged: Judgement) => isChanged(judged) && Math.abs(judged.score) > CLEAR_SCORE;

/** Devices and what is in none of them, as one partition. */
function partitionOf(whole: Reading, devices: readonly Reading[]): GroupValues[] {
  const other = {
    name: OTHER_DEVICE,
    before: rest(
      whole.before,
      devices.map(({ before }) => before),
    ),
    after: rest(
      whole.after,
      devices.map(({ after }) => after),
    ),
  };
  const isNothing = other.before['visits'] === 0 && other.after['visits'] === 0;
  return [...devices.map(({ device, before, after }) => ({ name: device, before, after })), ...(isNothing ? [] : [other])];
}

function complementOf(whole: Reading, { name, before, after }: GroupValues): GroupValues {
  return { name: `not ${name}`, before: rest(whole.before, [before]), after: rest(whole.after, [after]) };
}

/** Compares two periods: a row for each metric and selection, and what explains the headline where there is one selection. */
export function comparePeriods({
  metrics,
  windows,
  readings,
  devices,
  segments,
  labelOf,
  currency,
  explains,
}: PeriodsInput): PeriodsResult {
  const { factors } = windows;
  const isPerDay = factors.before !== 1 || factors.after !== 1;
  const judgedOf = (metric: string) => [...readings, ...devices].map((reading) => judgeReading(reading, metric));
  const judged = new Map(metrics.map((metric) => [metric, judgedOf(metric)]));
  const changes = metrics.flatMap((metric) =>
    readings.map((reading, index): Change => {
      const own = judged.get(metric)?.[index];
      if (!own) throw new TypeError(`${metric} was not judged.`);
      const candidates = devices.length > 0 ? (judged.get(metric) ?? []) : [own];
      const [before, after] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
      const isScaled = isPerDay && isCount(metric);
      const compared = isScaled
        ? { before: before === null ? null : before * factors.before, after: after === null ? null : after * factors.after }
        : { before, after };
      const labels = reading.periodDays.flatMap(({ interval }) => (interval.isPart ? [] : (interval.label ?? [])));
      return {
        metric,
        before,
        after,
        compared,
        isPerDay: isScaled,
        // Without a value on each side there is nothing that the verdict of the days could be about.
        judgement: before === null || after === null ? { ...own, verdict: 'not enough data' } : own,
        since: sinceOf(own, candidates, windows),
        days: { first: labels[0] ?? '', last: labels.at(-1) ?? '' },
        of: labelOf(reading),
      };
    }),
  );
  const deviceJudged = (metric: string) => (judged.get(metric) ?? []).slice(readings.length);
  const hidden = changes.find(({ metric }) => deviceJudged(metric).some(standsAlone));
  const headline =
    changes.find(({ judgement }) => isChanged(judgement)) ??
    hidden ??
    changes.find((change) => differenceOf(change) !== null) ??
    changes[0];
  if (!headline) throw new TypeError('There is nothing to compare.');
  const isNoise = !isChanged(headline.judgement) && headline !== hidden;

  const [whole] = readings;
  const groups = whole && devices.length > 0 ? partitionOf(whole, devices) : [];
  // What is within noise has no cause to be sought.
  const worth = changes.filter((change) => change === headline || isChanged(change.judgement));
  const explained = worth.flatMap((change): Explained[] => {
    const difference = differenceOf(change);
    const split = difference === null || groups.length === 0 ? undefined : explain(change.metric, difference, groups, factors);
    return split ? [split] : [];
  });
  const pairs = whole && !isNoise ? segments.map((segment) => ({ segment, complement: complementOf(whole, segment) })) : [];
  const told = pairs.flatMap((pair) => segmentRecord(headline, pair, factors) ?? []);
  const revenueChange = changes.find(({ metric }) => metric === 'revenueSum');
  const split =
    explains && readings.length === 1 && whole && revenueChange
      ? splitRevenue(takings(whole.before, factors.before), takings(whole.after, factors.after))
      : undefined;
  const revenueDifference = (revenueChange && differenceOf(revenueChange)) ?? 0;

  const main = explained.find(({ metric }) => metric === headline.metric);
  const sentences = [
    changeSentence(headline, currency),
    earlierSentence(headline),
    isChanged(headline.judgement) && main
      ? deviceSentence(
          main,
          told.map(({ own }) => own),
          deviceJudged(headline.metric).some(isChanged),
        )
      : hiddenSentence(headline, deviceJudged(headline.metric), windows),
    split && revenueChange && (revenueChange === headline || isChanged(revenueChange.judgement))
      ? revenueSentence(split, revenueDifference)
      : '',
    othersSentence(changes.filter((change) => change !== headline)),
  ];
  const revenueFactors = split && revenueRecord(split, revenueDifference);
  const isLabelled = readings.length > 1;
  const verdictOf = (metric: string, name: string) => deviceJudged(metric).find(({ reading }) => reading.device === name)?.verdict;
  return {
    data: {
      answer: sentences.filter((sentence) => sentence !== '').join(' '),
      columns: [
        ...(isLabelled ? ['of'] : []),
        'metric',
        'unit',
        'before',
        'after',
        'change',
        'changePercent',
        'noisePercent',
        'verdict',
        'since',
        'sinceChangePercent',
      ],
      rows: changes.map((change) => rowOf(change, isLabelled, currency)),
      ...(explained.length > 0 && {
        devices: explained.flatMap(({ metric, groups: each, change }) =>
          each.map((group) => deviceRecord(metric, group, isNoise ? undefined : change, verdictOf(metric, group.name))),
        ),
        sums: explained.map(sumsOf),
      }),
      ...(told.length > 0 && { segments: told.map(({ record }) => record) }),
      ...(revenueFactors && { revenue: revenueFactors }),
    },
    headline,
    judged: judged.get(headline.metric) ?? [],
    isNoise,
    byDevice: isNoise ? undefined : main,
    leader: !isNoise && main ? leadOf(main)?.name : undefined,
    bySegment: told.map(({ explained: apart }) => apart),
    factors: revenueFactors,
  };
}

function takings(values: Reading['before'], scale: number) {
  const { visits, conversionCount, revenueSum } = values;
  const scaled = (value: number | null | undefined) => (value ?? 0) * scale;
  return { visits: scaled(visits), conversions: scaled(conversionCount), revenue: scaled(revenueSum) };
}

/** A device that stands out although the whole does not. */
function hiddenSentence({ metric }: Change, devices: readonly Judged[], windows: Windows): string {
  const [first] = devices.filter(standsAlone).toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  if (!first) return '';
  const { reading } = first;
  const [before, after] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
  return aloneSentence(reading.device, first, sinceOf(first, [first], windows), changeText(metric, before, after));
}

/** How the numbers of a comparison of periods were made: methods, formulas, and what is not in them. */
export function periodNotes(
  { rows, devices, sums, segments, revenue }: Comparison,
  judged: readonly Judged[],
  { isAdjacent, isFar }: Windows,
): string[] {
  const [whole] = judged;
  const hasRates = [...(sums ?? []), ...(segments ?? [])].some(({ mix }) => mix !== undefined);
  const hasOther = devices?.some(({ device }) => String(device).startsWith('other')) ?? false;
  return [
    whole && whole.verdict !== 'not enough data'
      ? `Noise: the change of the level that chance exceeds once in 100, from ${whole.learnedDays} days before the period (weekdays, overdispersion, autocorrelation and slow drift estimated; docs/statistics.md).`
      : 'Noise: too few days with a value before the period.',
    ...(rows.some((row) => row.at(-2) !== null)
      ? ['since: the first day of the change that the scan of start days finds; sinceChangePercent: its level against the days before it.']
      : []),
    ...(isAdjacent ? [] : ['The baseline does not end where the period begins: a change among the days between has no date.']),
    ...(isFar ? ['Drift over the time between the two ranges is not in the noise.'] : []),
    ...(hasRates
      ? [
          'mix = Δshare of visits × (mean rate − mean rate of all), rate = mean share × Δrate, means over both ranges; with the remainder they add up to the change (in points).',
        ]
      : []),
    ...(hasOther ? ['Other or unknown device: all minus desktop, mobile and tablet, by subtraction of counts.'] : []),
    ...(segments
      ? [
          `Segments overlap, so their rows do not add up: each is split against all other visits (counts subtracted), where ${hasRates ? 'mix + rate + rateOfOthers' : 'contribution + ofOthers'} + remainder is the change.`,
        ]
      : []),
    ...(revenue
      ? ['revenue = visits × conversion × basket, basket = revenue / conversions; logarithmic means (LMDI) make the three add up.']
      : []),
  ];
}
