import { isDeepStrictEqual as isSamePlace } from 'node:util';
import { type Facts, type Finding, type FindingPlace, mayBeSeason } from '../../findings/finding.ts';
import { paragraphOf, ranked } from '../../findings/paragraph.ts';
import { type Grammar, isMoved, saidOf, sentenceOf, subjectText } from '../../findings/sentence.ts';
import { dateText, listed, rangeText } from '../../findings/wording.ts';
import { dayAfter, daysFrom, type Interval } from '../../lib/calendar.ts';
import { grouped } from '../../lib/grouped.ts';
import { formatPercent } from '../../lib/number-text.ts';
import { capital, lowered } from '../../lib/sentences.ts';
import type { SpecialDays } from '../calendar/special-days.ts';
import { joined, type Occasion, occasionsOf } from '../calendar/special-words.ts';
import { logOf } from '../change-cost.ts';
import { isOfThisPart, mixCauses, partCauses, shareOf } from '../change-places.ts';
import { type DatedChange, USUAL_DAYS } from '../engine/changes.ts';
import { isNewAt } from '../engine/expectation.ts';
import { LAST } from '../engine/scan.ts';
import { type DailyPoint, valueOf } from '../engine/series.ts';
import { changeFacts, faultFacts, levelUnit, orderCause, usualLevel, wordedAll } from '../findings.ts';
import { definitionOf, unitOf } from '../metric-definitions.ts';
import { nameOf } from '../metric-names.ts';
import type { CountingFault } from '../quality/counting.ts';
import { dayPoints, figuresOf as expectedFigures, rounded } from '../read/day-points.ts';
import { calendarCause } from '../season.ts';
import { areNear, isDay, isOn, measuredAt, pointsKnown, type SiteChange } from '../site-changes.ts';
import { type Causes, type CausesInput, deviceCause } from './causes.ts';
import { type Change, earlierOf, figuresOf } from './change.ts';
import { changeTable, deviceRecord, revenueRecord, segmentRecord, sizeOf, sizeOfFigures, sumsOf } from './comparison-rows.ts';
import { isOf, toldFor } from './dated-changes.ts';
import { changeOf } from './judged-changes.ts';
import { isChanged, type Reading, toldVerdict } from './readings.ts';

/** Facts that the words of a comparison need. */
export interface ComparisonScene {
  readonly causes: Causes;
  readonly located: readonly SiteChange<Reading>[];
  readonly input: CausesInput;
  readonly grammar: Grammar;
  readonly faults: readonly CountingFault[];
  readonly specialDays: SpecialDays;
  readonly currency: string | undefined;
  /** First and last day of the period; the same day for one. */
  readonly period: { readonly from: string; readonly to: string };
  readonly baseline: ComparisonScene['period'];
  readonly placeOf: (reading: Reading, metric: string) => FindingPlace;
  /** Selections that narrow the whole comparison. */
  readonly whole: FindingPlace;
  /** Sentences that come before the findings. */
  readonly first: readonly string[];
  /** The goal was named, and is answered first. */
  readonly isGoalNamed: boolean;
  /** Sentences of an answer that is one of several; undefined where it stands alone. */
  readonly most: number | undefined;
}

/** Parts of a change that are told as its own: a smaller one is no story of it. */
const LEAST_PART = 0.2;

/** A part of more than half of a change is what it comes from. */
const MOST = 0.5;
const REVENUE_FACTORS = [
  ['visits', 'visits'],
  ['conversionRate', 'conversion'],
  ['cartAverage', 'basket'],
] as const;

/**
 * The causes of a change on its own days: what parts of its visits have to do with it, and that one device alone moved. Of a change on a
 * segment the place says it all.
 */
function causesOf(own: SiteChange<Reading>, { causes: { whole }, input }: ComparisonScene): Facts['causes'] {
  const { metric, reading } = own;
  const { devices, segments, judged } = input;
  if (!whole || (reading !== whole && !devices.includes(reading))) return [];
  const chosen = segments.chosen.map((each) => each.reading);
  const partName = (part: Reading) => {
    const segment = segments.chosen.find((each) => each.reading === part);
    return segment ? `"${segment.name}"` : part.device;
  };
  const made = partCauses(own, { all: [whole, ...devices, ...chosen], looked: devices.length + segments.all.length }, partName);
  if (reading === whole) return made;
  const others = judged.devicesOf(metric).filter((other) => other.reading !== reading && other.verdict !== 'not enough data');
  const isAlone = others.length > 0 && !others.some(isChanged) && isOfThisPart(own, measuredAt({ ...own, reading: whole }));
  return [...(isAlone ? [{ kind: 'place' as const, name: reading.device, basis: 'measured' as const }] : []), ...made];
}

