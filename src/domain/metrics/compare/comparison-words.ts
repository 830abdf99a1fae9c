import { DAY_MS } from '../../../lib/clock.ts';
import { formatMoney, formatNumber, formatPercent, NO_VALUE } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import type { DatedChange } from '../engine/changes.ts';
import type { Judgement } from '../engine/judge.ts';
import type { DayJudgement } from '../engine/judge-day.ts';
import { LEAST_HISTORY_DAYS } from '../engine/levels.ts';
import type { DailyPoint } from '../engine/series.ts';
import { definitionOf, nameOf, unitOf, verbsOf } from '../metric-definitions.ts';
import { daysText, insideText, levelText, pastText, possibleText, signed } from './level-words.ts';
import { isChanged, kindOf, noisePercentOf, rounded, toldVerdict } from './readings.ts';
import { LEAST_CALENDAR, usualText } from './usual-words.ts';

/** One metric of one selection on both sides. */
export interface Change {
  readonly metric: string;
  /** As the platform gives it for exactly the baseline and the period. */
  readonly before: number | null;
  readonly after: number | null;
  /** The compared figures: the same, or of counts over ranges of different length the figure for a day. */
  readonly compared: { readonly before: number | null; readonly after: number | null };
  readonly isPerDay: boolean;
  /** Days of the two ranges, for which a figure per day is given. */
  readonly lengths: { readonly before: number; readonly after: number };
  readonly judgement: DayJudgement;
  /** The whole days of the two ranges. */
  readonly points?: { readonly before: readonly DailyPoint[]; readonly after: readonly DailyPoint[] } | undefined;
  /** When and by how much it changed; undefined where no day can be named. */
  readonly since: DatedChange | undefined;
  /** First and last whole day of the period. */
  readonly days: { readonly first: string; readonly last: string };
  /** The baseline, where it is a single day. */
  readonly baselineDay?: string | undefined;
  /** The visits that it is about, where those are not all: `mobile`, `Germany`. */
  readonly of: string;
  /**
   * Of a change within noise: the smallest one in its direction that the period would have shown in four of five cases, −0.05 for 5 % less;
   * −1 where no fall would.
   */
  readonly detectable: number | null;
}

/** After minus before, for a day where the ranges of a count differ in length; null where one has no value. */
export function differenceOf({ compared: { before, after } }: Change): number | null {
  return before === null || after === null ? null : after - before;
}

/** True for metrics in percent, whose changes are points. */
export const isPercent = (metric: string) => definitionOf(metric)?.unit === '%';

/** A value with its unit: `2.41%`, `61,234 EUR`, `27,934`. */
export function valueText(metric: string, value: number | null, currency: string | undefined): string {
  if (value === null) return NO_VALUE;
  if (isPercent(metric)) return formatPercent(value);
  if (definitionOf(metric)?.unit !== 'currency') return formatNumber(value, { group: true });
  return `${formatMoney(value, { group: true })} ${unitOf(metric, currency) ?? ''}`;
}

/** A relative change, `−20%`; without a share where the earlier value is 0. */
function relativeText(before: number, after: number): string {
  if (before === 0) return after === 0 ? 'unchanged' : 'from 0';
  return formatPercent((100 * (after - before)) / before, { sign: true, digits: 1 });
}

/** A change in points or percent: `−0.48 pp, −20%`. */
export function changeText(metric: string, before: number | null, after: number | null): string {
  if (before === null || after === null) return NO_VALUE;
  const relative = relativeText(before, after);
  if (!isPercent(metric)) return relative;
  return `${formatNumber(after - before, { sign: true, digits: 2 })} pp, ${relative}`;
}

/** `343,567 → 318,948 (−7%)`, of ranges that differ in length per day, with how many days each total is of. */
function figuresText({ metric, before, after, compared, isPerDay, lengths }: Change, currency: string | undefined): string {
  const write = (value: number | null) => valueText(metric, value, currency);
  const change = changeText(metric, compared.before, compared.after);
  if (!isPerDay) return `${write(before)} → ${write(after)} (${change})`;
  const inAll = (value: number | null, days: number) => {
    const shown = Math.round(10 * days) / 10;
    return `${write(value)} in ${shown} day${shown === 1 ? '' : 's'}`;
  };
  const totals = `${inAll(before, lengths.before)} → ${inAll(after, lengths.after)}`;
  return `per day ${write(compared.before)} → ${write(compared.after)} (${change}; ${totals})`;
}

