import type { Facts, Finding, Place } from '../../../findings/finding.ts';
import { ranked } from '../../../findings/paragraph.ts';
import { costSentence, type Grammar, intervalSentence } from '../../../findings/sentence.ts';
import { lowered } from '../../../lib/sentences.ts';
import type { SpecialDays } from '../calendar/special-days.ts';
import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { measureChange } from '../engine/measure.ts';
import { changeFacts, faultFacts, levelUnit, wordedAll } from '../findings.ts';
import { nameOf, unitOf } from '../metric-definitions.ts';
import type { CountingFault } from '../quality/counting.ts';
import type { Causes, CausesInput } from './causes.ts';
import { beyondUsual, type Change, earlierOf, isSameChange, onlyEarlier } from './change.ts';
import { type Contribution, effectsOf, isMix } from './contributions.ts';
import { daysOf } from './judged-changes.ts';
import { costOnDays } from './measured-change.ts';
import { allDaysOf, isChanged, judgeReading, kindOf, type Reading, rounded, toldVerdict } from './readings.ts';

/** What the records of a comparison need beside what was judged. */
export interface ComparisonScene {
  readonly causes: Causes;
  readonly input: CausesInput;
  readonly faults: readonly CountingFault[];
  readonly specialDays: SpecialDays;
  readonly currency: string | undefined;
  /** First and last day of the period; the same day for one. */
  readonly period: { readonly from: string; readonly to: string };
  readonly placeOf: (reading: Reading) => Place;
}

/** A change with a date at the place where it was found. */
interface Located {
  readonly metric: string;
  readonly reading: Reading;
  readonly change: DatedChange;
}

/** Parts of a change that are told as its own: a smaller one is no story of it. */
const LEAST_PART = 0.2;

/** A factor of more than half of a change of revenue is what it comes from. */
const MOST_OF_REVENUE = 0.5;
const REVENUE_FACTORS = [
  ['visits', 'visits'],
  ['conversionRate', 'conversion'],
  ['cartAverage', 'basket'],
] as const;

const shareOf = (contribution: number | undefined, change: number) =>
  contribution && change ? Number((contribution / change).toFixed(2)) : undefined;

/** The one device that carries a change. */
function deviceCauses({ reading }: Located, { byDevice }: Causes): Facts['causes'] {
  if (!byDevice || reading.device === 'all' || byDevice.reasons.named !== reading.device) return [];
  const own = byDevice.explained.groups.find(({ name }) => name === reading.device);
  const share = shareOf(own?.contribution, byDevice.explained.change);
  return [{ kind: 'place', name: reading.device, basis: 'measured', ...(share !== undefined && { share }) }];
}

/** The segment that carries more of a change than all others. */
function segmentCauses({ bySegment }: Causes): Facts['causes'] {
  const name = bySegment?.reasons.named ?? bySegment?.reasons.maker;
  const apart = bySegment?.explained.find(({ apart: { groups } }) => groups[0]?.name === name)?.apart;
  const share = apart && shareOf(apart.groups[0]?.contribution, apart.change);
  return share === undefined || share < LEAST_PART ? [] : [{ kind: 'place', name: `"${name ?? ''}"`, share, basis: 'measured' }];
}

/** The mix of devices where it makes a rate move: the device whose share of the visits rose most. */
function mixCauses({ byDevice }: Causes): Facts['causes'] {
  if (!byDevice || !isMix(byDevice.explained)) return [];
  const { groups, change } = byDevice.explained;
  const movedOf = ({ shareBefore = 0, shareAfter = 0 }: Contribution) => shareAfter - shareBefore;
  const [most] = groups.toSorted((a, b) => movedOf(b) - movedOf(a));
  const share = shareOf(effectsOf(byDevice.explained).mix, change);
  return most && share !== undefined ? [{ kind: 'mix', name: most.name, share, basis: 'measured' }] : [];
}

/** What a change comes from: the place that carries it, the mix of devices, the factor of a product. */
function causesOf(located: Located, scene: ComparisonScene): Facts['causes'] {
  const { causes, input } = scene;
  const factors = factorCauses(located.metric, scene);
  if (located.metric !== input.judged.headline.metric) return factors;
  return [...deviceCauses(located, causes), ...segmentCauses(causes), ...mixCauses(causes), ...factors];
}

/** The factor that makes most of a change of revenue; none where several do. */
function factorCauses(metric: string, { causes: { revenue } }: ComparisonScene): Facts['causes'] {
  if (metric !== 'revenueSum' || !revenue?.isChanged || revenue.difference === 0) return [];
  return REVENUE_FACTORS.flatMap(([factor, part]) => {
    const share = shareOf(revenue.split[part], revenue.difference) ?? 0;
    return share > MOST_OF_REVENUE
      ? [{ kind: 'factor' as const, name: nameOf(factor).toLowerCase(), share, basis: 'measured' as const }]
      : [];
  });
}