/** The factors each of which makes most of a change of revenue; none where several do together. */
function factorCauses(metric: string, { causes: { revenue } }: ComparisonScene): Facts['causes'] {
  if (metric !== 'revenueSum' || !revenue || revenue.difference === 0) return [];
  return REVENUE_FACTORS.flatMap(([factor, part]) => {
    const share = shareOf(revenue.split[part], revenue.difference) ?? 0;
    return share > MOST ? [{ kind: 'factor' as const, name: nameOf(factor).toLowerCase(), share, basis: 'measured' as const }] : [];
  });
}

/** A change of the table with the days on which it is told. */
function onToldDays(change: Change, reading: Reading | undefined, { located }: ComparisonScene): Change {
  const { metric, since } = change;
  return reading && since ? { ...change, since: toldFor({ metric, reading, change: since }, located)?.change ?? since } : change;
}

/** A change of the table with the verdict of its sentence. */
function asTold(change: Change, told: Facts | undefined): Change {
  const isCalm = told?.verdict === 'unchanged' && told.against?.name === undefined;
  return isCalm ? { ...change, since: undefined, judgement: { ...change.judgement, verdict: 'within noise' } } : change;
}

/** The special days of a range; of two ranges those of one alone. */
function specialCauses({ specialDays }: ComparisonScene, ...ranges: readonly ComparisonScene['period'][]): Facts['causes'] {
  const daysOf = ({ from, to }: ComparisonScene['period']) =>
    Array.from({ length: daysFrom(from, to) + 1 }, (_, day) => dayAfter(from, day));
  const names = ranges.flatMap((range) => [...new Set(daysOf(range).flatMap((day) => specialDays(day)?.name ?? []))]);
  const own = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  return own.slice(0, MOST_NAMES).map((name) => ({ kind: 'special day', name, basis: 'inferred' }));
}

const MOST_NAMES = 2;

/** Whether comparable days changed, the way of the figures, which that explains. */
const isOwnWay = (change: Change) => isChanged(change.judgement) && (change.judgement.relative ?? 0) * (figuresOf(change) ?? 0) >= 0;

/** Days of some that are no part of the levels of the ranges, as an occasion each. */
function standingOut(change: Change, reading: Reading, scene: ComparisonScene, labels: readonly string[]): Occasion[] {
  const { metric } = change;
  const year = scene.period.to.slice(0, 4);
  const unusual = leftOut(change, reading, scene).filter(({ from }) => !scene.specialDays(from));
  return unusual.map((own) => ({
    name: `${nameOfDays(metric, pointsKnown(reading, metric), own)} ${rangeText(own.from, own.to ?? own.from, year)}`,
    days: labels.filter((label) => isOn(own, { first: label, last: label })).map((label) => ({ label, offset: logOf(own.relative) })),
    isClear: true,
  }));
}

/**
 * Why the figures of two ranges differ: special days, and where comparable days do not differ, days that stand out, with their part of the
 * difference: what is left where each of these is as usual is not theirs.
 */