/** `Visits (mobile)`: a metric and its selection. */
const subjectOf = ({ metric, of }: Pick<Change, 'metric' | 'of'>) => (of === '' ? nameOf(metric) : `${nameOf(metric)} (${of})`);

/** `, of which the usual course of the month makes +16.9%`; empty where the calendar makes little of it. */
function calendarText({ judgement: { calendar } }: Change): string {
  const { month, season } = calendar ?? { month: 0, season: 0 };
  const clauses = [
    ...(Math.abs(month) >= LEAST_CALENDAR ? [`the usual course of the month makes ${signed(month)}`] : []),
    ...(Math.abs(season) >= LEAST_CALENDAR ? [`last year's season makes ${signed(season)}`] : []),
  ];
  return clauses.length === 0 ? '' : `, of which ${clauses.join(' and ')}`;
}

/** `-21.3% would show in 4 of 5 cases`; empty where that is not known. */
function detectableText(detectable: number | null): string {
  if (detectable === null) return '';
  return detectable <= -1 ? 'no fall of any size would show' : `${signed(detectable)} would show in 4 of 5 cases`;
}

/** Why there is no verdict. */
const unknownText = ({ days }: Change) =>
  days.first === '' ? 'not judged, because the period holds no whole day' : 'not enough data to distinguish a change from noise';

/** Why a metric did not change by our verdict, behind its figures; undefined where it did. */
function calmText(change: Change, usual: string): string | undefined {
  const { judgement, detectable } = change;
  const verdict = toldVerdict(judgement);
  if (verdict === 'too young') return `: too young to judge, fewer than ${LEAST_HISTORY_DAYS} days with data lie before the period`;
  if (verdict === 'not enough data') return `: ${unknownText(change)}`;
  if (judgement.verdict !== 'within noise') return undefined;
  // Where a break before the period goes on, which is told, the baseline may hold it too: that the ranges are alike says nothing then.
  if (earlierOf(change)) return '';
  if (verdict === 'cannot be judged') return `: ${verdict}, two such ranges differ by up to ${usual} by chance`;
  const shown = detectableText(detectable);
  // What lasts is held against more days than the other range has, so less of it shows.
  const lasting = detectable === -1 ? shown : `held against all days before, a lasting ${shown}`;
  return `: within noise (two such ranges differ by up to ${usual} by chance${shown === '' ? '' : `; ${lasting}`})`;
}

/** The bound is shown where it decided: what changed from some day on may lie within the bound of the whole period. */
function beyondNoise(noise: number | null, { compared, judgement: { relative } }: Change, usual: string): string {
  const shown = compared.before === null || compared.after === null || compared.before === 0 ? null : compared.after / compared.before - 1;
  // Beside a change that is smaller it would look like a contradiction.
  const decided = [relative, shown].every((each) => noise !== null && each !== null && 100 * Math.abs(each) > noise);
  return decided ? `beyond noise (${usual})` : 'beyond noise';
}

/** One sentence on a single day: its value, the one to be expected, whether noise explains the distance, and the baseline. */
function daySentence(name: string, change: Change, currency: string | undefined): string {
  const { metric, before, after, days, baselineDay, judgement, detectable } = change;
  const { expected, relative } = judgement;
  const verdict = toldVerdict(judgement);
  if (!expected || relative === null) return '';
  const times = kindOf(metric) === 'share' ? 100 : 1;
  const write = (value: number) => valueText(metric, rounded(metric, times * value), currency);
  // The unit stands beside the value already.
  const bound = (value: number) => write(value).split(' ')[0] ?? '';
  const was = `${write(expected.expected)} (95%: ${bound(expected.low)} to ${bound(expected.high)}) was to be expected`;
  const shown = detectableText(detectable);
  const calm = shown === '' ? verdict : `${verdict} (${shown})`;
  const stands = isChanged(judgement) ? 'beyond noise' : calm;
  const against = baselineDay === undefined ? '' : `; ${changeText(metric, before, after)} against ${baselineDay}`;
  return `${name} on ${days.first}: ${valueText(metric, after, currency)} where ${was}, ${signed(relative)}, ${stands}${against}.`;
}

