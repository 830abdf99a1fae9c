import { chance, type SessionRow } from './session-row.ts';
import { type ViewRow, viewsOf } from './view-row.ts';

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