function calendarCauses(change: Change, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  const { specialDays, period } = scene;
  const { metric } = change;
  const [before, after] = [reading?.baselineDays ?? [], reading?.periodDays ?? []].map((rows) => dayPoints(rows, metric));
  if (!reading || !before || !after || Math.abs(figuresOf(change) ?? 0) < LEAST_FIGURE) return [];
  const labels = [...before, ...after].map(({ label }) => label);
  // As many special days of a name on both sides are no difference.
  const countOf = (days: typeof before, name: string) => days.filter(({ label }) => specialDays(label)?.name === name).length;
  const points = pointsKnown(reading, metric);
  // A change that special days of no known year may have made alone is their effect.
  const owned = change.judgement.changes.filter((own) =>
    calendarCause(metric, points, { ...own, to: own.to ?? period.to }).every(({ kind }) => kind !== 'special day'),
  );
  const special = occasionsOf(points, new Set(labels), specialDays, owned).filter(
    ({ name }) => countOf(before, name) !== countOf(after, name),
  );
  const occasions = [...joined(special), ...standingOut(change, reading, scene, labels)];
  const differenceWithout = (left: readonly Pick<Occasion, 'days'>[]) => {
    const effects = left.flatMap(({ days }) => days);
    // Of a day that stands out in an episode too, both.
    const effectOn = (own: string) => effects.reduce((sum, { label, offset }) => sum + (label === own ? offset : 0), 0);
    const usual = (days: typeof before) => days.map((day) => ({ ...day, numerator: day.numerator * Math.exp(-effectOn(day.label)) }));
    return Math.log(valueOf(usual(after)) / valueOf(usual(before)));
  };
  const partOf = (some: readonly Pick<Occasion, 'days'>[]) => 1 - differenceWithout(some) / differenceWithout([]);
  const parts = [...grouped(occasions, ({ name }) => name)].map(([name, own]) => ({ name, own, part: partOf(own) }));
  const told = parts
    .toSorted((a, b) => b.part - a.part)
    .filter(({ part }, at) => at === 0 || part >= LEAST_PART)
    .slice(0, MOST_NAMES);
  // A change of comparable days is the reason where it makes most of the difference, and is not the season.
  const hasOrdinary = [before, after].every((days) => days.some(({ label }) => !specialDays(label)));
  const isOwn = () => isOwnWay(change) && seasonCauses(change, reading).length === 0;
  const least = hasOrdinary && isOwn() ? MOST : LEAST_PART;
  if (!(partOf(occasions) >= least) || !occasions.some(({ isClear }) => isClear)) return [];
  // All that comparable days do not show, by the levels that the verdict is about: without any that is of special days too.
  const byLevels = () => 1 - logOf(change.judgement.relative ?? 0) / differenceWithout([]);
  const share = hasOrdinary ? byLevels() : partOf(occasions);
  return [{ kind: 'special day', name: listed(told.map(({ name }) => name)), share: Number(share.toFixed(2)), basis: 'measured' }];
}

/** Days that stand out: `the rise`, or the order that made it. */
function nameOfDays(metric: string, points: readonly DailyPoint[], { from, to = from, relative }: DatedChange): string {
  const [order] = orderCause(metric, points, from, to);
  return order?.name ?? `the ${relative < 0 ? 'fall' : 'rise'}`;
}

/**
 * Days of the ranges that are no part of their levels: single ones, and episodes of a few weeks that began before the period, unless they
 * are told as what goes on.
 */
function leftOut({ metric, judgement }: Change, reading: Reading | undefined, { located }: Pick<ComparisonScene, 'located'>) {
  const labels = [...(reading?.baselineDays ?? []), ...(reading?.periodDays ?? [])].map(({ interval }) => interval.label ?? '');
  const first = reading?.periodDays[0]?.interval.label ?? '';
  const goesOn = (change: DatedChange) => reading && toldFor({ metric, reading, change }, located)?.change.shape === 'step';
  return judgement.changes.filter((own) => {
    const { shape, from, to = from, days } = own;
    const isOut = shape === 'outlier' || (shape === 'episode' && from < first && days <= USUAL_DAYS && !goesOn(own));
    return isOut && labels.some((label) => label >= from && label <= to);
  });
}

const daysText = ({ from, to = from }: Pick<DatedChange, 'from' | 'to'>, year: string) =>
  from === to ? dateText(from, year) : `the days ${rangeText(from, to, year)}`;

/** Figures that differ by less need no reason. */
const LEAST_FIGURE = 0.05;
/** Rows each of which has its sentence. */
const FEW = 4;

/** One sentence: the days of the ranges that stand out and are left out of a verdict; empty where there are none. */
function outlierSentence(change: Change, reading: Reading | undefined, scene: ComparisonScene): string {
  if (!reading) return '';
  const { placeOf, grammar } = scene;
  const { metric } = change;
  const days = leftOut(change, reading, scene).map((own) => {
    const { relative } = measuredAt({ metric, reading, change: own }).change;
    return `${daysText(own, grammar.year)} (${formatPercent(100 * relative, { sign: true, digits: 0 })})`;
  });
  const subject = capital(subjectText(metric, placeOf(reading, metric), grammar));
  return days.length === 0 ? '' : `${subject}: the verdict leaves out ${listed(days)}.`;
}

