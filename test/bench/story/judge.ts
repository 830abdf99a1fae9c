import { isLikeNature } from '../nature/metrics-world.ts';
import { SUMS } from '../nature/year-cases.ts';
import type { Look } from './looks.ts';
import { dayPlus, effectAt, METRIC_OF, type Place, type Planted } from './planted.ts';
import { daysOf } from './rest.ts';
import { type Bounded, type Claim, isSamePlace, placeOf, rowsOf, type Said } from './said.ts';

/** A share of the truth by which a size, and an amount, may miss it. */
const [OF_SIZE, OF_COST] = [0.15, 0.25];
/** A smaller effect is none. */
const LEAST_EFFECT = 0.01;
const TOLD = new Set(['up', 'down', 'drift', 'mixed', 'high', 'low']);

/** What one answer says of the planted change. */
export interface Judged {
  readonly look: Look;
  /** Places where the change shows, as the answer tells it. */
  readonly about: readonly Claim[];
  /** The claim that is taken for the story: at the planted place where there is one. */
  readonly claim: Claim | undefined;
  readonly place: boolean;
  readonly first: boolean;
  readonly size: boolean;
  readonly cost: boolean;
  /** Neither a claim nor a row says that anything changed. */
  readonly isDenied: boolean;
  /** Changes told of series without one, as text. */
  readonly invented: readonly string[];
}

interface Truth {
  readonly planted: Planted;
  /** The last day that is known. */
  readonly last: string;
}

/** The last day of the change that is known. */
const lastOf = ({ planted: { to }, last }: Truth) => (to !== undefined && to < last ? to : last);

function relativeEffect({ planted }: Truth, metric: string, place: Place, from: string, to: string): number {
  const effect = effectAt(planted, metric, place, from, to);
  return effect && effect.without > 0 ? effect.actual / effect.without - 1 : 0;
}

function isNear({ value, low, high }: Bounded, truth: number, share: number): boolean {
  const isInside = (low === undefined || low <= truth) && (high === undefined || truth <= high);
  return isInside && Math.abs(value - truth) <= share * Math.abs(truth);
}

/** What season, growth and special days alone make of a metric on some days against others, as a share. */
function naturalEffect({ planted: { world } }: Truth, metric: string, own: readonly [string, string], others: readonly [string, string]) {
  if (!SUMS.has(metric)) return 0;
  const meanOf = ([from, to]: readonly [string, string]) => {
    const [first, end] = [from, to].map((day) => Math.round((Date.parse(day) - world.firstMs) / 86_400_000));
    const days = world.usual.slice(first, (end ?? 0) + 1);
    return days.reduce((sum, value) => sum + value, 0) / days.length;
  };
  return meanOf(own) / meanOf(others) - 1;
}

const isLike = (percent: number, natural: number) => Math.abs(natural) >= LEAST_EFFECT && isLikeNature(percent, natural);

/** Whether a claim is of the season or growth that the world has beside the planted change: a drift, or two ranges that differ by it. */
function isOfNature({ metric, shape, from, percent }: Claim, truth: Truth, baseline: Said['baseline']): boolean {
  if (percent === undefined) return false;
  const days = Math.round((Date.parse(truth.last) - Date.parse(from)) / 86_400_000) + 1;
  const week = Math.min(7, days);
  const [own, others] =
    shape === 'range' && baseline
      ? ([
          [from, truth.last],
          [baseline.start.slice(0, 10), baseline.end.slice(0, 10)],
        ] as const)
      : ([
          [dayPlus(truth.last, 1 - week), truth.last],
          [from, dayPlus(from, week - 1)],
        ] as const);
  return (shape === 'range' || shape === 'drift') && isLike(percent.value, naturalEffect(truth, metric, own, others));
}

/** Whether a claim is of the planted change: at a place and of a metric on which it has an effect, and on days of it. */
function isAbout({ metric, place, from, to }: Claim, truth: Truth): boolean {
  const last = lastOf(truth);
  if (from > dayPlus(last, 1) || (to ?? truth.last) < dayPlus(truth.planted.from, -1)) return false;
  return Math.abs(relativeEffect(truth, metric, place, truth.planted.from, last)) >= LEAST_EFFECT;
}

/** The size that the change truly has where and of what a claim tells it, in percent. */
export function trueSize({ metric, place }: Claim, truth: Truth): number {
  return 100 * relativeEffect(truth, metric, place, truth.planted.from, lastOf(truth));
}

/** The amount that the change truly makes of the outcome that a claim names, over the days that it names. */
export function trueCost({ cost }: Claim, truth: Truth): number {
  const { planted } = truth;
  const effect = cost && effectAt(planted, cost.of, planted.place, cost.from ?? planted.from, cost.to ?? lastOf(truth));
  return effect ? effect.actual - effect.without : Number.NaN;
}

function isFirstDay({ from, earliest, latest }: Claim, { planted }: Truth): boolean {
  if (earliest !== undefined && latest !== undefined) return earliest <= planted.from && planted.from <= latest;
  return from >= dayPlus(planted.from, -1) && from <= dayPlus(planted.from, 1);
}

/** A verdict of a row that is not of levels side by side. */
interface RowVerdict {
  readonly metric: string;
  readonly place: Place;
  readonly name: string;
  /** Whether the change has any effect on what the row compares. */
  readonly isTouched: boolean;
}

