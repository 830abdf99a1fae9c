import { DAY_MS, isoTime } from '../../../lib/clock.ts';
import { nthUnsigned } from '../../../lib/nth.ts';
import type { Project } from '../../credentials.ts';
import { hash } from '../random.ts';
import { countries, languages, sources } from '../sessions/index.ts';
import type { FieldSelector } from './schedule.ts';
import {
  appVersionOf,
  browserOf,
  chance,
  cityOf,
  type FileCell,
  pick,
  platformOf,
  type SessionRow,
  screenOf,
  sessionId,
} from './session-row.ts';
import { frustrationOf, fullyLoadedMs, renderMs, type ViewRow, viewsOf, windowOf } from './view-row.ts';

/** Something that an app reports of a session. */
interface AppEvent {
  readonly name: string;
  readonly timeMs: number;
  readonly type: 'lifecycle' | 'custom';
}

const PUSHED = 0.08;
const WATCHED = 0.06;

/** The event that a screen reports, and how far into its view. */
const reports: Readonly<Record<string, readonly [name: string, at: number]>> = {
  '/screen/home': ['screen_opened', 0],
  '/screen/account': ['screen_opened', 0],
  '/screen/search': ['search', 0.3],
  '/screen/search/empty': ['search', 0.1],
  '/screen/product': ['product_viewed', 0],
  '/screen/checkout': ['checkout_started', 0],
  '/screen/thanks': ['order_completed', 0],
};

function custom(name: string, { startMs, durationMs }: ViewRow, at: number): AppEvent {
  return { name, timeMs: startMs + Math.floor(durationMs * at), type: 'custom' };
}

/** The events of one view; what comes next tells whether a product went into the cart. */
function ofView(view: ViewRow, next: ViewRow | undefined): AppEvent[] {
  const report = reports[view.path];
  const events = report ? [custom(report[0], view, report[1])] : [];
  if (view.path === '/screen/product' && view.draw(70) < WATCHED) events.push(custom('video_played', view, 0.4));
  if (view.path !== '/screen/cart' && next?.path === '/screen/cart') events.push(custom('added_to_cart', view, 0.8));
  return events;
}

const known = new WeakMap<SessionRow, readonly AppEvent[]>();

/** Events of an app session in order of time; the web has none. */
export function appEventsOf(session: SessionRow): readonly AppEvent[] {
  if (session.project.kind !== 'app') return [];
  const made = known.get(session);
  if (made) return made;
  const { seed, startMs } = session;
  const views = viewsOf(session);
  const opened: AppEvent[] = [{ name: 'app_opened', timeMs: startMs, type: 'lifecycle' }];
  if (chance(seed, 42) < PUSHED) opened.push({ name: 'push_opened', timeMs: startMs, type: 'custom' });
  const events = [...opened, ...views.flatMap((view, at) => ofView(view, views[at + 1]))];
  known.set(session, events);
  return events;
}

/** The value of a custom variable that the site did not set. */
const EMPTY_VARIABLE = 'wa-empty';

type CustomVariable = ReturnType<typeof ofVisits>;

function ofVisits(position: number, key: string, emptyShare: number, values: readonly string[]) {
  /** Whether all sessions of a user share the value, and the share of users or sessions without one. */
  return { position, key, values, perUser: false, emptyShare };
}

const ofUsers: typeof ofVisits = (...facts) => ({ ...ofVisits(...facts), perUser: true });

const loginState = ofVisits(2, 'login_state', 0, ['guest', 'logged_in']);

const customVariables: Record<Project['kind'], readonly CustomVariable[]> = {
  shop: [
    ofUsers(1, 'plan', 0.08, ['free', 'plus', 'business']),
    loginState,
    ofUsers(3, 'checkout_variant', 0.5, ['one_page', 'steps']),
    ofUsers(7, 'loyalty_tier', 0.6, ['bronze', 'silver', 'gold']),
  ],
  app: [ofUsers(1, 'plan', 0.02, ['free', 'premium']), loginState, ofUsers(4, 'push_consent', 0.1, ['granted', 'denied'])],
  content: [
    ofUsers(1, 'plan', 0.2, ['reader', 'subscriber', 'trial']),
    loginState,
    ofVisits(5, 'section', 0.05, ['politics', 'culture', 'science', 'sports']),
    ofUsers(6, 'consent', 0, ['all', 'necessary']),
  ],
};

/** The custom variables of a project by position. */
export function customVariablesOf(project: Project): readonly CustomVariable[] {
  return customVariables[project.kind];
}

/** Value of the custom variable at `position`; the placeholder where the site set none or knows no such variable. */
function customValueOf({ project, day, index, seed }: SessionRow, position: number): string {
  const variable = customVariables[project.kind].find((candidate) => candidate.position === position);
  if (!variable) return EMPTY_VARIABLE;
  const owner = variable.perUser ? nthUnsigned(day.userLow, index) : seed;
  if (chance(owner, 600 + position) < variable.emptyShare) return EMPTY_VARIABLE;
  return pick(variable.values, chance(owner, 700 + position));
}