const VERDICTS = { up: 'higher', down: 'lower', 'within noise': 'unchanged', 'cannot be judged': 'uncertain' } as const;

/** The verdict of two ranges: where a change inside the period makes that of the row, how their figures lie beside their own chance. */
function verdictOf(change: Change): Facts['verdict'] {
  const { judgement } = change;
  const size = sizeOf(change);
  if (!judgement.expected && isChanged(judgement) && judgement.main && size) {
    if (size.low * size.high <= 0) return 'unchanged';
    return size.percent < 0 ? 'lower' : 'higher';
  }
  const verdict = toldVerdict(judgement);
  if (verdict === 'drift') return (judgement.relative ?? 0) < 0 ? 'lower' : 'higher';
  return verdict === 'not enough data' ? 'too few data' : VERDICTS[verdict];
}

/** The figure of the single whole day that was held against what was expected of it, without the hours of today beside it. */
function judgedDay({ metric, compared }: Change, reading: Reading | undefined, { period }: ComparisonScene) {
  const day = reading?.periodDays.find(({ interval }) => !interval.isPart);
  const label = day?.interval.label;
  if (!day || label === undefined) return { after: compared.after, period };
  return { after: day.values[metric] ?? null, period: { from: label, to: label } };
}

/** The smallest change that would have shown the way of the figures; none where these differ by more, or where it is one the other way. */
function detectableFacts({ detectable }: Change, percent = 0): Pick<Facts, 'detectable'> {
  const least = 100 * Math.abs(detectable ?? 0);
  return Math.abs(percent) < least && percent * (detectable ?? 0) >= 0 ? { detectable: Number(least.toFixed(1)) } : {};
}

/** The record of a metric over the two ranges, or of a single whole day against what was expected of it. */
function rangeFacts(change: Change, reading: Reading | undefined, scene: ComparisonScene): Facts {
  const { metric, compared } = change;
  const { currency, placeOf } = scene;
  const verdict = verdictOf(change);
  const causes = rangeCauses(change, scene, reading);
  const isOfDays = causes.some(({ kind }) => kind === 'special day');
  const expected = change.judgement.expected && expectedFigures(metric, change.judgement.expected);
  const { after, period } = expected ? judgedDay(change, reading, scene) : { after: compared.after, period: scene.period };
  const size = sizeOfRange(change, verdict, after, expected ? expected.expected : compared.before);
  return {
    subject: metric,
    unit: rangeUnit(change, currency),
    place: reading ? placeOf(reading, metric) : {},
    when: { shape: period.from === period.to ? 'day' : 'range', ...period, ongoing: false },
    now: shownValue(change, after),
    against: expected
      ? {
          what: 'expected',
          ...beforeName(change, reading, scene, isOfDays),
          value: expected.expected,
          low: expected.low,
          high: expected.high,
        }
      : { what: 'before', ...beforeName(change, reading, scene, isOfDays), value: shownValue(change, compared.before) },
    ...(size && { change: size }),
    verdict,
    ...(verdict === 'unchanged' && detectableFacts(change, size?.percent)),
    causes,
  };
}

/**
 * What is said of two ranges that did not change significantly: that too little lies before them, or the changes that are told and lie
 * between or in them, which their figures hold whatever chance makes of the others.
 */
function beforeName(
  change: Change,
  reading: Reading | undefined,
  { located, grammar: { year } }: ComparisonScene,
  isExplained: boolean,
): { name?: string } {
  const { metric, judgement, days } = change;
  if (!reading || (!judgement.expected && isMoved({ verdict: verdictOf(change) }))) return {};
  // What is expected of a day is without the change, however long that goes on.
  const first = judgement.expected ? '' : (reading.baselineDays[0]?.interval.label ?? LAST);
  const named = leftOut(change, reading, { located });
  const isNew = (own: DatedChange) => !isExplained || named.every((each) => !areNear(each, { ...own, relative: each.relative }));
  const held = located.filter((own) => !isDay(own) && own.change.from > first && isOf(own, metric, reading) && isNew(own.change));
  // The days before teach a level that has lasted for a while.
  const usual = held.find(({ change: own }) => judgement.expected && own.to === undefined && !isNewAt(days.last, own));
  if (usual) return { name: usualLevel(usual.change.from, year) };
  const texts = held.map((own) =>
    own.change.to === undefined && own.change.from < days.last
      ? `the change since ${dateText(own.change.from, year)}`
      : daysText(own.change, year),
  );
  if (texts.length === 0) return {};
  const changes = listed([...new Set(texts)].slice(0, MOST_NAMES));
  const labels = reading.baselineDays.map(({ interval }) => interval.label ?? '');
  const both = labels.filter((label) => held.some((own) => isOn(own.change, { first: label, last: label })));
  if (judgement.expected || both.length === 0) return { name: `${judgement.expected ? 'leaving out' : 'including'} ${changes}` };
  return { name: `with ${changes} on ${both.length} of the ${labels.length} days of the baseline` };
}

