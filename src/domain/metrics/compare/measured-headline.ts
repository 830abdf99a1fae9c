import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { type FoundChange, measureChange, sizeOfDays } from '../engine/measure.ts';
import { findReasons, type Reasons } from '../engine/reasons.ts';
import type { Effect } from '../engine/scan.ts';
import type { Change } from './change.ts';
import { daysOf, type JudgedChanges, occasionOf, type PeriodsInput, PRODUCTS, pointsKnown } from './judged-changes.ts';
import type { MeasuredChange } from './measured-change.ts';
import { isChanged, type Judged, judgeReading, kindOf, type Reading } from './readings.ts';

const pValueOf = ({ main }: Judged) => main?.pValue ?? 1;

/** The factor of a product that changed most clearly, with the selections that show it; undefined where none did. */
function factorBehind(metric: string, { readings: [whole], devices }: PeriodsInput, { judgedOf }: JudgedChanges) {
  if (!whole) return undefined;
  const found = factorsOf(metric, whole).map((factor) => {
    const known = judgedOf(factor);
    const judged = known.length > 0 ? known : [whole, ...devices].map((reading) => judgeReading(reading, factor));
    return { metric: factor, judged: judged.filter((own) => isChanged(own) && own.main) };
  });
  const [first] = found
    .flatMap(({ metric: factor, judged }) => judged.map((own) => ({ metric: factor, own })))
    .toSorted((a, b) => pValueOf(a.own) - pValueOf(b.own));
  return first;
}

/** Where a change lies, and its size there as it was found. */
interface Located {
  readonly reading: Reading;
  readonly found: FoundChange;
}

/** The one device that moved otherwise than the rest, with its own size, or the whole; `since` is of the whole or of any device. */
function locate(change: Change, since: DatedChange, reasons: Reasons | undefined, input: PeriodsInput): Located | undefined {
  const { devices, readings, windows } = input;
  const [whole] = readings;
  if (!whole) return undefined;
  const groups = devices.map((reading) => ({ name: reading.device, days: daysOf(reading, change.metric) }));
  const { named, groups: moved } = reasons ?? findReasons(occasionOf({ ...change, since }, whole, undefined, windows), groups);
  const reading = devices.find(({ device }) => device === named);
  const { relative = null, low = null, high = null } = moved.find(({ name }) => name === named) ?? {};
  if (!reading || relative === null || low === null || high === null) return { reading: whole, found: since };
  return { reading, found: { from: since.from, to: since.to, relative, low, high } };
}

/** A device that stands out alone: by the factor that its product follows from, where one changed. */
function locatedDevice({ metric, reading, main }: Judged): (Located & { metric: string }) | undefined {
  const changed = factorsOf(metric, reading)
    .map((factor) => judgeReading(reading, factor))
    .filter((own) => isChanged(own) && own.main);
  const [clearest] = changed.toSorted((a, b) => pValueOf(a) - pValueOf(b));
  const found = clearest?.main ?? main;
  return found && { metric: clearest?.metric ?? metric, reading, found };
}

/** The change that is to be measured, of the headline, its factor or the device that stands out alone. */
function locatedHeadline(
  input: PeriodsInput,
  judged: JudgedChanges,
  reasons: Reasons | undefined,
): (Located & { metric: string }) | undefined {
  const { headline, hidden } = judged;
  if (hidden) return locatedDevice(hidden);
  const { since } = headline;
  if (!since || !isChanged(headline.judgement)) return undefined;
  const factor = factorBehind(headline.metric, input, judged);
  const metric = factor?.metric ?? headline.metric;
  const located = locate({ ...headline, metric }, factor?.own.main ?? since, factor ? undefined : reasons, input);
  return located && { ...located, metric };
}

