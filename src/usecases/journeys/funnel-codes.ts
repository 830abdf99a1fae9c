import { hasKind, type Step } from '../../domain/journeys/step.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { VisitPart } from './visit-relation.ts';
import type { Visits } from './visits.ts';

/** The statement's view of a funnel. */
export interface FunnelPlan {
  readonly steps: readonly Step[];
  readonly order: 'in_order' | 'direct';
  /** Visitors within this many days of their first step; left out: sessions. */
  readonly withinDays?: number | undefined;
  /**
   * The dimension of a split: an expression over columns of sessions; without one the entry page. `device`: a word for the device, by
   * which the groups are split once more.
   */
  readonly group?: { readonly visit?: string | undefined; readonly device?: string | undefined } | undefined;
  /** The sessions or visitors that are read; left out: all. */
  readonly part?: VisitPart | undefined;
}

/** Bits for the steps that something is. */
const MASK = 2n ** 8n;
/** ms since the first midnight of the range: some decades. */
const TIME = 2n ** 42n;
/** Up to this many views of a visitor with the same time keep their order. */
const TIES = 2n ** 12n;
/** Pages of a session that have a place of their own. */
const MOST_PLACES = 8_000n;
/** The place behind all pages of a session. */
export const LAST_PLACE = MOST_PLACES + 1n;

/** Whether steps are in order by time instead of by place: events have no place among pages, and sessions of a visitor none either. */
export function isByTime({ steps, withinDays }: FunnelPlan): boolean {
  return withinDays !== undefined || steps.some((step) => hasKind(step, 'event'));
}

/**
 * How a step that was done becomes one whole number, so that sorted numbers are steps in order: the place of the page in its session (or,
 * by time, none), the time since the first midnight, and in the lowest eight bits which steps it is.
 */
export function funnelCodes({ sql, days }: Visits, byTime: boolean) {
  const since = (time: string) => `greatest(${time} - ${days.first * DAY_MS}, 0)`;
  const unit = byTime ? TIES * MASK : MASK;
  const span = TIME * MASK;
  const timeOfView = (code: string) => `(${sql.quotient(code, Number(MASK))}) % ${TIME}`;
  return {
    /** Of a view, from its columns: its number, time and steps. */
    view: (mask: string) => sql.whole(`least(s.n, ${MOST_PLACES}) * ${span} + ${since('s.t')} * ${MASK} + ${mask}`),
    /** ms of a view since the first midnight, from its number. */
    timeOfView,
    /** Of a page, from the number of its first view and its place among the pages of the session. */
    page: (code: string, place: string) =>
      sql.whole(
        byTime
          ? `${timeOfView(code)} * ${unit} + (${sql.quotient(code, Number(span))} % ${TIES}) * ${MASK} + ${code} % ${MASK}`
          : `least(${place}, ${MOST_PLACES}) * ${span} + ${code} % ${span}`,
      ),
    /** Of what is no page; where places count, behind them all. */
    // After the pages of the same ms.
    other: (time: string, mask: string) =>
      sql.whole(byTime ? `${since(time)} * ${unit} + ${(TIES - 1n) * MASK} + ${mask}` : `${LAST_PLACE * span} + ${mask}`),
    /** ms since the first midnight. */
    time: (code: string) => (byTime ? sql.quotient(code, Number(unit)) : timeOfView(code)),
    /** How much larger the number of something is that happens so much later. */
    later: (ms: number) => BigInt(ms) * unit,
    /** The place in the session. */
    place: (code: string) => sql.quotient(code, Number(span)),
    /** The steps. */
    mask: (code: string) => `${code} % ${MASK}`,
  };
}