const rangeUnit = ({ metric, isPerDay }: Change, currency: string | undefined) =>
  isPerDay ? levelUnit(metric, currency) : (unitOf(metric, currency) ?? '');

/** A figure of a range: as the platform gives it, per day to six digits. */
function shownValue({ metric, isPerDay }: Change, value: number | null): number | null {
  if (value === null) return null;
  return isPerDay ? Number(value.toPrecision(6)) : rounded(metric, value);
}

/** Why a day is not what was to be expected of it. */
function dayCauses({ metric, judgement, days }: Change, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  const points = dayPoints(reading?.periodDays ?? [], metric);
  const order = reading && judgement.verdict === 'up' ? orderCause(metric, pointsKnown(reading, metric), days.first, days.first) : [];
  const causes = [...specialCauses(scene, { from: days.first, to: days.last }), ...order].slice(0, 1);
  // Where nothing is known of what such days do, they are no part of what is expected, and may be all that made it.
  if (points.some(({ special }) => special?.mean)) return causes.map((cause) => ({ ...cause, basis: 'same time' }));
  return judgement.verdict === 'within noise' ? [] : causes;
}

/** Why a range changed, or why one that did not change shows other figures. */
function rangeCauses(change: Change, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  if (change.judgement.expected) return dayCauses(change, scene, reading);
  if (verdictOf(change) === 'too few data') return specialCauses(scene, scene.baseline, scene.period);
  const calendar = calendarCauses(change, scene, reading);
  if (Math.abs(figuresOf(change) ?? 0) < LEAST_FIGURE) return calendar;
  const why = calendar.length > 0 ? calendar : factorCauses(change.metric, scene);
  if (!isMoved({ verdict: verdictOf(change) })) return why;
  const { causes, input } = scene;
  // Shares of devices move the rate of all visits, and that of no device.
  const isWhole = reading !== undefined && reading === causes.whole;
  const named = input.segments.all.map((each) => ({ ...each, name: `"${each.name}"` }));
  const mix = isWhole ? mixCauses([deviceCause(change, reading, input)?.explained], reading, named) : [];
  // Beside a change that is told, the season need not explain the range, nor days that are not comparable.
  const isTold = scene.located.some((own) => reading && !isDay(own) && isOf(own, change.metric, reading) && isOn(own.change, change.days));
  return [...mix, ...why, ...(isTold || (calendar.length > 0 && !isOwnWay(change)) ? [] : seasonCauses(change, reading))];
}

/** The season where it could have made by itself the change of a verdict, or how far the levels of the ranges lie apart. */
function seasonCauses(change: Change, reading: Reading | undefined): Facts['causes'] {
  const { metric, judgement, days, since } = change;
  const { verdict, noise, main } = judgement;
  const from = reading?.baselineDays[0]?.interval.label;
  const relative = isOwnWay(change) ? judgement.relative : (figuresOf(change) ?? null);
  if (!reading || from === undefined || relative === null || noise === null || !isChanged(judgement)) return [];
  const points = pointsKnown(reading, metric);
  const own = since ?? main ?? earlierOf(change);
  if (isOwnWay(change) && verdict !== 'drift') return own ? calendarCause(metric, points, own) : [];
  const size = { relative, low: relative - noise, high: relative + noise };
  const when = { from, to: days.last, earliest: from, latest: from, days: daysFrom(from, days.first) };
  return calendarCause(metric, points, { shape: 'drift', ...when, ...size });
}

