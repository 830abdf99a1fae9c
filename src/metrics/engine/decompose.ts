/**
 * A value as numerator / denominator; a count or an amount has the denominator 1. Ranges and groups that do not overlap are combined by
 * adding both.
 */
export interface Sums {
  readonly numerator: number;
  readonly denominator: number;
}

/** A group of visits before and after. */
export interface GroupSums {
  readonly name: string;
  readonly before: Sums;
  readonly after: Sums;
}

const valueOf = ({ numerator, denominator }: Sums) => (denominator > 0 ? numerator / denominator : undefined);

/**
 * Splits the change of a ratio over groups that partition it (Marshall–Edgeworth, symmetric in time): mix = Δshare × (mean value − mean
 * value of the whole), rate = mean share × Δvalue. All parts together are the change; a group without members on one side is all mix.
 * Undefined where the whole has no members on a side.
 */
export function decompose(groups: readonly GroupSums[]) {
  const total = (side: 'before' | 'after', member: keyof Sums) => groups.reduce((sum, group) => sum + group[side][member], 0);
  const [before, after] = [total('before', 'denominator'), total('after', 'denominator')];
  if (!(before > 0) || !(after > 0)) return undefined;
  const middle = (total('before', 'numerator') / before + total('after', 'numerator') / after) / 2;
  return groups.map((group) => {
    const [shareBefore, shareAfter] = [group.before.denominator / before, group.after.denominator / after];
    const first = valueOf(group.before) ?? valueOf(group.after) ?? middle;
    const second = valueOf(group.after) ?? first;
    return {
      name: group.name,
      shareBefore,
      shareAfter,
      mix: (shareAfter - shareBefore) * ((first + second) / 2 - middle),
      rate: ((shareBefore + shareAfter) / 2) * (second - first),
    };
  });
}