/** Measures the change of the headline where it has a first day; `reasons` are those of its devices, where they are known. */
export function measureHeadline(input: PeriodsInput, judged: JudgedChanges, reasons: Reasons | undefined): MeasuredChange | undefined {
  if (input.readings.length !== 1 || !input.windows.isAdjacent) return undefined;
  const located = locatedHeadline(input, judged, reasons);
  const change = located && measureChange(kindOf(located.metric), pointsKnown(located.reading, located.metric), located.found);
  if (!change) return undefined;
  const { metric, reading } = located;
  return { metric, device: reading.device, change };
}

/** Days by which the first day of the same change may be found off. */
const NEAR_MS = 3 * 86_400_000;
const isNear = (a: string, b: string) => Math.abs(Date.parse(a) - Date.parse(b)) <= NEAR_MS;

/** Whether a size is one of this direction, of which chance leaves no doubt: bounds that hold 0 are no rise and no fall. */
const isOfWay = ({ relative, low, high }: Effect, way: number) => relative * way > 0 && low * high > 0;

/** The size that a product has in a reading on the days of its factor, where it moved with it. */
export function followingSize(metric: string, reading: Reading, { change }: MeasuredChange): Effect | undefined {
  const size = factorsOf(metric, reading).length > 0 ? sizeOfDays(kindOf(metric), daysOf(reading, metric), change) : undefined;
  return size && isOfWay(size, change.relative) ? size : undefined;
}

/** The change of a product on the days of its factor: it follows, so it has no first day of its own. */
function following({ metric, judgement }: Change, whole: Reading, measured: MeasuredChange): DatedChange | undefined {
  const { change } = measured;
  const isMoved = metric !== measured.metric && isChanged(judgement) && (judgement.relative ?? 0) * change.relative > 0;
  const size = isMoved ? followingSize(metric, whole, measured) : undefined;
  return size && { ...change, relative: size.relative, low: size.low, high: size.high };
}

/** The headline with the first day that was measured, and its size where it was measured there; what follows from it has the same day. */
export function withMeasured(judged: JudgedChanges, whole: Reading, measured: MeasuredChange): JudgedChanges {
  const { metric, device, change } = measured;
  const { from, to, days, earliest, latest } = change;
  const changes = judged.changes.map((own): Change => {
    const product = following(own, whole, measured);
    if (product) return { ...own, since: product };
    const isSame = own.since && isNear(own.since.from, from) && (own.since.to === undefined) === (to === undefined);
    if (!own.since || !isSame || (own !== judged.headline && own.metric !== metric)) return own;
    if (device === 'all' && own.metric === metric) return { ...own, since: change };
    // Where a device dates the change, its size in all visits is that of these days.
    const size = own.judgement.main?.from === from ? undefined : sizeOfDays(kindOf(own.metric), daysOf(whole, own.metric), change);
    const { relative, low, high } = size && isOfWay(size, own.since.relative) ? size : own.since;
    return { ...own, since: { ...own.since, relative, low, high, from, days, earliest, latest, ...(to !== undefined && { to }) } };
  });
  return { ...judged, changes, headline: changes[judged.changes.indexOf(judged.headline)] ?? judged.headline };
}

/** A metric that changed, with how its devices moved. */
export interface OtherPlace {
  readonly metric: string;
  readonly reasons: Reasons;
}

/** Other metrics that changed by themselves, with their devices; those of the headline and of products are told elsewhere. */
export function otherPlaces(input: PeriodsInput, { changes, headline }: JudgedChanges, measured: MeasuredChange | undefined): OtherPlace[] {
  const { devices, windows, readings } = input;
  const [whole] = readings;
  const told = new Set([headline.metric, measured?.metric, ...PRODUCTS]);
  const others = changes.filter(({ metric, since, judgement }) => !told.has(metric) && since !== undefined && isChanged(judgement));
  return others.flatMap((change) => {
    const groups = devices.map((reading) => ({ name: reading.device, days: daysOf(reading, change.metric) }));
    return whole ? [{ metric: change.metric, reasons: findReasons(occasionOf(change, whole, undefined, windows), groups) }] : [];
  });
}
