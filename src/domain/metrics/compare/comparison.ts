import type { FindingPlace } from '../../../findings/finding.ts';
import { paragraphOf } from '../../../findings/paragraph.ts';
import type { Grammar } from '../../../findings/sentence.ts';
import type { SpecialDays } from '../calendar/special-days.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { CountingFault } from '../quality/counting.ts';
import type { Causes, CausesInput } from './causes.ts';
import type { Change } from './change.ts';
import { tellComparison } from './comparison-findings.ts';
import { type Comparison, changeTable, deviceRecord, revenueRecord, segmentRecord, sumsOf } from './comparison-rows.ts';
import { type Explained, effectsOf } from './contributions.ts';
import type { Judged, Reading } from './readings.ts';

/** A comparison with what a chart and the search for events need beside the answer. */
export interface PeriodsResult {
  readonly data: Pick<Comparison, 'answer' | 'findings' | 'columns' | 'rows' | 'devices' | 'sums' | 'segments' | 'revenue' | 'details'>;
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

/** Moved shares that make less of a change are not worth a line. */
const LEAST_MIX = 0.1;

/** Mix and rate of the devices, and those of segments where their moved shares are worth a line. */
function sumRecords({ byDevice, bySegment }: Causes) {
  const { of = '', explained } = bySegment?.divided ?? {};
  const isWorthLine = explained && Math.abs(effectsOf(explained).mix) >= LEAST_MIX * Math.abs(explained.change);
  return [...(byDevice ? [sumsOf(byDevice.of, byDevice.explained)] : []), ...(isWorthLine ? [sumsOf(of, explained)] : [])];
}

/** The tables of the causes, amounts with their cents. */
function causeRecords(causes: Causes, { metric }: Change, currency: string | undefined) {
  const { byDevice, bySegment } = causes;
  const money = definitionOf(metric)?.unit === 'currency' && currency !== undefined ? { unit: currency } : {};
  const sums = sumRecords(causes);
  const devices = byDevice?.explained.groups.map((group) => ({ ...deviceRecord(group, byDevice.verdictOf(group.name)), ...money }));
  const segments = bySegment?.explained.map(({ apart, verdict }) => ({ ...segmentRecord(apart, verdict), ...money }));
  return {
    ...(devices && { devices }),
    ...(sums.length > 0 && { sums: sums.map((each) => ({ ...each, ...money })) }),
    ...(segments && { segments }),
  };
}

/** Facts that the words of a comparison need beside its causes. */
export interface ComparisonWords {
  readonly grammar: Grammar;
  readonly faults: readonly CountingFault[];
  readonly specialDays: SpecialDays;
  readonly currency: string | undefined;
  readonly placeOf: (reading: Reading, metric: string) => FindingPlace;
  /** Selections that narrow the whole comparison, and its period as days. */
  readonly whole: FindingPlace;
  readonly period: { readonly from: string; readonly to: string };
  /** Sentences that come before the findings. */
  readonly first: readonly string[];
  /** Sentences of an answer that is one of several; undefined where it stands alone. */
  readonly most: number | undefined;
}

/** Puts the change between two periods into findings, words and tables. */
export function wordComparison(causes: Causes, input: CausesInput, words: ComparisonWords): PeriodsResult {
  const { currency, first, grammar } = words;
  const { byDevice, bySegment, revenue, judged } = causes;
  const { changes, headline, hidden, isNoise } = judged;
  const factors = revenue && revenueRecord(revenue.split, revenue.difference, currency);
  const { findings, lead, details } = tellComparison({ causes, input: { ...input, judged }, ...words }, grammar);
  const { answer } = paragraphOf([...first, ...lead], words.most);
  return {
    data: {
      answer,
      findings: [...findings],
      ...changeTable(changes, input.readings.length > 1, currency),
      ...causeRecords(causes, headline, currency),
      ...(factors && { revenue: factors }),
      details: [...details],
    },
    headline,
    judged: judged.judgedOf(headline.metric),
    isNoise,
    byDevice: isNoise ? undefined : byDevice?.explained,
    leader: hidden?.reading.device ?? byDevice?.reasons.named,
    bySegment: bySegment?.explained.map(({ apart }) => apart) ?? [],
    factors,
  };
}
