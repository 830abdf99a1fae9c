import { type Finding, placesOf } from '../findings/finding.ts';
import { isMoved } from '../findings/sentence.ts';
import { firstOf, headlineOf } from '../lib/sentences.ts';
import type { TrendEvent } from './spec.ts';

/** Says what a picture leaves out. */
export const notDrawn = (names: readonly string[], words = 'not drawn:') => names.length > 0 && `${words} ${firstOf(names, 3)}`;

/** Findings of a metric in places that are drawn, the most important first. */
export function findingsDrawn(findings: readonly Finding[], metric: string, drawn: readonly string[]): Finding[] {
  return findings.filter((each) => each.subject === metric && placesOf(each).every((name) => drawn.includes(name)));
}

/** Changes in other places or of other metrics that move the metric of a picture, each with its words on its first day. */
export function marksBeside(findings: readonly Finding[], own: readonly Finding[], metric: string, times: readonly string[]): TrendEvent[] {
  const [first = '', last = ''] = [times[0], times.at(-1)];
  return findings.flatMap((each) => {
    const { subject, cost, sentence, when } = each;
    const { shape, from: time = '' } = when;
    const isSeen = (shape === 'step' || shape === 'episode') && (subject === metric || cost?.of === metric) && isMoved(each);
    return isSeen && !own.includes(each) && time >= first && time <= last ? [{ name: headlineOf(sentence), time }] : [];
  });
}
