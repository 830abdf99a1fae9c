import type * as z from 'zod';
import type { exportRunWithFiles, successfulRun } from '../api/operations/records.ts';
import { instantOf } from '../api/params.ts';
import { minuteAt, todayIn } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';

type Run = z.output<typeof successfulRun>;

/** When the files of a run are deleted where they live so long, ms since 1970; not a number where it is not said when it completed. */
export function filesUntil({ completionTime }: Pick<Run, 'completionTime'>, fileLifeMs: number): number {
  return instantOf(completionTime ?? '') + fileLifeMs;
}

/** Jobs and days that a sentence names before it counts the rest, or leaves them out. */
const MOST_JOBS = 4;
const MOST_DAYS = 3;

interface FilesNow {
  readonly fileLifeMs: number;
  readonly nowMs: number;
  readonly timeZone: string;
  readonly isHere: (run: Run) => boolean;
}

/**
 * How many runs lose their files before an instant, by job and by day, and how many are here: `33 runs lose their files before 2026-11-27:
 * 31 of "Hourly sessions", 2 of "Daily views". By day: 24 on 2026-11-25, 9 on 2026-11-26. In the workspace already: 2, not yet: 31.`
 */
export function expiringWords(runs: readonly Run[], before: string, { isHere, fileLifeMs, timeZone }: Omit<FilesNow, 'nowMs'>): string {
  if (runs.length === 0) return `No run loses its files before ${before}, as far as the life of files is known.`;
  const jobs = [...grouped(runs, ({ name, jobId }) => (name ? `"${name}"` : jobId))].toSorted(([, a], [, b]) => b.length - a.length);
  const named = jobs.slice(0, MOST_JOBS).map(([job, own]) => `${own.length} of ${job}`);
  const others = jobs.length > MOST_JOBS ? [`others of ${jobs.length - MOST_JOBS} jobs`] : [];
  const here = runs.filter(isHere).length;
  const lose = runs.length === 1 ? '1 run loses its' : `${runs.length} runs lose their`;
  const days = [...grouped(runs, (run) => todayIn(timeZone, filesUntil(run, fileLifeMs)))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, own]) => `${own.length} on ${day}`);
  const byDay = days.length > 1 && days.length <= MOST_DAYS ? ` By day: ${days.join(', ')}.` : '';
  const files = `${lose} files before ${before}: ${[...named, ...others].join(', ')}.${byDay}`;
  return `${files} In the workspace already: ${here}, not yet: ${runs.length - here}.`;
}

/** How many of these runs still have files: `6 of 15 runs read still have files; 9 expired, those completed before 2026-11-19T09:30Z.` */
export function expiredWords(runs: readonly Run[], { fileLifeMs, nowMs, timeZone, isHere }: FilesNow): string | undefined {
  if (runs.length === 0) return undefined;
  const expired = runs.filter((run) => filesUntil(run, fileLifeMs) <= nowMs);
  if (expired.length === 0) return runs.length === 1 ? 'This run still has files.' : `All ${runs.length} runs read still have files.`;
  const here = expired.filter(isHere).length;
  const left = runs.length - expired.length;
  const kept = here > 0 ? `; ${here} of these ${here === 1 ? 'is' : 'are'} in the workspace` : '';
  const gone = `${expired.length} expired, those completed before ${minuteAt(nowMs - fileLifeMs, timeZone)}${kept}`;
  return `${left} of ${runs.length} runs read still ${left === 1 ? 'has' : 'have'} files; ${gone}.`;
}

/** When the files of a run are deleted, as the platform says it. */
export function expiriesOf({ files }: Pick<z.output<typeof exportRunWithFiles>, 'files'>): number[] {
  return (files ?? []).map(({ expirationDate }) => instantOf(expirationDate ?? '')).filter((ms) => !Number.isNaN(ms));
}

/** Until when the links of a run's files work, or since when they do not; undefined where it has none, or none that says so. */
export function linksWords(
  run: Parameters<typeof expiriesOf>[0],
  { nowMs, timeZone, isHere }: Pick<FilesNow, 'nowMs' | 'timeZone'> & { readonly isHere: boolean },
): string | undefined {
  const ends = expiriesOf(run);
  if (ends.length === 0) return undefined;
  const first = minuteAt(Math.min(...ends), timeZone);
  const kept = isHere ? ' The run is in the workspace.' : '';
  const gone = ends.filter((ms) => ms <= nowMs).length;
  if (gone === 0) return `The links work until ${first}.${kept}`;
  const which = gone === ends.length ? 'The links' : `${gone} of ${ends.length} links`;
  return `${which} expired on ${first}: the platform has deleted the files.${kept}`;
}
