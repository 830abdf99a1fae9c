import { type Field, field, isoTime } from './fields.ts';
import { sessionKeys } from './session-fields.ts';
import type { SessionRow } from './session-row.ts';
import { frustrationOf, renderMs, type ViewRow, windowOf } from './view-row.ts';

const hosts = {
  shop: 'https://www.nordlicht-shop.example',
  app: 'app://nordlicht',
  content: 'https://www.nordlicht-magazin.example',
} as const;

function ofSession({ read, ...key }: Field<SessionRow>): Field<ViewRow> {
  return { ...key, read: (row) => read(row.session) };
}

/** Every column of an export with scope `views`, variables excepted. */
export const viewFields: readonly Field<ViewRow>[] = [
  ...sessionKeys.map(ofSession),
  field('view_number', 'Position of the view in its session, from 1', '2', (row) => row.number),
  field('view_time', 'Start of the view', '2026-11-19T08:14:41.000Z', (row) => isoTime(row.startMs)),
  field('view_duration_msec', 'Time on the page in milliseconds', '38200', (row) => row.durationMs),
  field('path', 'Path of the page, or name of the screen', '/checkout/payment', (row) => row.path),
  field('query', 'Query of the address with its question mark, or empty', '?q=tent', (row) => row.query),
  field(
    'url_no_query_param',
    'Address without its query',
    'https://www.nordlicht-shop.example/cart',
    (row) => `${hosts[row.session.project.kind]}${row.path}`,
    'url',
  ),
  field('is_first', 'True for the entry page', 'false', (row) => row.number === 1),
  field('is_last', 'True for the exit page', 'false', (row) => row.isLast),
  field('scroll_rate', 'Deepest point reached, percent of the page', '64', (row) => Math.round(15 + 85 * row.draw(60))),
  field('page_interaction_time_msec', 'Time with mouse, touch or keyboard in milliseconds', '9100', (row) =>
    Math.round(row.durationMs * (0.1 + 0.5 * row.draw(61))),
  ),
  field('frustration_score', 'From 0 to 100', '42', frustrationOf),
  field('rage_click_all_targets_ind', 'True when any element was clicked in rage', 'true', (row) => row.rageClick, 'rage_click'),
  field('any_js_error_ind', 'True when a JavaScript error occurred', 'false', (row) => row.errors.length > 0),
  field('any_api_error_ind', 'True when a call of the page failed', 'false', (row) => row.apiError),
  field('dom_interactive_after_msec', 'Milliseconds until the document was interactive; null in apps', '910', (row) => renderMs(row, 1100)),
  field('fully_loaded', 'Milliseconds until the page was loaded; null in apps', '2740', (row) => renderMs(row, 3200)),
  field('start_render', 'Milliseconds until the first pixel; null in apps', '780', (row) => renderMs(row, 900)),
  field('window_width', 'Width of the window in CSS pixels', '1480', (row) => windowOf(row)[0]),
  field('window_height', 'Height of the window in CSS pixels', '950', (row) => windowOf(row)[1]),
  field('errors.message', 'Messages of the JavaScript errors, in order of time', '["Script error."]', (row) =>
    row.errors.map(({ message }) => message),
  ),
  field('errors.error_time', 'Times of the errors, parallel to message', '["2026-11-19T08:14:55.000Z"]', (row) =>
    row.errors.map(({ timeMs }) => isoTime(timeMs)),
  ),
  field('errors.filename', 'Script of each error, parallel to message', '["/assets/app.4f1c.js"]', (row) =>
    row.errors.map(({ filename }) => filename),
  ),
];
