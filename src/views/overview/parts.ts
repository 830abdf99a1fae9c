import type { ToolName } from '../../lib/tool-name.ts';

/** The days that an overview is about, and what of the visitors. */
export interface OverviewAsked {
  /** First and last day, as 2026-11-23. */
  readonly startDate: string;
  readonly endDate: string;
  /** Undefined for all devices. */
  readonly device?: string | undefined;
}

/** A part of an overview: one call of a tool, and what its answer is shown as. */
export interface OverviewPart {
  readonly id: 'changes' | 'figures' | 'course' | 'speed' | 'gaps' | 'expiring';
  readonly title: string;
  readonly tool: ToolName;
  readonly args: (asked: OverviewAsked) => Readonly<Record<string, unknown>>;
}

const visitsOf = ({ device, ...days }: OverviewAsked) => ({ ...days, ...(device !== undefined && { devices: [device] }) });

/** The parts of an overview, in the order in which they are read. */
export const overviewParts: readonly OverviewPart[] = [
  {
    id: 'changes',
    title: 'What changed',
    tool: 'find_changes',
    args: (asked) => ({ ...visitsOf(asked), limit: 8 }),
  },
  {
    id: 'figures',
    title: 'Key figures against the days before',
    tool: 'compare_metrics',
    args: (asked) => ({ ...visitsOf(asked), metrics: ['all'], chart: true }),
  },
  {
    id: 'course',
    title: 'Day by day',
    tool: 'query_metrics',
    args: (asked) => ({
      ...visitsOf(asked),
      metrics: ['visits', 'conversionRate', 'revenueSum'],
      breakdown: ['day'],
      chart: true,
    }),
  },
  { id: 'speed', title: 'Speed', tool: 'analyze_scenario', args: ({ startDate, endDate }) => ({ startDate, endDate, chart: true }) },
  { id: 'gaps', title: 'Exports: days without data', tool: 'find_export_gaps', args: () => ({}) },
  {
    id: 'expiring',
    title: 'Exports: files that go soon',
    tool: 'list_successful_export_runs',
    args: () => ({ expiresBefore: '+2d', limit: 100 }),
  },
];
