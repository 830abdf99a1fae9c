import { type Random, seeded } from '../random.ts';
import { chanceOf, type Selection, type World } from './world.ts';

/** Draws of the unchanged split that the oracle measures its statistic against. */
const DRAWS = 400;
/** Probability of naming a part although all moved alike: the aim of the bench. */
const ERROR = 0.05;

/** The conversions of one day by part, and the share of each part where all moved alike. */
interface Split {
  readonly counts: readonly number[];
  readonly shares: readonly number[];
}

function splitOf({ cells }: World, parts: readonly Selection[], day: number): Split {
  const own = parts.map(({ device, segment }) =>
    cells.filter((cell) => (device ?? cell.device) === cell.device && (segment ?? cell.segment) === cell.segment),
  );
  const expected = own.map((of) => of.reduce((sum, cell) => sum + (cell.visits[day] ?? 0) * chanceOf(cell), 0));
  const all = expected.reduce((sum, value) => sum + value, 0);
  return {
    counts: own.map((of) => of.reduce((sum, cell) => sum + (cell.conversions[day] ?? 0), 0)),
    shares: expected.map((value) => value / all),
  };
}

/** For each part the logarithm of the likelihood ratio that it alone converts `factor` times as well, against all alike. */
function ratiosOf(splits: readonly Split[], factor: number): number[] {
  const [first] = splits;
  return (first?.shares ?? []).map((_, part) =>
    splits.reduce((sum, { counts, shares }) => {
      const total = counts.reduce((all, count) => all + count, 0);
      return sum + (counts[part] ?? 0) * Math.log(factor) - total * Math.log(1 + (factor - 1) * (shares[part] ?? 0));
    }, 0),
  );
}

/** A planted change of the rate of one part, and the seed of the draws that it is measured against. */
interface Known {
  readonly from: number;
  readonly factor: number;
  readonly seed: number;
}

/** The same conversions of a day, which fall to the parts as if all moved alike. */
function redrawn({ counts, shares }: Split, { binomial }: Random): Split {
  let left = counts.reduce((sum, count) => sum + count, 0);
  let rest = 1;
  const drawn = shares.map((share) => {
    const count = rest > share ? binomial(left, share / rest) : left;
    left -= count;
    rest -= share;
    return count;
  });
  return { counts: drawn, shares };
}

/**
 * The name that an oracle gives: it knows the true rates, the days and the size of the change, and that either one part has it or all moved
 * alike, but not which. It goes by how the conversions of each day fall to the parts, which is free of what moves all of them, and names a
 * part although all moved alike in at most 5 % of worlds (Neyman and Pearson 1933); what has to learn rates and days can hardly name more.
 */
export function ceilingOf(
  world: World,
  parts: readonly { readonly name: string; readonly selection: Selection }[],
  { from, factor, seed }: Known,
): string | undefined {
  const selections = parts.map(({ selection }) => selection);
  const splits = world.labels.slice(from).map((_, at) => splitOf(world, selections, from + at));
  const ratios = ratiosOf(splits, factor);
  const largest = Math.max(...ratios);
  const random = seeded(seed);
  let higher = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const unchanged = splits.map((split) => redrawn(split, random));
    if (Math.max(...ratiosOf(unchanged, factor)) >= largest) higher += 1;
  }
  return (higher + 1) / (DRAWS + 1) <= ERROR ? parts[ratios.indexOf(largest)]?.name : undefined;
}
