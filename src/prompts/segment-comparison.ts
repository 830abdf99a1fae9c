import { callText, definePrompt } from '../tooling/prompt.ts';
import { boundsOf, goal, period, segment } from './arguments.ts';

const METRICS = ['conversionRate', 'visits', 'revenueSum', 'cartAverage', 'bounceRate', 'pageviewAverage', 'sessionTimeAverage'];

export default definePrompt({
  name: 'segment_comparison',
  title: 'Compare two segments',
  description: 'Compares two segments: how they differ beyond noise, whether devices are the reason, and whether it has always been so.',
  arguments: {
    segment: { description: 'First segment, id or name', required: true, complete: segment },
    other: { description: 'Segment to compare it with, id or name', required: true, complete: segment },
    period: { description: 'Period; left out: last_month', complete: period },
    goal: { description: 'Goal of the conversions, id or name; left out: the e-commerce goal', complete: goal },
  },
  tools: ['compare_metrics', 'query_metrics'],
  text({ segment: first, other, period: when = 'last_month', goal: goalId }) {
    const compareSegments = [first, other];
    const goals = goalId === undefined ? {} : { goalIds: [goalId] };
    const rates = { metrics: ['conversionRate', 'visits'], compareSegments, ...goals };
    const weeks = { ...rates, metrics: ['conversionRate'], startDate: '-12w', endDate: 'yesterday', breakdown: ['week'], chart: true };
    return `Compare the segments "${first}" and "${other}" in the period ${when}.

1. ${callText('compare_metrics', { metrics: METRICS, ...boundsOf(when), by: 'segment', compareSegments, goalId })}: each metric of both, \
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