/** A dynamic variable and the days on which it was sent. */
interface DynamicVariable {
  readonly key: string;
  readonly type: 'string' | 'integer';
  readonly fromMs: number;
  readonly toMs: number;
  /** Share of sessions that carry it. */
  readonly share: number;
  readonly values: readonly string[];
}

const terms = ['rain jacket', 'tent 2 person', 'trail shoes', 'gift card', 'sleeping bag', 'wool socks'] as const;
type Template = Omit<DynamicVariable, 'fromMs' | 'toMs'> & { readonly sinceDays?: number; readonly untilDays?: number };

const templates: Record<Project['kind'], readonly Template[]> = {
  shop: [
    { key: 'search_term', type: 'string', share: 0.3, values: terms },
    { key: 'search_results', type: 'integer', share: 0.3, values: [] },
    { key: 'voucher_code', type: 'string', share: 0.06, values: ['WELCOME10', 'FREESHIP', 'AUTUMN15'] },
    { key: 'delivery_days', type: 'integer', share: 0.2, values: [], sinceDays: 45 },
    { key: 'size_advisor', type: 'string', share: 0.1, values: ['opened', 'used'], untilDays: 150 },
  ],
  app: [
    { key: 'route_difficulty', type: 'string', share: 0.4, values: ['easy', 'medium', 'hard'] },
    { key: 'coins', type: 'integer', share: 0.5, values: [] },
  ],
  content: [
    { key: 'author', type: 'string', share: 0.7, values: ['A. Brandt', 'J. Moreau', 'K. Lindholm', 'S. Okafor'] },
    { key: 'words_read', type: 'integer', share: 0.8, values: [] },
  ],
};

/** The dynamic variables of a project; some came or went, counted back from the start of the clock. */
export function dynamicVariablesOf(project: Project, startMs: number): DynamicVariable[] {
  const midnightMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const lived = ({ sinceDays, untilDays, ...variable }: Template): DynamicVariable => ({
    ...variable,
    fromMs: sinceDays === undefined ? Number.NEGATIVE_INFINITY : midnightMs - sinceDays * DAY_MS,
    toMs: untilDays === undefined ? Number.POSITIVE_INFINITY : midnightMs - untilDays * DAY_MS,
  });
  return templates[project.kind].map(lived);
}

/** Value of a dynamic variable in a session; null where the session carries none. */
function dynamicValueOf({ project, seed, startMs: sessionMs }: SessionRow, wanted: string | undefined, startMs: number): FileCell {
  const variable = dynamicVariablesOf(project, startMs).find(({ key }) => key === wanted);
  // The same draw for all keys: a search term comes with its number of results.
  if (!variable || sessionMs < variable.fromMs || sessionMs >= variable.toMs || chance(seed, 800) >= variable.share) return null;
  const { key, type, values } = variable;
  return type === 'integer' ? hash(seed, key.length) % 60 : pick(values, chance(seed, 801 + key.length));
}

/** A column that an export can have, as `exportable-fields` describes it, and how its cell is read. */
export interface Field<Row> {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** Other names under which the platform's documents know it; only `name` selects it. */
  readonly aliases: string[];
  /** Members that the selector of this field needs besides `fieldName`. */
  readonly parameters: string[];
  readonly read: (row: Row, selector: FieldSelector, startMs: number) => FileCell;
}

/** A field without parameters. */
function field<Row>(name: string, description: string, example: string, read: (row: Row) => FileCell, ...aliases: string[]): Field<Row> {
  return { name, description, example, aliases, parameters: [], read };
}

/** The two fields that exist in every scope and may be chosen several times; what they read depends on the selector. */
export const variableFields: readonly Field<SessionRow>[] = [
  {
    name: 'custom_var',
    description: 'Value of the custom variable at a position; wa-empty where the site set none. May be chosen several times.',
    example: 'plus',
    aliases: [],
    parameters: ['customVarPosition'],
    read: (row, { customVarPosition }) => customValueOf(row, Number(customVarPosition)),
  },
  {
    name: 'dynamic_var',
    description: 'Value of the dynamic variable with a key; text or integer. May be chosen several times.',
    example: 'rain jacket',
    aliases: [],
    parameters: ['dynamicVarKey'],
    read: (row, { dynamicVarKey }, startMs) => dynamicValueOf(row, dynamicVarKey, startMs),
  },
];

type Column = 'deviceId' | 'sessionNumber' | 'revenueCents' | 'country' | 'language' | 'source';

function column({ day, index }: SessionRow, name: Column): number {
  return nthUnsigned(day[name], index);
}

