import { formatPercent } from '../../../lib/number-text.ts';
import { factorsOf } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import type { DayJudgement } from '../engine/judge-day.ts';

/** The figures of two ranges and their verdict. */
interface Compared {
  readonly metric: string;
  readonly compared: { readonly before: number | null; readonly after: number | null };
  readonly judgement: DayJudgement;
  /** First day of the period. */
  readonly days: { readonly first: string };
}

const signed = (share: number) => formatPercent(100 * share, { sign: true, digits: 1 });

/** Effects of the calendar below this share are not worth a word. */
export const LEAST_CALENDAR = 0.03;

/** The longest-reaching episode among the days of the baseline, by size times days; undefined where there is none. */
function baselineEpisode({ judgement: { changes }, days }: Pick<Compared, 'judgement' | 'days'>): DatedChange | undefined {
  const own = changes.filter(({ shape, to }) => shape === 'episode' && to !== undefined && to < days.first);
  const weightOf = ({ relative, days: length }: DatedChange) => Math.abs(Math.log1p(Math.max(-0.99, relative))) * length;
  return own.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
}

/** How far the ranges themselves differ from each other; undefined where the baseline has no value. */
function figuresOf({ compared: { before, after } }: Compared): number | undefined {
  return before === null || after === null || before === 0 ? undefined : (after - before) / before;
}

/** How far the change of the figures lies beyond that of the usual level, counted in what is chance; 0 where they agree. */
export function beyondUsual(change: Compared): number {
  const { relative, noise } = change.judgement;
  const figures = figuresOf(change);
  if (relative === null || !noise || figures === undefined) return 0;
  const distance = Math.abs(figures - relative) / noise;
  return distance < 0.25 ? 0 : distance;
}

/** Weekdays that differ by so much, as a share, turn a fall into a rise that is worth a word. */
const LEAST_TURN = 0.1;

/** Whether the ranges differ in the other direction than the usual level, as where they hold other weekdays. */
function isTurned(change: Compared): boolean {
  const [figures = 0, relative] = [figuresOf(change), change.judgement.relative ?? 0];
  return figures * relative < 0 && Math.abs(figures - relative) >= LEAST_TURN;
}

/** Whether the figures of the ranges lie within noise and the usual level does not, by which the verdict goes. */
function isDecidedByLevel(change: Compared): boolean {
  const { relative, noise, verdict } = change.judgement;
  const isBeyond = (share: number | null | undefined) => Math.abs(share ?? 0) > (noise ?? 0);
  return (verdict === 'up' || verdict === 'down') && isBeyond(relative) && !isBeyond(figuresOf(change));
}

/** Whether the figures of the ranges lie beyond noise and the usual level, by which the verdict goes, within it. */
function isCalmedByLevel(change: Compared): boolean {
  const { noise, verdict } = change.judgement;
  return verdict === 'within noise' && noise !== null && Math.abs(figuresOf(change) ?? 0) > noise;
}

/** Whether the calendar's part is told in words of its own, or is of no matter. */
function needsNoWord(change: Compared): boolean {
  if (isCalmedByLevel(change)) return false;
  // Evened out by itself a product differs from what its factors make, which say theirs.
  if (factorsOf(change.metric).length > 0 && change.judgement.verdict === 'within noise') return true;
  const { month, season } = change.judgement.calendar ?? { month: 0, season: 0 };
  const isTold = Math.max(Math.abs(month), Math.abs(season)) >= LEAST_CALENDAR;
  return isTold || (beyondUsual(change) < 1 && !isTurned(change) && !isDecidedByLevel(change));
}

/** The days of a change that is over: `2026-10-21 to 2026-10-27`. */
function daysOf({ judgement: { main } }: Compared): string {
  const { from = '', to = from } = main ?? {};
  return from === to ? from : `${from} to ${to}`;
}

/**
 * The change against the usual level, where days of their own make the figures differ from it: `; the baseline was 60.2% higher
 * than usual from 2026-09-17 to 2026-09-23, and against the usual level the change is +3.1%`; empty where they agree.
 */
export function usualText(change: Compared, isBrief = false): string {
  const { otherwise } = change.judgement;
  // Where a change is over no day of the period had the level that all of them have together.
  return otherwise === undefined
    ? levelText(change, isBrief)
    : ` (${signed(otherwise)} without ${isBrief ? daysOf(change) : 'these days'})`;
}

/** The episode of the baseline that the figures of the ranges differ by from the level; undefined where a single day is judged. */
const episodeBeside = (change: Compared) => (change.judgement.expected ? undefined : baselineEpisode(change));

/** Which figure stands beside the counted one, as the words behind it name it; empty where none does. */
export function kindOfFigure(change: Compared): string {
  const { changes, relative, isOfMain, expected } = change.judgement;
  // A change inside the period has words of its own.
  if (relative === null || isOfMain) return '';
  if (expected) return 'against the expected';
  if (beyondUsual(change) === 0 && !isCalmedByLevel(change)) return '';
  if (episodeBeside(change)) return 'against the usual level';
  if (changes.some(({ shape }) => shape === 'outlier')) return 'on typical days';
  return needsNoWord(change) ? '' : 'on a typical day, weekdays and special days evened out';
}

/** Single days that the level leaves out, which alone make the figures of the ranges lie beyond noise; none where they do not. */
function decidingDays(change: Compared): readonly DatedChange[] {
  const { changes, withOutliers } = change.judgement;
  return isCalmedByLevel(change) && withOutliers !== undefined ? changes.filter(({ shape }) => shape === 'outlier') : [];
}

/** `a`, `a and b`, `a, b and c`. */
const listed = (texts: readonly string[]) =>
  [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((text) => text !== '').join(' and ');

function levelText(change: Compared, isBrief: boolean): string {
  const { relative } = change.judgement;
  const kind = kindOfFigure(change);
  if (relative === null || kind === '') return '';
  const episode = episodeBeside(change);
  if (episode && isBrief) return ` (${signed(relative)} against the usual)`;
  if (episode) {
    const size = `${formatPercent(Math.abs(100 * episode.relative), { digits: 1 })} ${episode.relative < 0 ? 'lower' : 'higher'}`;
    const days = `from ${episode.from} to ${episode.to ?? ''}`;
    return `; the baseline was ${size} than usual ${days}, and against the usual level the change is ${signed(relative)}`;
  }
  const own = decidingDays(change);
  if (own.length === 0) return ` (${signed(relative)} ${kind})`;
  if (isBrief) return ` (${signed(relative)} without ${listed(own.map(({ from }) => from))})`;
  const days = listed(own.map((day) => `${day.from} (${signed(day.relative)})`));
  return `; ${signed(relative)} without ${days}, which ${own.length === 1 ? 'stands' : 'stand'} out`;
}
