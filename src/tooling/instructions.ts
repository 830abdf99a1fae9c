import { dateIn } from '../lib/time-zone.ts';

/** What is often asked of such platforms and is not in this interface, with what comes nearest to it. */
export const unanswerable: readonly { readonly asked: string; readonly nearest: string }[] = [
  { asked: 'funnels', nearest: 'export of scope views (session_id, view_number, path): count sessions that reach each step in order' },
  {
    asked: 'journeys',
    nearest: 'export of scope views (session_id, view_number, path, is_first, is_last): follow the views of each session',
  },
  {
    asked: 'page-level metrics',
    nearest:
      'export of scope views (url_no_query_param, view_duration_msec, scroll_rate, is_first, is_last); for app screens the zone metrics',
  },
  { asked: 'heatmaps', nearest: 'zone metrics of apps (tap and swipe rates); nothing for the web' },
  { asked: 'replay', nearest: 'none; the scope session-replay has no operation in this interface' },
  {
    asked: 'cost of errors',
    nearest:
      'export of scope views (any_js_error_ind, any_api_error_ind, errors.message) joined by session_id to scope sessions (session_number_of_transactions)',
  },
  {
    asked: 'real-user vitals',
    nearest: 'scenario reports (lab runs), or an export of scope views (dom_interactive_after_msec, start_render, fully_loaded)',
  },
];

interface InstructionFacts {
  readonly timeZone: string;
  readonly nowMs: number;
}

/** What a model reads once per connection; at most 1 KB. */
export function instructions({ timeZone, nowMs }: InstructionFacts): string {
  return [
    'A web and app analytics platform: site and zone metrics, speed analysis (synthetic scenarios, HAR files), data exports, enrichment.',
    `Today is ${dateIn(timeZone, nowMs)}, time zone ${timeZone}. Dates: 2026-11-01, 2026-11, 2026-Q3, today, yesterday, -7d, -4w, -3mo, last_week, this_month, last_quarter …, or ISO with offset.`,
    'Start with find_objects for ids; parameters for objects also take names ("Home / Header / Search bar" for a zone). query_metrics tables any range, compare_metrics explains a change; get_credential shows projects and scopes.',
    'Rates are percents; null means no value, never 0. Never average rates or averages: ask for the whole range.',
    'Writes ask for confirmation first, without it they only show what would be sent; only create_speed_event writes at once.',
    `Not in this interface: ${unanswerable.map(({ asked }) => asked).join(', ')}. Say so; nearest (analytics://reference/limits): sessions or views export, scenario report (lab data).`,
  ].join('\n');
}