/** A change as every tool dates and sizes it: by all days that are known and not by the ranges of the question. */
const measured = ({ metric, reading, change }: Located): Located => ({
  metric,
  reading,
  change: measureChange(kindOf(metric), daysOf(reading, metric), change) ?? change,
});

/** The factor that a product follows since before the period; itself where none does. */
function byFactor({ metric, reading, change }: Located, days: Change['days']): Located {
  const factors = factorsOf(metric, reading).flatMap((factor): Located[] => {
    const own = earlierOf({ judgement: judgeReading(reading, factor), since: undefined, days });
    return own && isSameChange(own, change) ? [{ metric: factor, reading, change: own }] : [];
  });
  return factors.toSorted((a, b) => a.change.pValue - b.change.pValue)[0] ?? { metric, reading, change };
}

/** A change that began before the period and goes on, on the one device that shows it; undefined where there is none. */
function earlierChange(change: Change, whole: Reading, { judged: { devicesOf } }: CausesInput): Located | undefined {
  const found = earlierOf(change);
  if (!found) return undefined;
  const device = onlyEarlier(change, devicesOf(change.metric));
  const own = device && earlierOf({ judgement: device, since: undefined, days: change.days });
  const located =
    own && device
      ? { metric: change.metric, reading: device.reading, change: own }
      : { metric: change.metric, reading: whole, change: found };
  return measured(byFactor(located, change.days));
}

/** The headline on the one device that moved unlike the others, where all its days do not show it. */
function atNamedDevice({ byDevice }: Causes, { metric, since, judgement }: Change, readingOf: (device: string) => Reading): Located[] {
  const { groups, named } = byDevice?.reasons ?? { groups: [], named: undefined };
  const { relative = null, low = null, high = null } = groups.find(({ name }) => name === named) ?? {};
  if (!since || !isChanged(judgement) || named === undefined || relative === null || low === null || high === null) return [];
  return [measured({ metric, reading: readingOf(named), change: { ...since, relative, low, high } })];
}

/** The changes with a date: that of the headline where it was measured, those of other metrics, and those that began before the period. */
function datedChanges({ causes, input }: ComparisonScene): Located[] {
  const { judged, readings, devices } = input;
  const [whole] = readings;
  if (!whole) return [];
  const { measured: own, others } = causes;
  const readingOf = (device: string) => (device === 'all' ? whole : (devices.find((each) => each.device === device) ?? whole));
  const found: Located[] = own
    ? [{ metric: own.metric, reading: readingOf(own.device), change: own.change }]
    : atNamedDevice(causes, judged.headline, readingOf);
  const isTold = ({ metric, change }: Located) =>
    found.some((told) => isSameChange(told.change, change) && (told.metric === metric || factorsOf(metric, whole).includes(told.metric)));
  const add = (located: Located | undefined) => void (located && !isTold(located) && found.push(located));
  for (const change of judged.changes) {
    const reading = change.judgement && readings.length > 1 ? readings[judged.changes.indexOf(change) % readings.length] : whole;
    if (!reading) continue;
    const named = others.find(({ metric }) => metric === change.metric)?.reasons.named;
    const place = named === undefined || reading !== whole ? reading : readingOf(named);
    if (change.since && isChanged(change.judgement)) add(measured({ metric: change.metric, reading: place, change: change.since }));
    add(earlierChange(change, reading, input));
  }
  return found;
}

/** Why the figures of two ranges differ although comparable days do not: special days, days that stand out, or the calendar. */
function calendarCauses(
  change: Change,
  { specialDays, input: { windows } }: ComparisonScene,
  reading: Reading | undefined,
): Facts['causes'] {
  if (beyondUsual(change) < 1) return [];
  const days = reading ? [...reading.baselineDays, ...reading.periodDays].flatMap(({ interval: { label } }) => label ?? []) : [];
  const names = [...new Set(days.map((label) => specialDays(label)?.name).filter((name) => name !== undefined))];
  if (names.length > 0) return names.slice(0, 3).map((name) => ({ kind: 'special day' as const, name, basis: 'same time' as const }));
  const outliers = change.judgement.changes.filter(({ shape }) => shape === 'outlier').map(({ from }) => from);
  if (outliers.length > 0) return [{ kind: 'special day', name: outliers.slice(0, 3).join(', '), basis: 'measured' }];
  return [
    { kind: 'season', name: windows.factors.before === 1 ? 'weekdays and the time of the month' : 'the calendar', basis: 'measured' },
  ];
}

const VERDICTS = { up: 'higher', down: 'lower', 'within noise': 'unchanged', 'cannot be judged': 'uncertain' } as const;

function verdictOf({ judgement }: Change): Facts['verdict'] {
  const verdict = toldVerdict(judgement);
  if (verdict === 'drift') return (judgement.relative ?? 0) < 0 ? 'lower' : 'higher';
  return verdict === 'not enough data' || verdict === 'too young' ? 'too few data' : VERDICTS[verdict];
}

