/** Four decimals, as the platform gives rates; what is shown adds up, because sums and remainders are made of shown numbers. */
export function fixed(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Counts of one group on both sides; visits of a count are left out. */
export interface Group {
  readonly name: string;
  readonly before: Counts;
  readonly after: Counts;
}

/** What a rate is made of. */
export interface Counts {
  readonly conversions: number;
  readonly visits: number;
}

/** What of a change of a rate comes from one group, in points of the rate. */
export interface Effects {
  /** Its share of the visits moved, and its rate is another than that of the whole. */
  readonly mix: number;
  /** Its own rate moved. */
  readonly rate: number;
}

const rateOf = ({ conversions, visits }: Counts) => (visits > 0 ? conversions / visits : undefined);

function sumOf(groups: readonly Group[], side: 'before' | 'after'): Counts {
  const add = (name: keyof Counts) => groups.reduce((sum, group) => sum + group[side][name], 0);
  return { conversions: add('conversions'), visits: add('visits') };
}

/**
 * Splits the change of a rate over groups that partition the visits (Marshall–Edgeworth, symmetric in time): mix = Δshare × (mean rate −
 * mean rate of the whole), rate = mean share × Δrate. All effects together are the change; a group without visits on one side is all mix.
 */
export function splitRate(groups: readonly Group[]): Effects[] {
  const [before, after] = [sumOf(groups, 'before'), sumOf(groups, 'after')];
  const whole = ((rateOf(before) ?? 0) + (rateOf(after) ?? 0)) / 2;
  return groups.map((group) => {
    const [shareBefore, shareAfter] = [group.before.visits / before.visits, group.after.visits / after.visits];
    const first = rateOf(group.before) ?? rateOf(group.after) ?? whole;
    const second = rateOf(group.after) ?? rateOf(group.before) ?? whole;
    return {
      mix: (shareAfter - shareBefore) * ((first + second) / 2 - whole),
      rate: ((shareBefore + shareAfter) / 2) * (second - first),
    };
  });
}

/** What of a change of revenue comes from each of its factors, in the currency. */
export interface RevenueSplit {
  readonly visits: number;
  readonly conversion: number;
  readonly basket: number;
}

/** Counts that revenue is made of. */
export interface Takings extends Counts {
  readonly revenue: number;
}

function logMean(a: number, b: number): number {
  return a === b ? a : (a - b) / Math.log(a / b);
}

/**
 * Splits a change of revenue = visits × conversion × basket, where basket = revenue / conversions (logarithmic mean Divisia index, Ang 2005):
 * the three add up exactly. Undefined where a side has no visit, conversion or revenue.
 */
export function splitRevenue(before: Takings, after: Takings): RevenueSplit | undefined {
  const all = [before, after].flatMap(({ visits, conversions, revenue }) => [visits, conversions, revenue]);
  if (all.some((value) => !(value > 0))) return undefined;
  const weight = logMean(after.revenue, before.revenue);
  const effect = (of: (takings: Takings) => number) => weight * Math.log(of(after) / of(before));
  return {
    visits: effect(({ visits }) => visits),
    conversion: effect(({ visits, conversions }) => conversions / visits),
    basket: effect(({ conversions, revenue }) => revenue / conversions),
  };
}
