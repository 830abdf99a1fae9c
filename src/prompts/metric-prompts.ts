import { callText, definePrompt } from '../tooling/prompt.ts';
import { boundsOf, goal, metric, period, segment } from './arguments.ts';

/** Explains a change of a metric. */
export const explainChange = definePrompt({
  name: 'explain_change',
  title: 'Explain a change',
  description:
    'Explains why a metric moved: whether it did beyond noise, since when, on which device, in which segment, by mix or by rate.',
  tools: ['compare_metrics', 'query_metrics'],
  arguments: {
    metric: { description: 'Metric; left out: conversionRate', complete: metric },
    period: { description: 'Period in which it moved; left out: last_week', complete: period },
    segment: { description: 'Segment to look at, id or name; left out: all visits', complete: segment },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  text({ metric: chosen = 'conversionRate', period: when, segment: name, goal: goalId }) {
    const selection = name === undefined ? {} : { segmentIds: [name] };
    const about = { metrics: [chosen], ...boundsOf(when), ...selection, goalId };
    const days = {
      metrics: [chosen],
      ...(when === undefined ? boundsOf('-28d') : boundsOf(when)),
      ...selection,
      breakdown: ['day', 'device'],
      chart: true,
    };
    const goals = goalId === undefined || !chosen.startsWith('conversion') ? {} : { goalIds: [goalId] };
    return `Explain the change of ${chosen} in the period ${when ?? 'last_week'}${name === undefined ? '' : ` in the segment "${name}"`}.

1. ${callText('compare_metrics', { ...about, chart: true })}: is it beyond noise, since which day, which device, mix or rate, which events \
are near.
2. Where the answer names one device, the same with devices set to it: which segments within it moved. Where all moved alike, no device is \
the cause. Where traffic mix accounts for most, ask for visits instead: which segment brought the visits.
3. ${callText('query_metrics', { ...days, ...goals })}: does the day hold, is it over, was it there before?

"Within noise" is an answer: say so, say how large a change would have to be, and stop unless one device stands out alone.

Answer in this form:
- Where the change is, in one sentence, with the share of the change that it accounts for; or that all moved alike.
- Since which day, and how sure (the other days that are possible).
- By device: own rate and traffic mix in points, with the remainder.
- The segments that stand out; they overlap, so never add them up.
- Suspects: events near the day. Near is no proof.
- What would confirm it, and what this interface cannot answer.`;
  },
});

/** Compares two segments. */
export const segmentComparison = definePrompt({
  name: 'segment_comparison',
  title: 'Compare two segments',
  description: 'Compares two segments: how they differ beyond noise, whether devices are the reason, and whether it has always been so.',
  tools: ['compare_metrics', 'query_metrics'],
  arguments: {
    segment: { description: 'First segment, id or name', required: true, complete: segment },
    other: { description: 'Segment to compare it with, id or name', required: true, complete: segment },
    period: { description: 'Period; left out: last_month', complete: period },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  text({ segment: first, other, period: when = 'last_month', goal: goalId }) {
    const compareSegments = [first, other];
    const goals = goalId === undefined ? {} : { goalIds: [goalId] };
    const rates = { metrics: ['conversionRate', 'visits'], compareSegments, ...goals };
    const weeks = { ...rates, metrics: ['conversionRate'], startDate: '-12w', endDate: 'yesterday', breakdown: ['week'], chart: true };
    return `Compare the segments "${first}" and "${other}" in the period ${when}.

1. ${callText('compare_metrics', { metrics: ['all'], ...boundsOf(when), by: 'segment', compareSegments, goalId })}: each metric of both, \
and whether they differ beyond noise.
2. ${callText('query_metrics', { ...rates, ...boundsOf(when), breakdown: ['device'] })}: does the difference hold on each device, or do \
the segments only use other devices?
3. ${callText('query_metrics', weeks)}: has it always been so, does it grow or shrink?

Answer in this form:
- One sentence: who converts better, by how many points, beyond noise or not.
- A table: metric, ${first}, ${other}, difference, verdict.
- By device: where the difference lies, and how much of it is only another share of devices.
- Over time: steady, growing or shrinking.
- What to do or test next, at most two things.

Segments may overlap: one visit can count in both, so never add them up. A difference between segments is no effect of being in one.`;
  },
});
