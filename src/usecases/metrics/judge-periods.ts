import { type JudgedChanges, judgeChanges, type PeriodsInput } from '../../domain/metrics/compare/judged-changes.ts';
import { type Reading, readingsOf } from '../../domain/metrics/compare/readings.ts';
import { type CountingFault, countingFaults, withoutFaults } from '../../domain/metrics/quality/counting.ts';
import { ALL_VISITORS } from '../../domain/names/match-name.ts';
import { todayIn } from '../../lib/dates.ts';
import { inTurns } from '../../statistics/kept-fits.ts';
import { withKnownDays } from './read-known-days.ts';
import type { PeriodsRead } from './read-periods.ts';

/** The change of each metric with its verdict. */
export interface PeriodsJudged {
  /** Days on which the counting looks broken; these are left out of the verdicts. */
  readonly faults: readonly CountingFault[];
  readonly periods: PeriodsInput;
  /** Those of the table, then the devices of the whole. */
  readonly readings: readonly Reading[];
  readonly changes: JudgedChanges;
}

/** Days on which the counting of the one selection looks broken. */
function faultsOf({ question, windows, days, known, timeZone, isOne }: PeriodsRead): readonly CountingFault[] {
  if (!isOne || question.zoneIds.length > 0) return [];
  const { isAdjacent, baseline, period } = windows;
  return countingFaults({
    rows: days,
    whole: { device: question.devices[0] ?? 'all' },
    from: todayIn(timeZone, isAdjacent ? baseline.startMs : period.startMs),
    to: todayIn(timeZone, period.endMs),
    isSpecial: (label) => known.specialDays(label) !== undefined,
  });
}

/** Names a selection: zone, device, segments; empty for all visits. */
function labelOf({ device, segmentIds, zoneId }: Reading, { lists, question }: PeriodsRead): string {
  const named = segmentIds.map((id) => lists.nameOf('segment', id));
  const segments = named.length === 0 && question.compareSegments.length > 0 ? [ALL_VISITORS] : named;
  const zones = zoneId === undefined ? [] : [lists.nameOf('zone', zoneId)];
  return [...zones, ...(device === 'all' ? [] : [device]), ...segments].join(', ');
}

/** Judges each metric of what was read, without the days on which the counting looks broken. */
export async function judgePeriodsRead(read: PeriodsRead, signal: AbortSignal): Promise<PeriodsJudged> {
  const { question, windows, totals, days, known, byDevice } = read;
  const faults = faultsOf(read);
  const readings = readingsOf(totals.rows, withKnownDays(withoutFaults(days, faults), known));
  const periods = {
    metrics: question.metrics,
    windows,
    readings: byDevice ? readings.slice(0, 1) : readings,
    devices: byDevice ? readings.slice(1) : [],
    labelOf: (reading: Reading) => labelOf(reading, read),
  };
  return { faults, periods, readings, changes: await inTurns(signal, () => judgeChanges(periods)) };
}
