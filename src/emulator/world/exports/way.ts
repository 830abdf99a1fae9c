import { nthUnsigned } from '../../../lib/nth.ts';
import { type Cost, goalsOf, NEAR, type Nearness, nearnessOf, profileOf } from '../sessions/index.ts';
import { browserOf, chance, type SessionRow } from './session-row.ts';
import { sites } from './site.ts';

/** How far a session gets on the pages to a conversion. */
export interface Way {
  /** Pages of the way that it sees, the first ones; all of them where it converts. */
  readonly depth: number;
  /** Views after the last of them, for those who leave the way. */
  readonly tail: number;
  /** The costs that it meets. */
  readonly met: readonly Cost[];
}

const OFF_THE_WAY: Way = { depth: 0, tail: 0, met: [] };

/** Shares of those who leave the way after no, one and two more views. */
const tails = [0.7, 0.2, 0.1] as const;
/** Views of buyers at least, and of others near to buying: `fillBehaviour` gives them. */
const FEWEST = { buyer: 6, near: 3 } as const;

/**
 * How deep sessions go that set out to buy `times` as often as sessions buy on usual days; those below the first come to the last page
 * before the confirmation.
 */
const depths = {
  shop: [1.6, 2.2, 3.1],
  app: [1.9, 2.8],
  content: [],
} as const;

/** Questions about a session that no other part asks. */
const ASK = { tail: 950, stops: 952, meets: 960, returns: 970 } as const;

function tailOf(seed: number): number {
  const draw = chance(seed, ASK.tail);
  if (draw < tails[0]) return 0;
  return draw < tails[0] + tails[1] ? 1 : 2;
}

/** Share of the first views of its page on which this session meets a cost. */
function shareOf({ browser, share }: Cost, row: SessionRow): number {
  return browser !== null && browserOf(row).name === browser.name ? Math.min(0.9, share * browser.times) : share;
}

/** Sessions that would have bought but for this cost, for each of those that pass it and would buy. */
function lostOf(cost: Cost, row: SessionRow): number {
  const lost = shareOf(cost, row) * (1 - cost.factor);
  return lost / (1 - lost);
}

/**
 * Which costs a buyer met. Who would buy meets a cost with its share and passes it with its factor, so among those who bought in the end
 * it is rarer.
 */
function metByBuyer(row: SessionRow, costs: readonly Cost[]): Cost[] {
  return costs.filter((cost, at) => chance(row.seed, ASK.meets + at) < shareOf(cost, row) * cost.factor * (1 + lostOf(cost, row)));
}

/**
 * The way of a session that a cost kept from buying; undefined for others. They lie next above the buyers, as many as the cost takes.
 * What they saw before is like what the buyers saw before: views beyond the fewest are memoryless, so among those with enough of them
 * the page stands as far into the visit as among buyers.
 */
function lostWay(row: SessionRow, { onTheDay }: Nearness, pages: readonly string[]): Way | undefined {
  const { costs } = row.day.buying;
  const moreViews = profileOf(row.project.id).meanViews - 1;
  const spare = (step: number, tail: number) => Math.max(0, FEWEST.buyer - pages.length + step + tail - FEWEST.near);
  let [from, passed] = [1, 1];
  for (const cost of costs.toReversed()) {
    const step = pages.indexOf(cost.page) + 1;
    const enough = tails.reduce((sum, share, tail) => sum + share * Math.exp(-spare(step, tail) / moreViews), 0);
    const to = from + (passed * lostOf(cost, row)) / enough;
    if (onTheDay >= from && onTheDay < to) {
      const tail = tailOf(row.seed);
      if (row.pageViews < FEWEST.near + spare(step, tail)) return undefined;
      const before = costs.slice(0, costs.indexOf(cost));
      return { depth: step, tail, met: [...metByBuyer(row, before), cost] };
    }
    from = to;
    passed *= 1 + lostOf(cost, row);
  }
  return undefined;
}

/** The way of a session that would not have bought in any case; a cost may end it earlier. */
function otherWay(row: SessionRow, { usual }: Nearness, pages: readonly string[]): Way {
  const { seed, pageViews, project } = row;
  const thresholds = depths[project.kind];
  const reached = thresholds.length - thresholds.findIndex((times) => usual < times);
  let depth = Math.min(pageViews - 1, reached > thresholds.length ? 0 : reached);
  const met = [];
  for (const [at, cost] of row.day.buying.costs.entries()) {
    const step = pages.indexOf(cost.page) + 1;
    if (step > depth || chance(seed, ASK.meets + at) >= shareOf(cost, row)) continue;
    met.push(cost);
    if (step < depth && chance(seed, ASK.stops + at) >= cost.factor) depth = step;
  }
  return { depth, tail: Math.min(pageViews - 1 - depth, tailOf(seed)), met };
}

/** Whether the session reached a goal by that name. */
export function reachedGoal({ project, day, index }: SessionRow, name: string): boolean {
  const bit = goalsOf(project.id).findIndex((goal) => goal.name === name);
  return bit >= 0 && (nthUnsigned(day.goals, index) & (1 << bit)) !== 0;
}

/** How far a session gets, whatever it costs. */
export function wayOf(row: SessionRow): Way {
  const { project, day, index, transactions, pageViews } = row;
  const pages = sites[project.kind].way;
  if (transactions > 0 || (project.kind === 'content' && reachedGoal(row, 'Subscription'))) {
    return { depth: Math.min(pages.length, pageViews), tail: 0, met: metByBuyer(row, day.buying.costs) };
  }
  const nearness = nearnessOf(day, index);
  if (nearness.usual >= NEAR) return OFF_THE_WAY;
  return lostWay(row, nearness, pages) ?? otherWay(row, nearness, pages);
}
