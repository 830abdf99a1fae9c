import type { Judgement } from '../engine/judge.ts';
import { type Change } from './comparison-words.ts';
import type { Explained } from './contributions.ts';
import { changeDays } from './measured-change.ts';
import { kindOfFigure } from './usual-words.ts';

/** The sizes that are told of the devices of a change, of the same kind as the figure of all of them that stands before. */
export interface ToldSizes {
  /** Their kind, where that is not the counts of the two ranges: `since 2026-09-04`, `on typical days`; else empty. */
  readonly of: string;
  /** By device; undefined where they are those of the days of the change, as it was tested. */
  readonly sizes: ReadonlyMap<string, number> | undefined;
}

/** The devices' figures in both ranges, and their own verdicts. */
interface Devices {
  readonly explained: Pick<Explained, 'groups'>;
  readonly verdictOf: (device: string) => { readonly judged: Pick<Judgement, 'relative' | 'isOfMain' | 'otherwise'> } | undefined;
}

/** Whether the figures of all devices are those of a part of the period. */
const isOfOwnDays = ({ since, days }: Pick<Change, 'since' | 'days'>) =>
  since !== undefined && (since.from > days.first || since.to !== undefined);

/** The sizes to tell: those of the days of the change, else as the whole is told, counted or on typical days. */
export function toldSizes(headline: Change, { explained, verdictOf }: Devices): ToldSizes {
  if (headline.since && isOfOwnDays(headline)) return { of: changeDays(headline.since), sizes: undefined };
  const counted = explained.groups.flatMap(({ name, before, after }): [string, number][] =>
    before === null || after === null || before <= 0 ? [] : [[name, after / before - 1]],
  );
  const kind = kindOfFigure(headline);
  if (kind === '') return { of: '', sizes: new Map(counted) };
  const levels = counted.flatMap(([name]): [string, number][] => {
    const { relative, isOfMain, otherwise } = verdictOf(name)?.judged ?? {};
    return typeof relative === 'number' && !isOfMain && otherwise === undefined ? [[name, relative]] : [];
  });
  const isWhole = levels.length === counted.filter(([name]) => verdictOf(name)).length && holds(levels, headline.judgement.relative);
  // The calendar is named beside the figure of all.
  return isWhole ? { of: kind.split(',')[0] ?? '', sizes: new Map(levels) } : { of: 'as counted', sizes: new Map(counted) };
}

/** Rounding of the level of all devices. */
const ROUNDING = 0.005;

/** Whether the level of all lies among those of the devices: each leaves out the days that stand out on it, which may be others. */
function holds(levels: readonly (readonly [string, number])[], whole: number | null): boolean {
  const sizes = levels.map(([, size]) => size);
  return whole !== null && whole >= Math.min(...sizes) - ROUNDING && whole <= Math.max(...sizes) + ROUNDING;
}
