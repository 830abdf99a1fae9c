import type { Facts, Finding, FindingPlace } from '../../../findings/finding.ts';
import { paragraphOf, ranked, type Said } from '../../../findings/paragraph.ts';
import { type Grammar, saidOf, sentenceOf } from '../../../findings/sentence.ts';
import { dateText, listed, rangeText } from '../../../findings/wording.ts';
import { grouped } from '../../../lib/grouped.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import { lowered } from '../../../lib/sentences.ts';
import type { SpecialDays } from '../calendar/special-days.ts';
import { type Occasion, occasionsOf } from '../calendar/special-words.ts';
import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { sizeOfDays } from '../engine/measure.ts';
import { valueOf } from '../engine/series.ts';
import { changeFacts, faultFacts, levelUnit, wordedAll } from '../findings.ts';
import { definitionOf, unitOf } from '../metric-definitions.ts';
import { nameOf } from '../metric-names.ts';
import type { CountingFault } from '../quality/counting.ts';
import { dayPoints, kindOf, rounded } from '../read/day-points.ts';
import { byFactors, measuredAt, pointsKnown, type SiteChange } from '../site-changes.ts';
import { type Causes, type CausesInput, explainHeadline, narrowed } from './causes.ts';
import { beyondUsual, type Change, earlierOf, figuresOf, isSameChange } from './change.ts';
import { type Comparison, changeTable, deviceRecord, revenueRecord, segmentRecord, sumsOf } from './comparison-rows.ts';
import { type Contribution, type Explained, effectsOf, type GroupValues, isMix } from './contributions.ts';
import { isChanged, type Judged, judgeReading, type Reading, toldVerdict } from './readings.ts';

