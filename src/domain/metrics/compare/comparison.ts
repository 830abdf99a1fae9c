import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { measureChange } from '../engine/measure.ts';
import { findReasons } from '../engine/reasons.ts';
import { definitionOf, nameOf } from '../metric-definitions.ts';
import { deviceSentence, effectsOf, isMix, makerSentence, opposedSentence, segmentSentence } from './cause-words.ts';
import type { Causes, CausesInput, DeviceCause } from './causes.ts';
import { type Comparison, changeTable, deviceRecord, revenueRecord, segmentRecord, sumsOf } from './comparison-rows.ts';
import type { Windows } from './comparison-windows.ts';
import {
  aloneSentence,
  type Change,
  changeSentence,
  changeText,
  type Earlier,
  earlierOf,
  earlierPlace,
  earlierSentence,
  isSameChange,
  onlyEarlier,
  othersSentence,
} from './comparison-words.ts';
import type { Explained } from './contributions.ts';
import { toldSizes } from './device-sizes.ts';
import { rateSentence, splitSentence, withRates } from './figure-words.ts';
import { CLEAR_P_VALUE, daysOf, occasionOf } from './judged-changes.ts';
import { changeRecord, costOnDays, type MeasuredChange, measuredCostText } from './measured-change.ts';
import { endSentence, measuredSentences, otherPlaceSentences } from './measured-words.ts';
import { allDaysOf, isChanged, type Judged, judgeReading, kindOf, type Reading, sinceOf } from './readings.ts';
import { REVENUE_FACTORS, revenueSentence } from './revenue-words.ts';