/** The rows whose verdict says that something changed. */
function toldRows(said: Said, look: Look, truth: Truth): RowVerdict[] {
  const rows = rowsOf(said);
  const { baseline, devices = [], segments = [] } = said;
  // On the days of the change alone: two of ninety days move their range by less than what counts as an effect.
  const effectOf = (metric: string, place: Place, from: string, to: string) => {
    const [first, last] = [from > truth.planted.from ? from : truth.planted.from, to < lastOf(truth) ? to : lastOf(truth)];
    return first <= last && Math.abs(relativeEffect(truth, metric, place, first, last)) >= LEAST_EFFECT;
  };
  const placed = (row: (typeof rows)[number]) => placeOf({ ...look.place, ...row });
  const told = (some: typeof rows, column: string) => some.filter((row) => TOLD.has(String(row[column])));
  if (baseline) {
    const [start, end] = [baseline.start.slice(0, 10), baseline.end.slice(0, 10)];
    return told([...rows, ...devices, ...segments], 'verdict').map((row): RowVerdict => {
      const [metric, place] = [String(row['metric'] ?? said.explained), placed(row)];
      const natural = naturalEffect(truth, metric, [look.from, look.to], [start, end]);
      const isNatural = isLike(Number(row['changePercent']), natural);
      const isTouched = isNatural || effectOf(metric, place, look.from, look.to) || effectOf(metric, place, start, end);
      return { metric, place, name: `${String(row['verdict'])} in the range`, isTouched };
    });
  }
  const metric = METRIC_OF[truth.planted.on];
  return told(rows, 'verdict').map((row) => {
    const [place, { from, to }] = [placed(row), daysOf(row, look)];
    return { metric, place, name: `${String(row['verdict'])} on ${from}`, isTouched: effectOf(metric, place, from, to) };
  });
}

const textOf = ({ metric, place: { device = 'all', segment } }: Pick<Claim, 'metric' | 'place'>, rest: string) =>
  `${metric} (${[device, segment].filter(Boolean).join(', ')}) ${rest}`;

/** Judges what an answer says of the planted change, by its structured content alone. */
export function judge(said: Said, claims: readonly Claim[], look: Look, truth: Truth): Judged {
  const { planted } = truth;
  const about = claims.filter((claim) => isAbout(claim, truth));
  const atPlace = about.filter(({ place }) => isSamePlace(place, planted.place));
  const claim = atPlace.find(({ metric }) => metric === METRIC_OF[planted.on]) ?? atPlace[0] ?? about[0];
  const rows = look.isOfLevels ? [] : toldRows(said, look, truth);
  const invented = [
    ...claims
      .filter((each) => !about.includes(each) && !isOfNature(each, truth, said.baseline))
      .map((each) => textOf(each, `${each.percent?.value}% since ${each.from}`)),
    ...rows.filter(({ isTouched }) => !isTouched).map((row) => textOf(row, row.name)),
  ];
  return {
    look,
    about,
    claim,
    place: atPlace.length > 0,
    first: claim !== undefined && isFirstDay(claim, truth),
    size: claim?.percent !== undefined && isNear(claim.percent, trueSize(claim, truth), OF_SIZE),
    cost: claim?.cost !== undefined && isNear(claim.cost, trueCost(claim, truth), OF_COST),
    isDenied: about.length === 0 && !rows.some(({ isTouched }) => isTouched),
    invented,
  };
}

/** A way that agrees in all four. */
export const isRight = ({ place, first, size, cost }: Judged): boolean => place && first && size && cost;

/** Findings of the looks that one adds to, which it does not have; a look within a place has only those of that place. */
export function lostBy(own: Judged, all: readonly Judged[]): { readonly looked: number; readonly lost: readonly string[] } {
  const { adds = [], place } = own.look;
  const before = all
    .filter(({ look }) => adds.includes(look.name))
    .flatMap(({ look, about }) => about.map((claim) => ({ claim, from: look.name })))
    .filter(({ claim }) => place.device === undefined || claim.place.device === place.device);
  const isKept = ({ place: at, from }: Claim) =>
    own.about.some((kept) => isSamePlace(kept.place, at) && kept.from >= dayPlus(from, -1) && kept.from <= dayPlus(from, 1));
  const lost = before
    .filter(({ claim }) => !isKept(claim))
    .map(({ claim, from }) => textOf(claim, `since ${claim.from}, found by "${from}"`));
  return { looked: before.length, lost };
}

/** Whether ways tell one story: the same place, first day, size and, in one unit over the same days, cost. */
export function isOneStory(ways: readonly Judged[]): boolean {
  const claims = ways.map(({ claim }) => claim);
  const [one] = claims;
  const alike = (a: number | undefined, b: number | undefined) => Math.abs((a ?? 0) - (b ?? 0)) <= 0.02 * Math.abs(a ?? 0);
  return claims.every((claim) => {
    if (!one || !claim || !isSamePlace(claim.place, one.place) || claim.from !== one.from || claim.to !== one.to) return false;
    const isOfOneMetric = claim.metric === one.metric;
    const isOfOneUnit = (['of', 'from', 'to'] as const).every((member) => claim.cost?.[member] === one.cost?.[member]);
    return (
      (!isOfOneMetric || alike(one.percent?.value, claim.percent?.value)) && (!isOfOneUnit || alike(one.cost?.value, claim.cost?.value))
    );
  });
}