/** One sentence: what changed, by how much, whether it stands out, since when. `name` is that of the metric and its selection. */
export function changeSentence(change: Change, currency: string | undefined, name = subjectOf(change)): string {
  const { before, after, judgement, since, days } = change;
  if (before === null || after === null) {
    const lacking = after === null ? 'either range' : 'the baseline';
    return `${name} has no value in ${before === null ? lacking : 'the period'}: nothing can be compared.`;
  }
  const { verdict } = judgement;
  const noise = noisePercentOf(judgement);
  const usual = noise === null ? '' : `±${formatNumber(noise, { digits: 1 })}%`;
  if (judgement.expected) return daySentence(name, change, currency);
  const figures = `${figuresText(change, currency)}${usualText(change)}`;
  const beyond = beyondNoise(noise, change, usual);
  const calm = calmText(change, usual);
  if (calm !== undefined) return `${name} went ${figures}${calendarText(change)}${calm}.`;
  if (verdict === 'drift') return `${name} went ${figures}${calendarText(change)}, ${beyond}: it drifted slowly, so no day is its start.`;
  const moved = verdict === 'up' ? 'rose' : 'fell';
  if (!since) return `${name} ${moved} ${figures}${calendarText(change)}, ${beyond}.`;
  // From the first day on the figures of the ranges are those of the change.
  if (since.from <= days.first && since.to === undefined)
    return `${name} ${moved} ${figures}, ${beyond}, since ${since.from}${possibleText(since)}.`;
  return insideSentence(name, { ...change, since }, `${figures}${calendarText(change)}`);
}

/** One sentence on a change that began or ended within the period; `figures` are those of the two ranges. */
function insideSentence(name: string, change: Change & { readonly since: DatedChange }, figures: string): string {
  const { metric, since, days } = change;
  const turned = insideText(change, differenceOf(change));
  if (turned !== '') return `${name} went ${figures}; ${turned}.`;
  const whole = `over the whole period ${figures}`;
  if (since.to !== undefined) return `${name} ${pastText(change, since)}; ${whole}.`;
  const when = `since ${since.from}${possibleText(since)}, ${daysText(since.days, days.last)}`;
  return `${name} ${verbsOf(metric).is} ${levelText(since)} ${when}; ${whole}.`;
}

const MOVED: Partial<Record<Judgement['verdict'], string>> = { up: 'rose', down: 'fell' };

/** A device whose level changed although that of the whole did not: by its own change where that has a date, else by the ranges. */
export function aloneSentence(
  { metric, device }: { readonly metric: string; readonly device: string },
  { verdict }: Judgement,
  { since, last, cost = '' }: { readonly since: DatedChange | undefined; readonly last: string; readonly cost?: string },
  change: string,
): string {
  const [subject, verbs] = [`${nameOf(metric)} on ${device} alone`, verbsOf(metric)];
  if (since && since.to === undefined)
    return `${subject} ${verbs.is} ${levelText(since)} since ${since.from}, ${daysText(since.days, last)}${inPeriod({ cost })}.`;
  if (since) return `${subject} ${pastText({ metric, days: { last } }, since)}.`;
  return `${subject} ${MOVED[verdict] ?? 'drifted'} beyond noise (${change}).`;
}

/** The latest change that began before the period and goes on; undefined where there is none. */
export function earlierOf({ judgement, since, days }: Pick<Change, 'judgement' | 'since' | 'days'>): DatedChange | undefined {
  // A single day may itself be what makes a step of the days before it.
  const lastOf = ({ from, latest }: DatedChange) => (judgement.expected ? latest : from);
  return judgement.changes.findLast(
    (change) => change.shape === 'step' && change.to === undefined && lastOf(change) < days.first && change.from !== since?.from,
  );
}

