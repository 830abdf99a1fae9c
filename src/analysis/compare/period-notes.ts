import type { Judged } from './readings.ts';
import type { Comparison } from './shape.ts';
import type { Windows } from './windows.ts';

/** How the numbers of a comparison of periods were made: methods, formulas, and what is not in them. */
export function periodNotes(
  { rows, devices, sums, segments, revenue }: Comparison,
  judged: readonly Judged[],
  { isAdjacent, isFar }: Windows,
): string[] {
  const [whole] = judged;
  const days = whole ? whole.reading.history.length + whole.reading.baselineDays.length : 0;
  const matched = whole?.scatter?.isByWeekday ? 'weekdays matched' : 'weekdays do not differ';
  const hasRates = [...(sums ?? []), ...(segments ?? [])].some(({ mix }) => mix !== undefined);
  const hasOther = devices?.some(({ device }) => String(device).startsWith('other')) ?? false;
  return [
    whole?.scatter
      ? `Noise: change that chance exceeds once in 100, from the scatter of ${days} days before the period (${matched}; overdispersed binomial for rates, quasi-Poisson for counts; drift from week to week added).`
      : 'Noise: too few days with a value before the period; at least 5 are needed.',
    ...(rows.some((row) => row.at(-1) !== null) ? ['since: the split of the days of both ranges that separates two levels best (least squares, weekdays matched).'] : []), // biome-ignore format: one thought
    ...(isAdjacent ? [] : ['No start day is sought, because the baseline does not end where the period begins.']), // biome-ignore format: one thought
    ...(isFar ? ['Drift over the time between the two ranges is not in the noise.'] : []),
    ...(hasRates ? ['mix = Δshare of visits × (mean rate − mean rate of all), rate = mean share × Δrate, means over both ranges; with the remainder they add up to the change (in points).'] : []), // biome-ignore format: one thought
    ...(hasOther ? ['Other or unknown device: all minus desktop, mobile and tablet, by subtraction of counts.'] : []),
    ...(segments ? [`Segments overlap, so their rows do not add up: each is split against all other visits (counts subtracted), where ${hasRates ? 'mix + rate + rateOfOthers' : 'contribution + ofOthers'} + remainder is the change.`] : []), // biome-ignore format: one thought
    ...(revenue ? ['revenue = visits × conversion × basket, basket = revenue / conversions; logarithmic means (LMDI) make the three add up.'] : []), // biome-ignore format: one thought
  ];
}
