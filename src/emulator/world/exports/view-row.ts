import { nthUnsigned } from '../../../lib/nth.ts';
import { hash, mix, unit } from '../random.ts';
import { chance, pick, type SessionRow, screenOf } from './session-row.ts';
import { scriptOf, troubleFor } from './trouble.ts';
import { walkOf } from './walk.ts';

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
  /** How long the page takes to load, as a multiple of what is usual. */
  readonly slowness: number;
  readonly errors: readonly { readonly message: string; readonly timeMs: number; readonly filename: string }[];
  /** Any number that belongs to this view alone. */
  readonly draw: (question: number) => number;
}

const found = ['jacket', 'tent', 'lamp', 'wool'] as const;
const notFound = ['tnet', 'kayak', 'gift wrap', 'size 52'] as const;

function queryOf(path: string, position: number, session: SessionRow, draw: (question: number) => number): string {
  if (path.endsWith('/search')) return `?q=${pick(found, draw(4))}`;
  if (path.includes('/search/')) return `?q=${encodeURIComponent(pick(notFound, draw(4)))}`;
  if (position === 0 && nthUnsigned(session.day.campaign, session.index) > 0) return '?utm_medium=campaign';
  return path.startsWith('/c/') && draw(4) < 0.3 ? `?page=${2 + Math.floor(draw(5) * 4)}` : '';
}

/** The views of a session in order: those of its walk. */
export function viewsOf(session: SessionRow): ViewRow[] {
  const { seed, pageViews: count } = session;
  const { paths, met } = walkOf(session);
  const troublesOf = troubleFor(session, met);
  const own = hash(seed, 901);
  let total = 0;
  const weights = paths.map((_, position) => {
    const weight = 0.3 + unit(mix(own + Math.imul(position, 0x85ebca6b)));
    total += weight;
    return weight;
  });
  let passed = 0;
  return weights.map((weight, position) => {
    const viewSeed = mix(own + Math.imul(position, 0xc2b2ae35) + 1);
    const draw = (question: number): number => unit(mix(viewSeed + Math.imul(question, 0x9e3779b1)));
    const fromMs = Math.floor((session.durationMs * passed) / total);
    passed += weight;
    const isLast = position === count - 1;
    const durationMs = (isLast ? session.durationMs : Math.floor((session.durationMs * passed) / total)) - fromMs;
    const path = paths[position] ?? '/';
    const { messages, ...troubles } = troublesOf(path, paths.indexOf(path) === position, position + 1, draw);
    return {
      session,
      number: position + 1,
      startMs: session.startMs + fromMs,
      durationMs,
      path,
      isLast,
      draw,
      query: queryOf(path, position, session, draw),
      ...troubles,
      errors: messages.map((message, at) => ({
        message,
        timeMs: session.startMs + fromMs + Math.floor((durationMs * (at + 1)) / (messages.length + 1)),
        filename: scriptOf(path, draw(30 + at)),
      })),
    };
  });
}

/** 0 to 100: rage clicks and errors frustrate. */
export function frustrationOf({ rageClick, apiError, errors, draw }: ViewRow): number {
  const score = draw(40) ** 3 * 30 + (rageClick ? 35 : 0) + (apiError ? 20 : 0) + Math.min(errors.length, 2) * 7;
  return Math.min(100, Math.round(score));
}

/** A rendering time of the page in ms, where it takes `typicalMs` on most pages; screens of an app have none. */
export function renderMs({ session, slowness }: ViewRow, typicalMs: number): number | null {
  return session.project.kind === 'app' ? null : Math.round(typicalMs * slowness);
}

const FULLY_LOADED_MS = 3200;

/** Milliseconds until the page was loaded; null in apps. */
export function fullyLoadedMs(view: ViewRow): number | null {
  return renderMs(view, FULLY_LOADED_MS);
}

/** Window in CSS pixels: narrower than the screen on desktops only. */
export function windowOf({ session }: ViewRow): readonly [number, number] {
  const [width, height] = screenOf(session);
  const isDesktop = session.day.deviceId[session.index] === 1;
  return isDesktop ? [Math.round(width * (0.7 + 0.3 * chance(session.seed, 902))), height - 130] : [width, height - 80];
}