/** Days by which another metric or a device may show the first day of the same change off. */
const SAME_CHANGE_DAYS = 3;

/** Whether two changes are of one: the same way, and since about the same day. */
export const isSameChange = (own: DatedChange, other: DatedChange) =>
  own.relative * other.relative > 0 && Math.abs(Date.parse(own.from) - Date.parse(other.from)) <= SAME_CHANGE_DAYS * DAY_MS;

/** The only one of some devices that shows the change of all that began before the period; undefined where none does, or several do. */
export function onlyEarlier<Device extends Judgement>(change: Change, devices: readonly Device[]): Device | undefined {
  const earlier = earlierOf(change);
  const shown = devices.filter((judgement) => {
    const own = earlierOf({ judgement, since: undefined, days: change.days });
    return earlier !== undefined && own !== undefined && isSameChange(own, earlier);
  });
  return shown.length === 1 ? shown[0] : undefined;
}

/** A change that began before the period, and what it makes of the period: `about -48,058 EUR of revenue`; empty where nothing is known. */
export interface Earlier {
  readonly metric: string;
  readonly change: DatedChange;
  readonly cost: string;
}

const inPeriod = ({ cost }: Pick<Earlier, 'cost'>) => (cost === '' ? '' : `, in the period ${cost}`);

/** The only device that shows a change which began before the period. */
export function earlierPlace(device: string, earlier: Earlier | undefined): string {
  if (!earlier) return '';
  const { change } = earlier;
  return `Of the devices only ${device} shows it: ${levelText(change)} since ${change.from}${inPeriod(earlier)}.`;
}

/** A change that began before the period, which a comparison with the baseline alone would not show. */
export function earlierSentence({ judgement, of }: Change, earlier: Earlier): string {
  const { metric } = earlier;
  const name = subjectOf({ metric, of });
  const subject = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const since = `${isChanged(judgement) ? 'Already' : 'But'} since ${earlier.change.from}, before the period,`;
  return `${since} ${subject} ${verbsOf(metric).is} ${levelText(earlier.change)}${inPeriod(earlier)}.`;
}

/** Days that stand out by themselves, and whether the verdict depends on them; undefined where there are none. */
export function outlierNote({ metric, judgement, of }: Change): string | undefined {
  const outliers = judgement.changes.filter(({ shape }) => shape === 'outlier');
  if (outliers.length === 0) return undefined;
  const name = subjectOf({ metric, of });
  const days = outliers.map(({ from, relative }) => `${from} (${signed(relative)})`).join(', ');
  const { withOutliers } = judgement;
  const one = outliers.length === 1;
  const matters =
    withOutliers === undefined ? `the verdict is the same with ${one ? 'it' : 'them'}` : `with ${one ? 'it' : 'them'}: "${withOutliers}"`;
  return `${name}: ${days} ${one ? 'stands' : 'stand'} out and ${one ? 'is' : 'are'} left out of the verdict; ${matters}.`;
}

const STANDS: Partial<Record<Judgement['verdict'], string>> = { up: 'beyond noise', down: 'beyond noise', drift: 'drifting' };

/** The other metrics in a few words. */
export function othersSentence(changes: readonly Change[]): string {
  const phrases = changes
    .filter(({ before, after }) => before !== null && after !== null)
    .map((change) => {
      const { metric, compared, judgement, since, days, of } = change;
      const verdict = toldVerdict(judgement);
      const stands = STANDS[judgement.verdict] ?? verdict;
      const isInside = since && since.to === undefined && since.from > days.first;
      const name = `${nameOf(metric).toLowerCase()}${of === '' ? '' : ` (${of})`}`;
      const figures = `${name} ${changeText(metric, compared.before, compared.after)}`;
      // The ranges as wholes lie within noise there.
      if (isInside && judgement.isOfMain) return `${figures} (${signed(since.relative)} since ${since.from})`;
      const when = isInside ? ` (${signed(since.relative)} since ${since.from})` : '';
      return `${figures}${usualText(change, true)} ${stands}${when}`;
    });
  return phrases.length === 0 ? '' : `${capital(phrases.join('; '))}.`;
}
