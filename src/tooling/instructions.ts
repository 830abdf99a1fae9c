import { dateIn } from '../lib/time-zone.ts';
import { withoutAbsent } from './mentions.ts';
import type { Offer } from './tool.ts';
import { unanswerable } from './unanswerable.ts';

interface InstructionFacts {
  readonly timeZone: string;
  readonly nowMs: number;
  /** Left out: all tools. */
  readonly offer?: Offer;
}

/** What a model reads once per connection; at most 1 KB. */
export function instructions({ timeZone, nowMs, offer }: InstructionFacts): string {
  const writes = offer?.tools.some(({ annotations }) => !annotations.readOnlyHint) ?? true;
  const lines = [
    'A web and app analytics platform: site and zone metrics, speed analysis (synthetic scenarios, HAR files), data exports, enrichment.',
    `Today is ${dateIn(timeZone, nowMs)}, time zone ${timeZone}. Dates: 2026-11-01, 2026-11, 2026-Q3, today, yesterday, -7d, -4w, ` +
      '-3mo, last_week, this_month, last_quarter …, or ISO with offset.',
    'Start with find_objects for ids; parameters for objects also take names ("Home / Header / Search bar" for a zone). ' +
      'query_metrics tables any range, compare_metrics explains a change, find_changes lists all; get_credential shows projects and scopes.',
    'Rates are percents; null means no value, never 0. Never average rates or averages: ask for the whole range.',
    ...(writes
      ? ['Writes ask for confirmation first, without it they only show what would be sent; only create_speed_event writes at once.']
      : []),
    `Not in this interface: ${unanswerable.map(({ asked }) => asked).join(', ')}. Say so; nearest (analytics://reference/limits): ` +
      'sessions or views export, scenario report (lab data).',
  ];
  return withoutAbsent(lines.join('\n'), offer?.absent);
}
