import type { Comparison } from '../../domain/metrics/compare/comparison-rows.ts';
import { zoneMetricWords } from '../../domain/metrics/metric-definitions.ts';
import { inTurns } from '../../statistics/kept-fits.ts';
import { type CompareContext, type CompareInput, type Question, questionOf } from './compare-question.ts';
import { compareAtOnce } from './compare-sides.ts';
import { explainPeriods } from './explain-periods.ts';
import { judgePeriodsRead } from './judge-periods.ts';
import { readPeriods } from './read-periods.ts';
import { wordPeriods } from './word-periods.ts';

/** Answers a comparison of two periods, or of devices or segments at the same time. */
export async function compareMetrics(input: CompareInput, context: CompareContext): Promise<Comparison> {
  const question = questionOf(input);
  for (const words of zoneMetricWords(input)) context.note(words);
  // Bounds of the baseline are dates too; the answer is about the period.
  context.covers(question.period.startMs, question.period.endMs);
  return question.by === 'period' ? comparePeriods(question, context) : compareAtOnce(question, context);
}

/** Read, judge, explain, word. */
async function comparePeriods(question: Question, context: CompareContext): Promise<Comparison> {
  const read = await readPeriods(question, context);
  const judged = await judgePeriodsRead(read, context.signal);
  const explained = await explainPeriods(read, judged, context);
  const { comparison, result, notes } = await inTurns(context.signal, () => wordPeriods(read, judged, explained, context));
  for (const sentence of [...read.notes, ...explained.notes, ...notes]) context.note(sentence);
  context.draw(async () => {
    const { chartOfComparison } = await import('../../views/from-comparison.ts');
    const { windows, totals, timeZone } = read;
    const labels = judged.readings.map((reading) => judged.periods.labelOf(reading) || 'all visits');
    return chartOfComparison(result, {
      timeZone,
      currency: totals.currency,
      period: windows.period,
      baseline: windows.baseline,
      labels,
      endsMeet: question.kind !== undefined,
    });
  });
  return comparison;
}
