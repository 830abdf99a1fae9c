import type { Cells } from '../../../../src/domain/journeys/impact/cells.ts';
import type { SessionRow, ViewRow } from '../visit-world.ts';

/** A session at its first view of a page, walked in plain code. */
export interface Unit {
  readonly session: SessionRow;
  readonly first: ViewRow;
  readonly before: readonly ViewRow[];
  readonly after: readonly ViewRow[];
}

/** Sessions that reached a page, at their first view of it. */
export function unitsOf(sessions: readonly SessionRow[], isPage: (path: string) => boolean): Unit[] {
  return sessions.flatMap((session) => {
    const views = session.views.toSorted((a, b) => a.number - b.number);
    const at = views.findIndex(({ path }) => isPage(path));
    const first = views[at];
    return first ? [{ session, first, before: views.slice(0, at), after: views.slice(at + 1) }] : [];
  });
}

const DAY_MS = 86_400_000;
const rung = (value: number, limits: readonly number[]) => limits.filter((limit) => value >= limit).length;

/** What is known of a session before the first view of the page; each is a label, the order of labels says nothing. */
function labelsOf({ session, first, before }: Unit, pages: readonly string[], slowMs: ReadonlyMap<string, number>): string[] {
  const entry = [...before, first][0];
  const seconds = Math.floor(first.timeMs / 1000) - Math.floor(session.beganMs / 1000);
  return [
    session.device === 5 ? '4' : String(session.device),
    session.number > 1 ? 'returning' : 'new',
    session.browser ?? '',
    session.country ?? '',
    /^[a-z]+:\/\/([^/?#:]+)/.exec(session.referrer ?? '')?.[1] ?? '',
    String(Math.floor(session.beganMs / DAY_MS)),
    entry?.path ?? '',
    String(rung(first.number, [2, 3, 4, 6, 9, 13])),
    String(rung(seconds, [1, 15, 30, 60, 120, 240, 480])),
    String(before.some(({ path, loadedMs }) => loadedMs > (slowMs.get(path) ?? Number.POSITIVE_INFINITY))),
    ...pages.map((page) => String(before.some(({ path }) => path === page))),
  ];
}

/**
 * The cells of the units of a page, each unit one of its own; `isBackward`: of two levels with as many sessions, the other one counts as
 * the most usual, from which the outcome model's prior is counted.
 */
export function plainCells(
  units: readonly Unit[],
  {
    pages,
    slowMs,
    isExposed,
    converts,
  }: {
    pages: readonly string[];
    slowMs: ReadonlyMap<string, number>;
    isExposed: (unit: Unit) => boolean;
    converts: (unit: Unit) => boolean;
  },
  isBackward = false,
): Cells {
  const labels = units.map((unit) => labelsOf(unit, pages, slowMs));
  const inOrder = (names: string[]) => (isBackward ? names.toReversed() : names);
  const known = labels[0]?.map((_, at) => inOrder([...new Set(labels.map((own) => own[at] ?? ''))])) ?? [];
  const levels = Uint8Array.from(labels.flatMap((own) => own.map((label, at) => known[at]?.indexOf(label) ?? 0)));
  const column = (of: (unit: Unit) => number) => Float64Array.from(units, of);
  return {
    covariates: known.map((names, at) => ({ name: String(at), levels: names.length })),
    count: units.length,
    levels,
    exposure: column((unit) => Number(isExposed(unit))),
    factor: column(() => 1),
    sessions: column(() => 1),
    conversions: column((unit) => Number(converts(unit))),
    revenue: column(({ session }) => session.revenueCents),
    revenueSquares: column(({ session }) => session.revenueCents ** 2),
    met: [],
  };
}