/** The change of a range: of its figures, or of comparable days where these alone show it. */
function sizeOfRange({ judgement }: Change, verdict: Facts['verdict'], now: number | null, before: number | null): Facts['change'] {
  const { relative, noise } = judgement;
  const size = sizeOfFigures(now, before, noise);
  const isOfDays = size && isMoved({ verdict }) && !(verdict === 'higher' ? size.low > 0 : size.high < 0);
  return isOfDays && relative !== null ? sizeOfFigures(1 + relative, 1, noise) : size;
}

/** Whether the only day of a range is a change that is told by itself: it has one size. */
const isListed = ({ subject, place, when }: Finding, told: readonly Finding[]) =>
  when.shape === 'day' && told.some((own) => own.subject === subject && own.when.shape === 'day' && isSamePlace(own.place, place));

/** Puts what was judged into records, and these into words: what goes on, what ended, and what the ranges as wholes show. */
function tellComparison(scene: ComparisonScene) {
  const { input, faults, grammar, located } = scene;
  const { readings } = input;
  const { headline, changes, hidden } = input.judged;
  const asked = new Set(changes.map(({ metric }) => metric));
  const dated = located.flatMap((own) => {
    const facts = datedFacts(own, scene);
    // The season is told of what was asked about, and not beside last year, which shows it.
    return mayBeSeason(facts) && !(asked.has(own.metric) && input.windows.isAdjacent) ? [] : [{ own, facts }];
  });
  const isDated = hidden && located.some(({ reading }) => reading === hidden.reading);
  const alone =
    hidden && !isDated ? [rangeFacts(changeOf(hidden.metric, hidden, input.windows, hidden.reading.device), hidden.reading, scene)] : [];
  const told = wordedAll(
    [...ranked([...faults.map((fault) => faultFacts(fault, scene.whole)), ...dated.map(({ facts }) => facts)]), ...alone.filter(isMoved)],
    grammar,
  );
  const readingAt = (at: number) => readings[readings.length > 1 ? at % readings.length : 0];
  // What the season may have made by itself explains no range.
  const certain = { ...scene, located: dated.flatMap(({ own, facts }) => (mayBeSeason(facts) ? [] : own)) };
  const ranges = wordedAll(
    changes.map((change, at) => rangeFacts(change, readingAt(at), certain)),
    grammar,
  );
  const isOfGoal = ({ place }: Finding) => scene.isGoalNamed && place.goal !== undefined;
  const isAsked = (each: Finding) => each.subject === headline.metric || isOfGoal(each);
  const ofRanges = [...ranges.filter(isAsked), ...ranges.filter((each) => !isAsked(each) && isMoved(each))].filter(
    (each) => !isListed(each, told),
  );
  const calm = ranges.filter((each) => !isAsked(each) && !isMoved(each) && each.now !== null);
  const shown = ofRanges.every(isAsked) ? 1 : 0;
  // Days on which counting failed come first, those of the baseline alone behind.
  const isBehind = (each: Finding) =>
    mayBeSeason(each) || (each.verdict === 'measurement' ? (each.when.to ?? LAST) < scene.period.from : each.when.shape === 'day');
  // One slow move is told once, with the figures of the ranges.
  const isOfRange = (each: Finding) => mayBeSeason(each) && ranges.some((range) => range.subject === each.subject && mayBeSeason(range));
  const [lasting, behind] = [told.filter((each) => !isBehind(each)), told.filter((each) => isBehind(each) && !isOfRange(each))];
  // The ranges hold days without the change, so that their figures are others than its size; the place and the factor are said already.
  const whole = ({ causes, ...finding }: Finding) => {
    if (lasting.length === 0 || finding.against?.what === 'expected') return finding.sentence;
    const others = causes.filter(({ kind }) => kind !== 'place' && kind !== 'factor');
    return `Over the whole period, ${lowered(sentenceOf({ ...finding, causes: others }, grammar))}`;
  };
  const said = (some: readonly Finding[]) => some.map((finding) => saidOf(finding, grammar));
  // What was asked and found no room: of many those whose figures would be taken for a change.
  const isFew = changes.length <= FEW;
  const untold = calm.slice(shown).filter(({ change }) => isFew || Math.abs(change?.percent ?? 0) >= 100 * LEAST_FIGURE);
  // Days that are named as the cause are told.
  const outliers = changes.map((change, at) => (ranges[at]?.causes.length ? '' : outlierSentence(change, readingAt(at), scene)));
  const details = [...untold.map(({ sentence }) => sentence), ...outliers];
  return {
    // The order of the sentences.
    findings: [...ofRanges.filter(isOfGoal), ...lasting, ...ofRanges.filter((each) => !isOfGoal(each)), ...behind, ...calm.slice(0, shown)],
    rows: changes.map((change, at) => asTold(onToldDays(change, readingAt(at), scene), ranges[at])),
    // A goal that was named is answered first, moved or not.
    lead: [
      ...ofRanges.filter(isOfGoal).map(({ sentence }) => sentence),
      ...said(lasting),
      ...ofRanges.filter((each) => !isOfGoal(each)).map(whole),
      ...said(behind),
    ],
    details: details.filter((sentence) => sentence !== ''),
    // The one that carries the change of the headline.
    device: located.find(({ metric, reading }) => metric === headline.metric && input.devices.includes(reading))?.reading.device,
  };
}