/** The record of a metric over the two ranges, or of a single day against what was expected of it. */
function rangeFacts(change: Change, reading: Reading | undefined, scene: ComparisonScene): Facts {
  const { metric, before, after, compared, isPerDay, judgement, detectable } = change;
  const { period, currency, placeOf } = scene;
  const times = kindOf(metric) === 'share' ? 100 : 1;
  const { expected, relative } = judgement;
  const verdict = before === null || after === null ? 'too few data' : verdictOf(change);
  const bounds = expected && {
    value: rounded(metric, times * expected.expected),
    low: rounded(metric, times * expected.low),
    high: rounded(metric, times * expected.high),
  };
  return {
    subject: metric,
    unit: isPerDay ? levelUnit(metric, currency) : (unitOf(metric, currency) ?? ''),
    place: reading ? placeOf(reading) : {},
    when: { shape: period.from === period.to ? 'day' : 'range', ...period, ongoing: false },
    now: compared.after,
    against: bounds ? { what: 'expected', ...bounds } : { what: 'before', value: compared.before },
    ...(relative !== null && (verdict === 'higher' || verdict === 'lower') && { change: changeOfRanges(change, relative) }),
    verdict,
    ...(detectable !== null && { detectable: Number((100 * Math.abs(detectable)).toFixed(1)) }),
    causes: rangeCauses(change, scene, reading, verdict),
  };
}

/** What a changed range follows from, and why one that did not change shows other figures; none of a single day. */
function rangeCauses(change: Change, scene: ComparisonScene, reading: Reading | undefined, verdict: Facts['verdict']): Facts['causes'] {
  if (change.judgement.expected) return [];
  return verdict === 'higher' || verdict === 'lower' ? factorCauses(change.metric, scene) : calendarCauses(change, scene, reading);
}

/** The size of comparable days with what chance makes of such ranges on both sides. */
function changeOfRanges({ judgement: { noise } }: Change, relative: number): NonNullable<Facts['change']> {
  const percent = (share: number) => Number((100 * share).toFixed(2));
  return { percent: percent(relative), low: percent(relative - (noise ?? 0)), high: percent(relative + (noise ?? 0)) };
}

/** The findings of a comparison, ranked, and the sentences of its first paragraph and of its details, both in order. */
export interface ComparisonTold {
  readonly findings: readonly Finding[];
  readonly lead: readonly string[];
  readonly details: readonly string[];
}

/** Days from which on a change is more than what a day or two show by themselves. */
const LASTING_DAYS = 3;

/** One sentence: how little a change of a day or two says; empty of one that has lasted. */
function shortSentence({ change: { days, to }, metric }: Located): string {
  if (days >= LASTING_DAYS || to !== undefined) return '';
  return `${nameOf(metric)}: only ${days === 1 ? 'one day' : `${days} days`} so far, so whether it lasts is open.`;
}

/** Metrics whose ranges have a record, that of the headline first. */
const MOST_RANGES = 3;

/** Puts what was judged into records, and these into words: what goes on, what ended, and what the ranges as wholes show. */
export function tellComparison(scene: ComparisonScene, grammar: Grammar): ComparisonTold {
  const { input, faults } = scene;
  const { judged, readings } = input;
  const { headline, changes } = judged;
  const located = datedChanges(scene);
  const dated = located.map((each) => datedFacts(each, scene));
  const told = wordedAll(ranked([...faults.map(faultFacts), ...dated]), grammar);
  const readingAt = (at: number) => readings[readings.length > 1 ? at % readings.length : 0];
  const ranges = wordedAll(
    changes.map((change, at) => rangeFacts(change, readingAt(at), scene)),
    grammar,
  );
  const ofHeadline = ranges[changes.indexOf(headline)];
  // The ranges hold days without the change, so that their figures are others than its size.
  const whole = ({ sentence, against }: Finding) =>
    dated.length === 0 || against?.what === 'expected' ? sentence : `Over the whole period, ${lowered(sentence)}`;
  const lead = [
    ...told.flatMap((finding) => [finding.sentence, costSentence(finding, grammar)]),
    ...(ofHeadline ? [whole(ofHeadline)] : []),
  ];
  const details = [...told.map((finding) => intervalSentence(finding, grammar)), ...located.map(shortSentence)];
  // The table has them all.
  const kept = [...(ofHeadline ? [ofHeadline] : []), ...ranges.filter((each) => each !== ofHeadline)].slice(0, MOST_RANGES);
  return { findings: [...told, ...kept], lead: lead.filter(isSaid), details: details.filter(isSaid) };
}

const isSaid = (sentence: string) => sentence !== '';

/** The record of a change with a date; its cost is that of all its days, whatever range was asked for. */
function datedFacts(located: Located, scene: ComparisonScene): Facts {
  const { metric, reading, change } = located;
  const { last } = scene.input.judged.headline.days;
  return changeFacts(
    {
      metric,
      place: scene.placeOf(reading),
      change,
      cost: costOnDays(metric, allDaysOf(reading), change),
      points: daysOf(reading, metric),
      last,
      causes: causesOf(located, scene),
    },
    scene.currency,
  );
}
