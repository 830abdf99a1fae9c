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
      'export of scope views (any_js_error_ind, any_api_error_ind, errors.message) joined by session_id to scope sessions ' +
      '(session_number_of_transactions)',
  },
  {
    asked: 'real-user vitals',
    nearest: 'scenario reports (lab runs), or an export of scope views (dom_interactive_after_msec, start_render, fully_loaded)',
  },
];