/** The record of a change with a date: dated and sized by all days that are known, with its cost up to the end of the period. */
function datedFacts(located: SiteChange<Reading>, scene: ComparisonScene): Facts {
  const { metric, reading, change } = located;
  const last = pointsKnown(reading, metric).findLast(({ label }) => label <= scene.period.to)?.label ?? change.from;
  const place = scene.placeOf(reading, metric);
  const causes = causesOf(located, scene);
  const { goal } = scene.placeOf(reading, 'conversionCount');
  return changeFacts({ ...located, place, goal, last, causes }, scene.currency);
}

/** A comparison with what a chart and the search for events need beside the answer. */
export type PeriodsResult = ReturnType<typeof wordComparison>;

/** The tables of the causes, amounts with their cents. */
function causeRecords({ byDevice, bySegment }: Causes, { metric }: Change, currency: string | undefined) {
  const money = definitionOf(metric)?.unit === 'currency' && currency !== undefined ? { unit: currency } : {};
  const sums = byDevice ? [sumsOf(byDevice.explained)] : [];
  const devices = byDevice?.explained.groups.map((group) => ({ ...deviceRecord(group, byDevice.verdictOf(group.name)), ...money }));
  const segments = bySegment?.map(({ apart, verdict }) => ({ ...segmentRecord(apart, verdict), ...money }));
  return {
    ...((devices || segments) && { explained: metric }),
    ...(devices && { devices }),
    ...(sums.length > 0 && { sums: sums.map((each) => ({ ...each, ...money })) }),
    ...(segments && { segments }),
  };
}

/** Puts the change between two periods into findings, words and tables. */
export function wordComparison(scene: ComparisonScene) {
  const { causes, input, currency, first, most } = scene;
  const { byDevice, bySegment, revenue } = causes;
  const { judged } = input;
  const { headline, hidden, isNoise } = judged;
  const factors = revenue && revenueRecord(revenue.split, revenue.difference, currency);
  const { findings, rows, lead, details, device } = tellComparison(scene);
  const { answer } = paragraphOf([...first, ...lead], most);
  return {
    data: {
      answer,
      findings,
      ...changeTable(rows, input.readings.length > 1, currency),
      ...causeRecords(causes, headline, currency),
      ...(factors && { revenue: factors }),
      details,
    },
    headline,
    /** The judged whole and devices of the headline. */
    judged: judged.judgedOf(headline.metric),
    /** Neither the headline nor a device of it stands out: there is nothing to explain. */
    isNoise,
    /** The headline by devices, where they explain it. */
    byDevice: isNoise ? undefined : byDevice?.explained,
    /** The one device that changed, where there is one. */
    leader: hidden?.reading.device ?? device,
    /** The headline by each segment and its complement. */
    bySegment: bySegment?.map(({ apart }) => apart) ?? [],
    factors,
  };
}

/** A comparison as it is drawn. */
export interface ComparisonDrawn {
  readonly result: PeriodsResult;
  readonly timeZone: string;
  readonly currency: string | undefined;
  /** The period is shaded. */
  readonly period: Interval;
  readonly baseline: Interval;
  readonly filters: Readonly<Record<string, string>>;
  /** Of each judged selection, in order. */
  readonly places: readonly FindingPlace[];
  /** One sentence: which part of the ranges is kept, where that is not all. */
  readonly kept?: string | undefined;
  /** The baseline is named (last year, say): its end lies on the end of the period, though its first days may not be kept. */
  readonly endsMeet?: boolean;
}
