import type { Project } from '../../credentials.ts';
import { hash, mix, unit } from '../random.ts';
import { type Cell, chance, pick, type SessionRow, screenOf } from './session-row.ts';

/** One page view (or screen of an app) of a session. */
export interface ViewRow {
  readonly session: SessionRow;
  /** From 1 on. */
  readonly number: number;
  readonly startMs: number;
  /** The durations of all views of a session add up to that of the session. */
  readonly durationMs: number;
  readonly path: string;
  readonly query: string;
  readonly isLast: boolean;
  readonly rageClick: boolean;
  readonly apiError: boolean;
  readonly errors: readonly { readonly message: string; readonly timeMs: number; readonly filename: string }[];
  /** Any number that belongs to this view alone. */
  readonly draw: (question: number) => number;
}

const CONVERTING = {
  shop: ['/cart', '/checkout/address', '/checkout/payment', '/checkout/confirmation'],
  app: ['/screen/cart', '/screen/checkout', '/screen/thanks'],
  content: ['/subscribe', '/subscribe/payment', '/subscribe/welcome'],
} as const satisfies Record<Project['kind'], readonly string[]>;

const categories = ['jackets', 'shoes', 'tents', 'backpacks', 'sale'] as const;
const sections = ['politics', 'culture', 'science', 'sports'] as const;
// A screen stands here as often as it is seen after the first, which is home.
const screens = '/home /home /search /search /product /product /product /product /cart /account'.split(' ').map((name) => `/screen${name}`);

/** A path by what a visitor of the kind of site looks at. */
function pathOf(project: Project, position: number, draw: (question: number) => number): string {
  const kind = draw(1);
  if (project.kind === 'app') return position === 0 ? '/screen/home' : pick(screens, draw(2));
  if (project.kind === 'content') {
    if (kind < 0.2) return '/';
    if (kind < 0.4) return `/${pick(sections, draw(2))}`;
    return kind < 0.97 ? `/${pick(sections, draw(2))}/article-${1000 + Math.floor(draw(3) * 900)}` : '/subscribe';
  }
  if (kind < 0.16) return '/';
  if (kind < 0.44) return `/c/${pick(categories, draw(2))}`;
  if (kind < 0.8) return `/p/${1000 + Math.floor(draw(3) * 400)}`;
  if (kind < 0.87) return '/search';
  if (kind < 0.94) return '/cart';
  return kind < 0.98 ? '/checkout/address' : '/checkout/payment';
}

function queryOf(path: string, position: number, session: SessionRow, draw: (question: number) => number): string {
  if (path === '/search' || path === '/screen/search') return `?q=${pick(['jacket', 'tent', 'lamp', 'wool'] as const, draw(4))}`;
  if (position === 0 && (session.day.campaign[session.index] ?? 0) > 0) return '?utm_medium=campaign';
  return path.startsWith('/c/') && draw(4) < 0.3 ? `?page=${2 + Math.floor(draw(5) * 4)}` : '';
}

const messages = [
  "TypeError: Cannot read properties of undefined (reading 'price')",
  'ReferenceError: dataLayer is not defined',
  'ChunkLoadError: Loading chunk 17 failed.',
  'Script error.',
] as const;
const filenames = ['/assets/app.4f1c.js', '/assets/checkout.91ab.js', '/assets/vendor.07d2.js'] as const;

/** True on the pages between cart and confirmation, where visitors click in anger most. */
function isCheckout(path: string): boolean {
  return path.includes('/checkout') || path.includes('/payment');
}

/** The views of a session in order: a session with a transaction ends on the pages that lead to it. */
export function viewsOf(session: SessionRow): ViewRow[] {
  const { project, seed, pageViews: count } = session;
  const ending = session.transactions > 0 ? CONVERTING[project.kind] : [];
  const weights = Array.from({ length: count }, (_, position) => 0.3 + chance(seed, 900 + position));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  return weights.map((weight, position) => {
    const viewSeed = hash(seed, 901, position);
    const draw = (question: number): number => unit(mix(viewSeed + Math.imul(question, 0x9e3779b1)));
    const fromMs = Math.floor((session.durationMs * passed) / total);
    passed += weight;
    const isLast = position === count - 1;
    const durationMs = (isLast ? session.durationMs : Math.floor((session.durationMs * passed) / total)) - fromMs;
    const path = ending[ending.length - count + position] ?? pathOf(project, position, draw);
    const errorCount = draw(10) < 0.035 ? 1 + Math.floor(draw(11) * 3) : 0;
    return {
      session,
      number: position + 1,
      startMs: session.startMs + fromMs,
      durationMs,
      path,
      isLast,
      draw,
      query: queryOf(path, position, session, draw),
      rageClick: draw(12) < (isCheckout(path) ? 0.12 : 0.02),
      apiError: draw(13) < (isCheckout(path) ? 0.04 : 0.012),
      errors: Array.from({ length: errorCount }, (_, at) => ({
        message: pick(messages, draw(20 + at)),
        timeMs: session.startMs + fromMs + Math.floor((durationMs * (at + 1)) / (errorCount + 1)),
        filename: pick(filenames, draw(30 + at)),
      })),
    };
  });
}

/** 0 to 100: rage clicks and errors frustrate. */
export function frustrationOf({ rageClick, apiError, errors, draw }: ViewRow): number {
  const score = draw(40) ** 3 * 30 + (rageClick ? 35 : 0) + (apiError ? 20 : 0) + Math.min(errors.length, 2) * 7;
  return Math.min(100, Math.round(score));
}

/** A rendering time of the page in ms; screens of an app have none. */
export function renderMs({ session, draw }: ViewRow, typicalMs: number): Cell {
  return session.project.kind === 'app' ? null : Math.round(typicalMs * (0.5 + 0.5 * draw(50) + draw(51) ** 4));
}

/** Window in CSS pixels: narrower than the screen on desktops only. */
export function windowOf({ session }: ViewRow): readonly [number, number] {
  const [width, height] = screenOf(session);
  const isDesktop = session.day.deviceId[session.index] === 1;
  return isDesktop ? [Math.round(width * (0.7 + 0.3 * chance(session.seed, 902))), height - 130] : [width, height - 80];
}