/** A comparison with what a chart and the search for events need beside the answer. */
export interface PeriodsResult {
  readonly data: Pick<Comparison, 'answer' | 'columns' | 'rows' | 'devices' | 'sums' | 'segments' | 'revenue' | 'change'>;
  readonly headline: Change;
  /** The sentences on the headline alone. */
  readonly finding: string;
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

/** Moved shares that make less of a change are not worth a line. */
const LEAST_MIX = 0.1;

/** Mix and rate of the devices, and those of segments where their moved shares are worth a line. */
function sumRecords({ byDevice, bySegment }: Causes) {
  const { of = '', explained } = bySegment?.divided ?? {};
  const isWorthLine = explained && Math.abs(effectsOf(explained).mix) >= LEAST_MIX * Math.abs(explained.change);
  return [...(byDevice ? [sumsOf(byDevice.of, byDevice.explained)] : []), ...(isWorthLine ? [sumsOf(of, explained)] : [])];
}

/** The one device that stands out where all devices together do not; empty where there is none. */
function aloneOf({ measured }: Causes, { judged: { headline, hidden }, windows }: CausesInput, currency: string | undefined): string {
  if (!hidden || isChanged(headline.judgement)) return '';
  return hiddenSentence(headline, hidden, sinceAlone(headline, hidden, measured, windows), currency);
}

/** Whether a change is less than the one before the period that goes on in it, or no other than that. */
function isBehindEarlier(headline: Change): boolean {
  const sizeOf = (change: DatedChange | undefined) => Math.abs(Math.log1p(Math.max(-0.99, change?.relative ?? 0)));
  return isChanged(headline.judgement) && sizeOf(earlierOf(headline)) > sizeOf(headline.since);
}

/** The headline with its place and cost; a device that stands out alone comes before all devices together. */
function headlineSentences(causes: Causes, input: CausesInput, currency: string | undefined): string[] {
  const { headline } = input.judged;
  const { measured } = causes;
  const alone = aloneOf(causes, input, currency);
  const earlier = earlierSentences(causes, input, currency);
  const place = measured ? measuredSentences(headline, measured, currency) : endSentence(headline);
  const own = changeSentence(headline, currency);
  const first = isBehindEarlier(headline) ? [earlier, own] : [own, earlier];
  return alone === ''
    ? [...first, madeBySegment(causes.bySegment, headline), devicesSentence(causes, input), place]
    : [alone, place, changeSentence(headline, currency, `${nameOf(headline.metric)} of all devices`), earlier];
}

/** The devices' parts in the headline where it changed. */
function devicesSentence({ byDevice, movedSegment }: Causes, { judged }: CausesInput): string {
  const { headline, hidden } = judged;
  if (!byDevice || !isChanged(headline.judgement)) return '';
  // The ranges alone would give a part of the size that it has had since its first day.
  if (earlierOf(headline) && !hidden && deviceOfEarlier(byDevice, judged)) return '';
  const sentence = deviceSentence(byDevice, movedSegment, headline.since !== undefined, toldSizes(headline, byDevice));
  return headline.since && byDevice.reasons.named !== undefined ? withRates(sentence, byDevice.explained) : sentence;
}

/** The segment that made the headline although it had too few days before; empty where there is none. */
function madeBySegment(bySegment: Causes['bySegment'], headline: Change): string {
  if (!bySegment || !isChanged(headline.judgement)) return '';
  const { explained, reasons } = bySegment;
  const made = explained.map(({ apart }) => apart).find(({ groups: [group] }) => group?.name === reasons.maker);
  return made ? makerSentence(made, reasons, { isDated: headline.since !== undefined, isPerDay: headline.isPerDay }) : '';
}

/** What segments say of the headline; their division of it is left out where the mix of devices says it. */
function segmentsSentence({ byDevice, bySegment }: Causes, { judged: { headline } }: CausesInput): string {
  if (!bySegment) return '';
  // The segment that made the change is said beside it.
  if (madeBySegment(bySegment, headline) !== '') return '';
  const isDivided = isChanged(headline.judgement) && !(byDevice && isMix(byDevice.explained));
  // The size of a change that has a date is one of its days alone, which is said first.
  const apart = headline.since || earlierOf(headline) ? [] : bySegment.explained.map((each) => each.apart);
  return segmentSentence(isDivided ? bySegment.divided : undefined, bySegment.reasons, {
    apart,
    device: byDevice?.reasons.groups.find(({ name }) => name === byDevice.reasons.named),
  });
}

/** A change that began before the period as every tool sizes it, and its cost within the period; undefined where there is none. */
function earlierIn(reading: Reading, change: Change, currency: string | undefined): Earlier | undefined {
  const found = earlierOf(change);
  if (!found) return undefined;
  const { metric, change: own } = earlierFactor(reading, change, found);
  const cost = costOnDays(metric, allDaysOf(reading), own, change.days.first);
  return { metric, change: own, cost: measuredCostText({ cost }, currency) };
}

/** The factor that a product has followed since before the period, with the size that every question tells; itself where none is. */
function earlierFactor(reading: Reading, { metric, days }: Pick<Change, 'metric' | 'days'>, found: DatedChange) {
  const factors = factorsOf(metric).flatMap((factor) => {
    const own = earlierOf({ judgement: judgeReading(reading, factor), since: undefined, days });
    return own && isSameChange(own, found) ? [{ metric: factor, change: own }] : [];
  });
  const [told = { metric, change: found }] = factors.toSorted((a, b) => a.change.pValue - b.change.pValue);
  return { ...told, change: measureChange(kindOf(told.metric), daysOf(reading, told.metric), told.change) ?? told.change };
}

/** The one device that shows a change which began before the period, with what it is there; undefined where there is none. */
function deviceOfEarlier(byDevice: DeviceCause | undefined, { headline, hidden, devicesOf }: CausesInput['judged']): Judged | undefined {
  // The devices of a change within the period say theirs.
  if (!byDevice || (isChanged(headline.judgement) && headline.since)) return undefined;
  return onlyEarlier(headline, hidden ? [hidden] : devicesOf(headline.metric));
}

/** A change that began before the period, and on which device where only one shows it, with what it costs there. */
function earlierSentences({ whole, byDevice }: Causes, { judged }: CausesInput, currency: string | undefined): string {
  const { headline, hidden } = judged;
  const earlier = whole && earlierIn(whole, headline, currency);
  if (earlier) {
    const device = deviceOfEarlier(byDevice, judged);
    if (!device) return earlierSentence(headline, earlier);
    const of = { ...headline, judgement: device, of: device.reading.device, since: undefined };
    const there = hidden ? '' : earlierPlace(device.reading.device, earlierIn(device.reading, of, currency));
    return joined([earlierSentence(headline, { ...earlier, cost: '' }), there]);
  }
  if (!byDevice || hidden || isChanged(headline.judgement)) return '';
  // A device by itself, which the whole is too wide to show.
  const shown = judged.devicesOf(headline.metric).flatMap((judgement) => {
    const change = { ...headline, judgement, of: judgement.reading.device };
    const isClear = (earlierOf(change)?.pValue ?? 1) < CLEAR_P_VALUE;
    const own = isClear ? earlierIn(judgement.reading, change, currency) : undefined;
    return own ? [earlierSentence(change, own)] : [];
  });
  return shown.length === 1 ? (shown[0] ?? '') : '';
}

/** Which factors a change of revenue follows from, and what each makes of it where it is not said in shares. */
function revenueSentences({ revenue }: Causes, { metric }: Change, currency: string | undefined): string[] {
  if (!revenue) return [];
  const { split, difference, isPerDay, isCalm } = revenue;
  const calm = REVENUE_FACTORS.filter(isCalm);
  const isAllCalm = revenue.isJudged && calm.length === REVENUE_FACTORS.length;
  const figures = splitSentence(split, difference, currency, { isCalm: isAllCalm, isPerDay });
  if (!revenue.isChanged) return [figures];
  const moved = revenueSentence(split, difference, currency, isCalm, { headline: metric, isPerDay });
  return moved !== '' && calm.length > 0 ? [moved, figures] : [moved];
}

const joined = (sentences: readonly string[]) => sentences.filter((sentence) => sentence !== '').join(' ');

/** The sentences that follow those on the headline. */
function furtherSentences(causes: Causes, input: CausesInput, currency: string | undefined): string {
  const { headline, changes } = input.judged;
  const { whole, byDevice, others } = causes;
  return joined([
    otherPlaceSentences(others),
    whole && byDevice ? opposedDevices(byDevice, whole, input) : '',
    segmentsSentence(causes, input),
    byDevice && (byDevice.reasons.named === undefined || !headline.since) ? rateSentence(byDevice.explained) : '',
    ...revenueSentences(causes, headline, currency),
    othersSentence(changes.filter((change) => change !== headline)),
  ]);
}

/** The tables of the causes, amounts with their cents. */
function causeRecords(causes: Causes, { metric }: Change, isNoise: boolean, currency: string | undefined) {
  const { byDevice, bySegment } = causes;
  const money = definitionOf(metric)?.unit === 'currency' && currency !== undefined ? { unit: currency } : {};
  const sums = sumRecords(causes);
  return {
    ...(byDevice && {
      devices: byDevice.explained.groups.map((group) => ({
        ...deviceRecord(group, isNoise ? undefined : byDevice.explained.change, byDevice.verdictOf(group.name)),
        ...money,
      })),
    }),
    ...(sums.length > 0 && { sums: sums.map((each) => ({ ...each, ...money })) }),
    ...(bySegment && { segments: bySegment.explained.map(({ apart, verdict }) => ({ ...segmentRecord(apart, verdict), ...money })) }),
  };
}

/** Words the change between two periods: a row for each metric and selection, and the causes of the headline. */
export function wordComparison(causes: Causes, input: CausesInput, currency: string | undefined): PeriodsResult {
  const { readings } = input;
  const { byDevice, bySegment, revenue, judged, measured } = causes;
  const { changes, headline, hidden, isNoise } = judged;
  const factors = revenue && revenueRecord(revenue.split, revenue.difference, currency);
  const own = { ...input, judged };
  const finding = joined(headlineSentences(causes, own, currency));
  return {
    data: {
      answer: joined([finding, furtherSentences(causes, own, currency)]),
      ...changeTable(changes, readings.length > 1, currency),
      ...causeRecords(causes, headline, isNoise, currency),
      ...(factors && { revenue: factors }),
      ...(measured && { change: changeRecord(measured) }),
    },
    headline,
    finding,
    judged: judged.judgedOf(headline.metric),
    isNoise,
    byDevice: isNoise ? undefined : byDevice?.explained,
    leader: hidden?.reading.device ?? byDevice?.reasons.named,
    bySegment: bySegment?.explained.map(({ apart }) => apart) ?? [],
    factors,
  };
}

/**
 * Devices that moved against each other, in the headline or, where that is their mix, in visits; empty where their own sentence tells it.
 */
function opposedDevices(byDevice: DeviceCause, whole: Reading, input: CausesInput): string {
  const { headline, changes, hidden } = input.judged;
  // Against a baseline that holds a part of an earlier change its device shows another size than since its first day.
  if (earlierOf(headline)) return '';
  if (!isMix(byDevice.explained)) {
    const isTold = isChanged(headline.judgement) && byDevice.reasons.named === undefined;
    const isMoved = (name: string) => {
      const judged = byDevice.verdictOf(name)?.judged;
      return judged !== undefined && isChanged(judged);
    };
    return isTold && !hidden ? '' : opposedSentence('Devices', byDevice.reasons.groups, isMoved);
  }
  const visits = changes.find(({ metric }) => metric === 'visits');
  if (!visits || visits === headline) return '';
  const occasion = occasionOf({ ...visits, since: visits.since ?? headline.since }, whole, undefined, input.windows);
  const groups = input.devices.map((reading) => ({ name: reading.device, days: daysOf(reading, 'visits') }));
  return opposedSentence(nameOf('visits'), findReasons(occasion, groups).groups);
}

/** Since when a device stands out alone, as every tool dates it where it was measured by the metric itself; it may be before the period. */
function sinceAlone(
  { metric, days }: Change,
  hidden: Judged,
  measured: MeasuredChange | undefined,
  windows: Windows,
): DatedChange | undefined {
  if (measured?.metric === metric) return measured.change;
  const earlier = earlierOf({ judgement: hidden, since: undefined, days });
  const own = sinceOf(hidden, [hidden], windows) ?? earlier;
  return own && (measureChange(kindOf(metric), daysOf(hidden.reading, metric), own) ?? own);
}

/** A device that stands out although the whole does not. */
function hiddenSentence({ metric, days }: Change, hidden: Judged, since: DatedChange | undefined, currency: string | undefined): string {
  const { reading } = hidden;
  const [before, after] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
  const isBefore = since !== undefined && since.from < days.first;
  const told = isBefore ? earlierFactor(reading, { metric, days }, since) : { metric, change: since };
  const cost = isBefore && told.change ? costOnDays(told.metric, allDaysOf(reading), told.change, days.first) : undefined;
  const when = { since: told.change, last: days.last, cost: measuredCostText({ cost }, currency) };
  return aloneSentence({ metric: told.metric, device: reading.device }, hidden, when, changeText(metric, before, after));
}