/** Columns that identify a session; the scope `views` has these as well. */
const sessionKeys: readonly Field<SessionRow>[] = [
  field('project_id', 'Project that the session belongs to', '1201', (row) => row.project.id),
  field('user_id', 'Hash of the user, a 64-bit integer above 2^53', '6840912837461298123', (row) => row.userId),
  field('session_id', 'Session, unique in the project', '20776000412', (row) => sessionId(row.day, row.index)),
  field('session_number', 'How many sessions the user has had, this one included', '3', (row) => column(row, 'sessionNumber')),
];

/** Every column of an export with scope `sessions`, variables excepted. */
export const sessionFields: readonly Field<SessionRow>[] = [
  ...sessionKeys,
  field('user_id_unhashed', 'Customer number of a logged-in user; null for guests', 'C-4810223', (row) =>
    customValueOf(row, 2) === 'logged_in' ? `C-${nthUnsigned(row.day.userLow, row.index)}` : null,
  ),
  field('session_date', 'UTC day on which the session began', '2026-11-19', (row) => isoTime(row.startMs).slice(0, 10)),
  field('session_time', 'Start of the session', '2026-11-19T08:14:03.000Z', (row) => isoTime(row.startMs), 'session_start'),
  field('session_number_of_views', 'Page views, or screens of an app', '5', (row) => row.pageViews, 'page_views'),
  field('session_duration_msec', 'Time from entry to exit in milliseconds', '184300', (row) => row.durationMs),
  field('session_number_of_transactions', 'Transactions of the session', '1', (row) => row.transactions),
  field('session_transactions_revenue_cents', 'Revenue of all transactions in cents', '8990', (row) => column(row, 'revenueCents')),
  field('device_id', '0 unknown, 1 desktop, 2 mobile web, 3 tablet web, 4 mobile app, 5 tablet app', '1', (row) => column(row, 'deviceId')),
  field('country_code', 'Country by ISO 3166-1', 'DE', (row) => countries[column(row, 'country')]?.code ?? null),
  field('city', 'City', 'Hamburg', cityOf),
  field('language', 'Language by ISO 639-1', 'de', (row) => languages[column(row, 'language')] ?? null),
  field('browser_name', 'Browser; null in apps', 'Chrome', (row) => browserOf(row).name || null),
  field('browser_version', 'Major version of the browser; null in apps', '142', (row) => {
    const { version } = browserOf(row);
    return version > 0 ? String(version) : null;
  }),
  field('platform_name', 'Operating system', 'Windows', (row) => platformOf(row).name, 'os_name'),
  field('platform_version', 'Major version of the operating system', '11', (row) => platformOf(row).version, 'os_version'),
  field(
    'referer_url',
    'Address that led to the session; null where none was sent',
    'https://www.google.com/',
    (row) => sources[column(row, 'source')]?.referrer || null,
    'referrer_url',
  ),
  field('is_excludable', 'True for sessions that look automated', 'false', (row) => chance(row.seed, 60) < 0.004),
  field('screen_width', 'Width of the screen in CSS pixels', '1920', (row) => screenOf(row)[0]),
  field('screen_height', 'Height of the screen in CSS pixels', '1080', (row) => screenOf(row)[1]),
  field('app_version', 'Version of the app; null on the web', '5.24.1', appVersionOf),
  field('app_events.event_name', 'Names of the app events, in order of time', '["app_opened","search"]', (row) =>
    appEventsOf(row).map(({ name }) => name),
  ),
  field('app_events.event_time', 'Times of the app events, parallel to event_name', '["2026-11-19T08:14:03.000Z"]', (row) =>
    appEventsOf(row).map(({ timeMs }) => isoTime(timeMs)),
  ),
  field('app_events.event_type', 'Types of the app events, parallel to event_name', '["lifecycle","custom"]', (row) =>
    appEventsOf(row).map(({ type }) => type),
  ),
  field('session_transaction_items.id', 'Ids of the bought items', '["40212881"]', (row) => row.items.map(({ id }) => id)),
  field('session_transaction_items.sku', 'Article numbers, parallel to id', '["NL-1204"]', (row) => row.items.map(({ sku }) => sku)),
  field('session_transaction_items.name', 'Article names, parallel to id', '["Jacket"]', (row) => row.items.map(({ name }) => name)),
  field('session_transaction_items.quantity', 'Quantities, parallel to id', '[1]', (row) => row.items.map(({ quantity }) => quantity)),
  field('session_transaction_items.revenue_cents', 'Revenue in cents, quantity included, parallel to id', '[8990]', (row) =>
    row.items.map(({ revenueCents }) => revenueCents),
  ),
];

const hosts = {
  shop: 'https://www.nordlicht-shop.example',
  app: 'app://nordlicht',
  content: 'https://www.nordlicht-magazin.example',
} as const;

/** The field of a session as one of its views. */
export function ofSession({ read, ...key }: Field<SessionRow>): Field<ViewRow> {
  return { ...key, read: ({ session }, ...more) => read(session, ...more) };
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
  field('fully_loaded', 'Milliseconds until the page was loaded; null in apps', '2740', fullyLoadedMs),
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