/** Facts that the words of a comparison need. */
export interface ComparisonScene {
  readonly causes: Causes;
  readonly input: CausesInput;
  readonly grammar: Grammar;
  readonly faults: readonly CountingFault[];
  readonly specialDays: SpecialDays;
  readonly currency: string | undefined;
  /** First and last day of the period; the same day for one. */
  readonly period: { readonly from: string; readonly to: string };
  readonly placeOf: (reading: Reading, metric: string) => FindingPlace;
  /** Selections that narrow the whole comparison. */
  readonly whole: FindingPlace;
  /** Sentences that come before the findings. */
  readonly first: readonly string[];
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

const shareOf = (contribution: number | undefined, change: number) =>
  contribution && change ? Number((contribution / change).toFixed(2)) : undefined;

/** The segment that carries more of a change than all others. */
function segmentCauses({ bySegment }: Causes): Facts['causes'] {
  const name = bySegment?.reasons.maker ?? bySegment?.reasons.named;
  const apart = bySegment?.explained.find(({ apart: { groups } }) => groups[0]?.name === name)?.apart;
  const share = apart && shareOf(apart.groups[0]?.contribution, apart.change);
  return share === undefined || share < LEAST_PART ? [] : [{ kind: 'place', name: `"${name ?? ''}"`, share, basis: 'measured' }];
}

/** Points by which the share of a segment must have risen to be named. */
const LEAST_MOVED = 3;

/** The segment whose share of the visits rose most; undefined where none rose by much. */
function movedSegment(whole: Reading, segments: readonly GroupValues[]): string | undefined {
  const share = (own: GroupValues['before'], of: GroupValues['before']) => (100 * (own['visits'] ?? 0)) / (of['visits'] || 1);
  const moved = segments.map(({ name, before, after }) => ({ name, by: share(after, whole.after) - share(before, whole.before) }));
  const [most] = moved.toSorted((a, b) => b.by - a.by);
  return most && most.by >= LEAST_MOVED ? most.name : undefined;
}

/** A metric's change between the ranges by devices, whether it leads the answer or not; undefined where they do not divide it. */
function byDevices(metric: string, { input }: ComparisonScene): Explained | undefined {
  const headline = input.judged.changes.find((change) => change.metric === metric);
  const segments = { all: [], chosen: [] };
  return headline && explainHeadline({ ...input, segments, explains: false, judged: { ...input.judged, headline } }).byDevice?.explained;
}

/** The mix of devices where it makes a rate move: the device whose share of the visits rose most. */
function mixCauses(metric: string, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  // Shares of devices move the rate of all visits, and that of no device.
  const explained = reading === scene.causes.whole ? byDevices(metric, scene) : undefined;
  if (!explained || !isMix(explained)) return [];
  const movedOf = ({ shareBefore = 0, shareAfter = 0 }: Contribution) => shareAfter - shareBefore;
  const [most] = explained.groups.toSorted((a, b) => movedOf(b) - movedOf(a));
  const share = shareOf(effectsOf(explained).mix, explained.change);
  if (!most || share === undefined) return [];
  const { whole } = scene.causes;
  const segment = whole && movedSegment(whole, scene.input.segments.all);
  const names = [most.name, ...(segment === undefined ? [] : [`"${segment}"`])];
  return names.map((name) => ({ kind: 'mix' as const, name, share, basis: 'measured' as const }));
}

/** The causes of a change: the one device that moved, the place that carries it, the mix of devices, the factor of a product. */
function causesOf({ metric, reading, change }: SiteChange<Reading>, scene: ComparisonScene): Facts['causes'] {
  const { causes, input } = scene;
  const factors = factorCauses(metric, scene);
  // Of a change on one segment the place says it all.
  if (input.segments.chosen.some(({ reading: own }) => own === reading)) return factors;
  const isHeadline = metric === input.judged.headline.metric;
  const { groups, change: difference } = byDevices(metric, scene) ?? { groups: [], change: 0 };
  const own = groups.find(({ name }) => name === reading.device);
  const share = own && shareOf(own.contribution, difference);
  // What two ranges differ by is that change alone where the one is before it and the other after, and it makes most of it.
  const isTheirs = change.from >= scene.period.from && (share ?? 1) > MOST && change.relative * difference >= 0;
  const isAlone = input.judged.devicesOf(metric).every((other) => other.reading.device === reading.device || !isChanged(other));
  const place = { kind: 'place', name: reading.device, basis: 'measured', ...(isTheirs && share !== undefined && { share }) } as const;
  return [
    ...(own && isHeadline && isAlone ? [place] : []),
    ...(isTheirs && isHeadline ? segmentCauses(causes) : []),
    ...(isTheirs ? mixCauses(metric, scene, reading) : []),
    ...factors,
  ];
}

/** The factor that makes most of a change of revenue; none where several do. */
function factorCauses(metric: string, { causes: { revenue } }: ComparisonScene): Facts['causes'] {
  if (metric !== 'revenueSum' || !revenue?.isChanged || revenue.difference === 0) return [];
  return REVENUE_FACTORS.flatMap(([factor, part]) => {
    const share = shareOf(revenue.split[part], revenue.difference) ?? 0;
    return share > MOST ? [{ kind: 'factor' as const, name: nameOf(factor).toLowerCase(), share, basis: 'measured' as const }] : [];
  });
}

/** The days of a period that stand out by themselves. */
const unusualDays = ({ judgement, days: { first, last } }: Change) =>
  judgement.changes.filter(({ shape, from }) => shape === 'outlier' && from >= first && from <= last);

/** The changes with a date where they are told, and the days that those of the table have there. */
interface Dated {
  readonly located: SiteChange<Reading>[];
  readonly daysOf: ReadonlyMap<Change, DatedChange>;
}

/** What began before the period and goes on in it; of a product, which may not show it by itself, also that of its factors. */
function begunBefore(change: Change, reading: Reading): Pick<SiteChange, 'metric' | 'change'>[] {
  return [change.metric, ...factorsOf(change.metric, reading)].flatMap((metric) => {
    const own = metric === change.metric ? change : { ...change, judgement: judgeReading(reading, metric) };
    const begun = earlierOf(own);
    return begun ? [{ metric, change: begun }] : [];
  });
}

/**
 * The changes with a date, each by its factor and on the part that carries it: those of the headline first, those that began before the
 * period, and single days of it of the headline.
 */
function datedChanges({ input }: ComparisonScene): Dated {
  const { readings, judged } = input;
  const { changes, headline, hidden } = judged;
  const located: SiteChange<Reading>[] = [];
  const daysOf = new Map<Change, DatedChange>();
  const toldFor = ({ metric, reading, change }: SiteChange<Reading>) => {
    const isSame = (told: SiteChange<Reading>) => told.metric === metric || factorsOf(metric, reading).includes(told.metric);
    return located.find((told) => isSameChange(told.change, change) && isSame(told));
  };
  const place = (own: SiteChange<Reading>, of: Change): SiteChange<Reading>[] => {
    const known = toldFor(own);
    if (known) return [known];
    return byFactors(own, of.days.first).flatMap((factor) => {
      const placed = factor.reading === readings[0] && !toldFor(factor) ? narrowed(factor, of.metric, input) : factor;
      return byFactors(placed, of.days.first).map((each) => {
        const told = toldFor(each);
        if (!told) located.push(each);
        return told ?? each;
      });
    });
  };
  if (hidden?.main) place(measuredAt({ metric: hidden.metric, reading: hidden.reading, change: hidden.main }), headline);
  const inOrder = changes.map((change, at) => ({ change, reading: readings[at % readings.length] }));
  for (const { change, reading } of inOrder.toSorted((a, b) => Number(b.change === headline) - Number(a.change === headline))) {
    if (!reading) continue;
    const { metric, since, judgement } = change;
    if (since && isChanged(judgement)) {
      const [told] = place({ metric, reading, change: since }, change);
      if (told) daysOf.set(change, told.change);
    }
    for (const begun of begunBefore(change, reading)) place(measuredAt({ reading, ...begun }), change);
    if (change === headline) for (const day of unusualDays(change)) place({ metric, reading, change: day }, change);
  }
  return { located, daysOf };
}

/** A change of the table with the first day that is told of it, and the size that its own metric has on these days. */
function onToldDays(change: Change, reading: Reading | undefined, told: DatedChange | undefined): Change {
  const { metric, since } = change;
  if (!reading || !since || !told || told.from === since.from) return change;
  const size = sizeOfDays(kindOf(metric), pointsKnown(reading, metric), told);
  if (!size || size.relative * since.relative <= 0) return change;
  const { relative, low, high } = size;
  return { ...change, since: { ...told, relative, low, high } };
}

/** The special days among some. */
function specialCauses({ specialDays }: ComparisonScene, labels: readonly string[]): Facts['causes'] {
  const names = new Set(labels.flatMap((label) => specialDays(label)?.name ?? []));
  return [...names].slice(0, MOST_NAMES).map((name) => ({ kind: 'special day', name, basis: 'same time' }));
}

const MOST_NAMES = 2;

/** The special days of two ranges and their part of the difference: what is left where each of these is as usual is not theirs. */
function specialPart({ metric, judgement }: Change, { specialDays }: ComparisonScene, reading: Reading): Facts['causes'] {
  const [before, after] = [reading.baselineDays, reading.periodDays].map((rows) => dayPoints(rows, metric));
  if (!before || !after) return [];
  const labels = new Set([...before, ...after].map(({ label }) => label));
  const occasions = occasionsOf(pointsKnown(reading, metric), labels, specialDays, judgement.changes);
  const differenceWithout = (left: readonly Occasion[]) => {
    const effects = new Map(left.flatMap(({ days }) => days.map(({ label, offset }) => [label, offset] as const)));
    const usual = (days: typeof before) =>
      days.map((day) => ({ ...day, numerator: day.numerator * Math.exp(-(effects.get(day.label) ?? 0)) }));
    return Math.log(valueOf(usual(after)) / valueOf(usual(before)));
  };
  const partOf = (some: readonly Occasion[]) => 1 - differenceWithout(some) / differenceWithout([]);
  const share = partOf(occasions);
  if (!(share >= LEAST_PART) || !occasions.some(({ isClear }) => isClear)) return [];
  const parts = [...grouped(occasions, ({ name }) => name)].map(([name, own]) => ({ name, part: partOf(own) }));
  const told = parts.filter(({ part }) => part > 0).toSorted((a, b) => b.part - a.part);
  const name = listed(told.slice(0, MOST_NAMES).map((each) => each.name));
  return [{ kind: 'special day', name, share: Number(share.toFixed(2)), basis: 'measured' }];
}

/** Why the figures of two ranges differ: special days; where comparable days do not differ, days that stand out. */
function calendarCauses(change: Change, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  if (!reading || Math.abs(figuresOf(change) ?? 0) < LEAST_FIGURE) return [];
  const special = specialPart(change, scene, reading);
  if (special.length > 0 || isChanged(change.judgement) || beyondUsual(change) < LEAST_BEYOND) return special;
  const days = leftOut(change, reading).map((own) => daysText(own, scene.period.to.slice(0, 4)));
  return days.length === 0 ? [] : [{ kind: 'special day', name: listed(days.slice(0, MOST_NAMES)), basis: 'measured' }];
}

/** Days of the ranges that are no part of their levels: single ones, and episodes that began before the period. */
function leftOut({ judgement }: Change, reading: Reading | undefined) {
  const labels = [...(reading?.baselineDays ?? []), ...(reading?.periodDays ?? [])].map(({ interval }) => interval.label ?? '');
  const first = reading?.periodDays[0]?.interval.label ?? '';
  return judgement.changes.filter(
    ({ shape, from, to = from }) =>
      (shape === 'outlier' || (shape === 'episode' && from < first)) && labels.some((label) => label >= from && label <= to),
  );
}

const daysText = ({ from, to = from }: Pick<DatedChange, 'from' | 'to'>, year: string) =>
  from === to ? dateText(from, year) : `the days ${rangeText(from, to, year)}`;

/** Shares of what chance makes from which the figures of the ranges are said to differ from comparable days. */
const LEAST_BEYOND = 0.5;
/** Figures that differ by less need no reason. */
const LEAST_FIGURE = 0.05;

/** One sentence: the days of the ranges that stand out and are left out of a verdict; empty where there are none. */
function outlierSentence(change: Change, reading: Reading | undefined, year: string): string {
  const days = leftOut(change, reading).map(
    (own) => `${daysText(own, year)} (${formatPercent(100 * own.relative, { sign: true, digits: 0, group: true })})`,
  );
  return days.length === 0 ? '' : `${nameOf(change.metric)}: the verdict leaves out ${listed(days)}.`;
}

const VERDICTS = { up: 'higher', down: 'lower', 'within noise': 'unchanged', 'cannot be judged': 'uncertain' } as const;

function verdictOf({ judgement }: Change): Facts['verdict'] {
  const verdict = toldVerdict(judgement);
  if (verdict === 'drift') return (judgement.relative ?? 0) < 0 ? 'lower' : 'higher';
  return verdict === 'not enough data' || verdict === 'too young' ? 'too few data' : VERDICTS[verdict];
}

/** The figure of the single whole day that was held against what was expected of it, without the hours of today beside it. */
function judgedDay({ metric, compared }: Change, reading: Reading | undefined, { period }: ComparisonScene) {
  const day = reading?.periodDays.find(({ interval }) => !interval.isPart);
  const label = day?.interval.label;
  if (!day || label === undefined) return { after: compared.after, period };
  return { after: day.values[metric] ?? null, period: { from: label, to: label } };
}

/** A level that changed before is what is expected of a day. */
function levelNote({ judgement: { changes } }: Change, period: ComparisonScene['period']): { name?: string } {
  const hasMoved = changes.some(({ shape, from, to }) => shape === 'step' && to === undefined && from < period.from);
  return hasMoved ? { name: 'after an earlier change' } : {};
}

/** The record of a metric over the two ranges, or of a single whole day against what was expected of it. */
function rangeFacts(change: Change, reading: Reading | undefined, scene: ComparisonScene): Facts {
  const { metric, before, compared, isPerDay, detectable } = change;
  const { currency, placeOf } = scene;
  const verdict = before === null || change.after === null ? 'too few data' : verdictOf(change);
  const expected = expectedOf(change);
  const { after, period } = expected ? judgedDay(change, reading, scene) : { after: compared.after, period: scene.period };
  const size = sizeOfRange(change, verdict, after, expected ? expected.value : compared.before);
  const isSeen = detectable !== null && Math.abs(size?.percent ?? 0) < 100 * Math.abs(detectable);
  return {
    subject: metric,
    unit: isPerDay ? levelUnit(metric, currency) : (unitOf(metric, currency) ?? ''),
    place: reading ? placeOf(reading, metric) : {},
    when: { shape: period.from === period.to ? 'day' : 'range', ...period, ongoing: false },
    now: shownValue(change, after),
    against: expected
      ? { what: 'expected', ...expected, ...levelNote(change, period) }
      : { what: 'before', value: shownValue(change, compared.before) },
    ...(size && { change: size }),
    verdict,
    ...(isSeen && { detectable: Number((100 * Math.abs(detectable)).toFixed(1)) }),
    causes: rangeCauses(change, scene, reading),
  };
}

/** A figure of a range: as the platform gives it, per day to six digits. */
function shownValue({ metric, isPerDay }: Change, value: number | null): number | null {
  if (value === null) return null;
  return isPerDay ? Number(value.toPrecision(6)) : rounded(metric, value);
}

/** The expected value of a single day with its bounds, in the unit of the metric; undefined of ranges. */
function expectedOf({ metric, judgement: { expected } }: Change): { value: number; low: number; high: number } | undefined {
  if (!expected) return undefined;
  const shown = (value: number) => rounded(metric, value * (kindOf(metric) === 'share' ? 100 : 1));
  return { value: shown(expected.expected), low: shown(expected.low), high: shown(expected.high) };
}

/** Why a range changed, or why one that did not change shows other figures. */
function rangeCauses(change: Change, scene: ComparisonScene, reading: Reading | undefined): Facts['causes'] {
  if (change.judgement.expected)
    return specialCauses(
      scene,
      (reading?.periodDays ?? []).flatMap(({ interval }) => interval.label ?? []),
    );
  const calendar = calendarCauses(change, scene, reading);
  if (!isChanged(change.judgement) || Math.abs(figuresOf(change) ?? 0) < LEAST_FIGURE) return calendar;
  return [...mixCauses(change.metric, scene, reading), ...calendar, ...factorCauses(change.metric, scene)];
}

/** Nothing falls by more than all of it. */
const ALL_GONE = -100;

/** The change of two figures in percent, with what chance makes of such ranges on both sides; undefined where there is no share. */
function sizeOfFigures(now: number | null, before: number | null, noise: number | null): NonNullable<Facts['change']> | undefined {
  if (now === null || !before) return undefined;
  const [percent, half] = [(100 * (now - before)) / before, 100 * (noise ?? 0)];
  const shown = (value: number) => Number(Math.max(ALL_GONE, value).toFixed(2));
  return { percent: shown(percent), low: shown(percent - half), high: shown(percent + half) };
}

/** The change of a range: of its figures, or of comparable days where these go the other way; undefined where only some of its days do. */
function sizeOfRange({ judgement }: Change, verdict: Facts['verdict'], now: number | null, before: number | null): Facts['change'] {
  const { relative, noise, main } = judgement;
  const size = sizeOfFigures(now, before, noise);
  const isOtherWay = size && size.percent !== undefined && verdict === (size.percent > 0 ? 'lower' : 'higher');
  if (!isOtherWay) return size;
  return main || relative === null ? undefined : sizeOfFigures(1 + relative, 1, noise);
}

/** The record of a device that stands out by the ranges alone where all devices together do not. */
function hiddenFacts({ reading, metric, verdict, noise }: Judged, { period, currency, placeOf }: ComparisonScene): Facts {
  const [before, now] = [reading.before[metric] ?? null, reading.after[metric] ?? null];
  const size = sizeOfFigures(now, before, noise);
  return {
    subject: metric,
    unit: unitOf(metric, currency) ?? '',
    place: placeOf(reading, metric),
    when: { shape: 'range', ...period, ongoing: false },
    now,
    against: { what: 'before', value: before },
    ...(size && { change: size }),
    verdict: verdict === 'down' || (size?.percent ?? 0) < 0 ? 'lower' : 'higher',
    causes: [],
  };
}

/** The findings of a comparison, ranked, the rows of its table, and the sentences of its first paragraph and details, in order. */
interface ComparisonTold {
  readonly findings: Finding[];
  /** The changes of the table, each with the day that is told of it. */
  readonly rows: readonly Change[];
  readonly lead: readonly Said[];
  readonly details: string[];
  /** The one device that carries the change of the headline; undefined where none does. */
  readonly device: string | undefined;
}

/** One sentence: how little a change of two days says; empty of one that has lasted, and of a day, which is told as one. */
const shortSentence = ({ change: { days, to }, metric }: SiteChange<Reading>) =>
  days === 2 && to === undefined ? `${nameOf(metric)}: only 2 days so far, so whether it lasts is open.` : '';

/** Puts what was judged into records, and these into words: what goes on, what ended, and what the ranges as wholes show. */
function tellComparison(scene: ComparisonScene): ComparisonTold {
  const { input, faults, grammar } = scene;
  const { readings } = input;
  const { headline, changes, hidden } = input.judged;
  const { located, daysOf } = datedChanges(scene);
  const dated = located.map((each) => datedFacts(each, scene));
  const isDated = hidden && located.some(({ reading }) => reading === hidden.reading);
  const alone = hidden && !isDated ? [hiddenFacts(hidden, scene)] : [];
  const told = wordedAll([...ranked([...faults.map((fault) => faultFacts(fault, scene.whole)), ...dated]), ...alone], grammar);
  const readingAt = (at: number) => readings[readings.length > 1 ? at % readings.length : 0];
  const ranges = wordedAll(
    changes.map((change, at) => rangeFacts(change, readingAt(at), scene)),
    grammar,
  );
  const ofHeadline = ranges.filter(({ subject }) => subject === headline.metric);
  const others = ranges.filter(({ subject }) => subject !== headline.metric);
  const moved = others.filter(({ verdict }) => verdict === 'higher' || verdict === 'lower');
  // The ranges hold days without the change, so that their figures are others than its size; of its causes only days are not said yet.
  const whole = ({ causes, ...finding }: Finding) => {
    if (told.length === 0 || finding.against?.what === 'expected') return finding.sentence;
    const ofDays = causes.filter(({ kind }) => kind === 'special day');
    return `Over the whole period, ${lowered(sentenceOf({ ...finding, causes: ofDays }, grammar))}`;
  };
  const isDay = ({ when, verdict }: Finding) => when.shape === 'day' && verdict !== 'measurement';
  const said = (some: readonly Finding[]) => some.map((finding) => saidOf(finding, grammar));
  const lead = [...said(told.filter((each) => !isDay(each))), ...[...ofHeadline, ...moved].map(whole), ...said(told.filter(isDay))];
  const outliers = changes.map((change, at) => outlierSentence(change, readingAt(at), grammar.year));
  const details = [...located.map(shortSentence), ...outliers];
  return {
    findings: [...told, ...ofHeadline, ...(moved.length > 0 ? moved : others.slice(0, 1))],
    rows: changes.map((change, at) => onToldDays(change, readingAt(at), daysOf.get(change))),
    lead,
    details: details.filter((sentence) => sentence !== ''),
    device: located.find(({ metric, reading }) => metric === headline.metric && input.devices.includes(reading))?.reading.device,
  };
}

/** Standard deviations of the effect of special days within which a change on these alone may be theirs. */
const DOUBTS = 3;

/** The record of a change with a date: dated and sized by all days that are known, with its cost up to the end of the period. */
function datedFacts(located: SiteChange<Reading>, scene: ComparisonScene): Facts {
  const { metric, reading, change } = located;
  const points = pointsKnown(reading, metric);
  const last = points.findLast(({ label }) => label <= scene.period.to)?.label ?? change.from;
  const own = points.filter(({ label }) => label >= change.from && label <= (change.to ?? last));
  // The doubt about what special days do may hold all of it; then nothing was lost.
  const isSpecial = own.every(({ special }) => special && Math.abs(Math.log1p(change.relative)) < DOUBTS * special.sd);
  const causes = isSpecial
    ? specialCauses(
        scene,
        own.map(({ label }) => label),
      )
    : causesOf(located, scene);
  const cost = isSpecial ? {} : { rows: reading.known };
  return changeFacts({ metric, place: scene.placeOf(reading, metric), change, points, last, causes, ...cost }, scene.currency);
}

/** A comparison with what a chart and the search for events need beside the answer. */
export interface PeriodsResult {
  readonly data: Pick<
    Comparison,
    'answer' | 'findings' | 'columns' | 'rows' | 'explained' | 'devices' | 'sums' | 'segments' | 'revenue' | 'details'
  >;
  readonly headline: Change;
  /** The judged whole and devices of the headline. */
  readonly judged: readonly Judged[];
  /** Neither the headline nor a device of it stands out: there is nothing to explain. */
  readonly isNoise: boolean;
  /** The headline by devices, where they explain it. */
  readonly byDevice: Explained | undefined;
  /** The one device that changed, where there is one. */
  readonly leader: string | undefined;
  /** The headline by each segment and its complement. */
  readonly bySegment: readonly Explained[];
  /** The factors of revenue, where it can be split. */
  readonly factors: ReturnType<typeof revenueRecord> | undefined;
}

/** Moved shares that make less of a change are not worth a line. */
const LEAST_MIX = 0.1;

/** Mix and rate of the devices, and those of segments where their moved shares are worth a line. */
function sumRecords({ byDevice, bySegment }: Causes) {
  const { of = '', explained } = bySegment?.divided ?? {};
  const isWorthLine = explained && Math.abs(effectsOf(explained).mix) >= LEAST_MIX * Math.abs(explained.change);
  return [...(byDevice ? [sumsOf(byDevice.of, byDevice.explained)] : []), ...(isWorthLine ? [sumsOf(of, explained)] : [])];
}

/** The tables of the causes, amounts with their cents. */
function causeRecords(causes: Causes, { metric }: Change, currency: string | undefined) {
  const { byDevice, bySegment } = causes;
  const money = definitionOf(metric)?.unit === 'currency' && currency !== undefined ? { unit: currency } : {};
  const sums = sumRecords(causes);
  const devices = byDevice?.explained.groups.map((group) => ({ ...deviceRecord(group, byDevice.verdictOf(group.name)), ...money }));
  const segments = bySegment?.explained.map(({ apart, verdict }) => ({ ...segmentRecord(apart, verdict), ...money }));
  return {
    ...((devices || segments) && { explained: metric }),
    ...(devices && { devices }),
    ...(sums.length > 0 && { sums: sums.map((each) => ({ ...each, ...money })) }),
    ...(segments && { segments }),
  };
}

/** Puts the change between two periods into findings, words and tables. */
export function wordComparison(scene: ComparisonScene): PeriodsResult {
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
    judged: judged.judgedOf(headline.metric),
    isNoise,
    byDevice: isNoise ? undefined : byDevice?.explained,
    leader: hidden?.reading.device ?? device,
    bySegment: bySegment?.explained.map(({ apart }) => apart) ?? [],
    factors,
  };
}
