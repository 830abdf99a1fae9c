import { callText, definePrompt } from '../tooling/prompt.ts';
import { boundsOf, goal, metric, period, segment } from './arguments.ts';

export default definePrompt({
  name: 'explain_change',
  title: 'Explain a change',
  description:
    'Explains why a metric moved: whether it did beyond noise, since when, on which device, in which segment, by mix or by rate.',
  arguments: {
    metric: { description: 'Metric; left out: conversionRate', complete: metric },
    period: { description: 'Period in which it moved; left out: last_week', complete: period },
    segment: { description: 'Segment to look at, id or name; left out: all visits', complete: segment },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  tools: ['compare_metrics', 'query_metrics'],
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
