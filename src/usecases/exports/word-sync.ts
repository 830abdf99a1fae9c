import { hint } from '../../lib/hint.ts';
import { counted } from '../../lib/number-text.ts';
import { lifeWords } from '../../workspace/download/file-life.ts';
import { SYNC_COLUMNS, syncTable } from '../../workspace/download/sync-plan.ts';
import { loadsWords } from '../../workspace/warehouse/loaded-table.ts';
import type { SyncState } from './sync-exports.ts';

/** Failures that are written out; the table counts all. */
const MOST_FAILURES = 5;
/** Rows of jobs that nothing can be fetched of, unless they were asked for by name. */
const LOST_JOBS_SHOWN = 5;

const UNDER_WAY = hint('sync_exports', 'Call sync_exports again with the same arguments; the work goes on meanwhile.');
const FAILED = hint('sync_exports', 'Call sync_exports again: what has arrived is kept, the rest is tried once more.');
const DONE = hint('query_export', 'query_export with a jobId describes and queries the data.', 'The files are in the workspace.');

/** The runs that a sync was asked for. */
interface SyncAsked {
  readonly jobIds: readonly number[] | undefined;
  /** As the caller wrote it. */
  readonly since: string | undefined;
}

/** Jobs that were asked for by name and have no successful run. */
function idleNote({ plan }: SyncState, { jobIds, since }: SyncAsked): string[] {
  const runs = [plan.present, plan.wanted, plan.expired].flat();
  const idle = jobIds?.filter((jobId) => !runs.some((run) => run.jobId === jobId)) ?? [];
  if (idle.length === 0) return [];
  const period = since === undefined ? '' : ` since ${since}`;
  return [`No successful run${period} of job ${idle.join(', ')}${hint('list_export_runs', '; list_export_runs lists all its runs')}.`];
}

function answerText({ plan, failures, count }: SyncState, underWay: number): string {
  const [done, all] = [count('fetched'), plan.wanted.length];
  const some = (runs: number, what: string) => (runs > 0 ? [`${runs} ${what}`] : []);
  const parts = [
    all === 0 ? 'No new runs' : `${done === all ? '' : `${done} of `}${counted(all, 'new run')} downloaded`,
    ...some(underWay, 'under way'),
    ...some(failures.length, 'failed'),
    ...some(plan.present.length, 'here before'),
    ...some(plan.expired.length, 'had expired'),
  ];
  return `${parts.join(', ')}.`;
}

function nextText({ plan, failures }: SyncState, underWay: number): string {
  if (underWay > 0) return UNDER_WAY;
  const lost = new Set(plan.expired.map(({ jobId }) => jobId));
  const [jobId] = lost;
  const which = lost.size > 1 ? 'the jobId of each' : `jobId ${jobId}`;
  const backfill = lost.size > 0 ? hint('find_export_gaps', ` find_export_gaps with ${which} plans the backfill of what had expired.`) : '';
  return `${failures.length > 0 ? FAILED : DONE}${backfill}`;
}

/** Words where a sync stands, with notes on what is missing and what goes on. */
export function wordSync(state: SyncState, asked: SyncAsked, loads: Parameters<typeof loadsWords>[0]) {
  const { plan, life, outcomes, failures, count, arriving, runWords } = state;
  const underWay = count('under way');
  const { rows, more } = syncTable(plan, outcomes, asked.jobIds ? asked.jobIds.length : LOST_JOBS_SHOWN);
  const notes = [
    ...idleNote(state, asked),
    ...runWords,
    ...(plan.expired.length > 0 ? [`Expired: the platform deletes files ${lifeWords(life)}.`] : []),
    ...(underWay > 0 && arriving !== undefined ? [`${arriving}.`] : []),
    ...(loads.length > 0 ? [`${loadsWords(loads)}${hint('query_export', '; query_export waits for them')}.`] : []),
    ...(more > 0 ? [`${more} more jobs have nothing but expired runs; jobIds shows them.`] : []),
  ];
  const data = {
    answer: answerText(state, underWay),
    state: underWay > 0 ? ('under way' as const) : ('complete' as const),
    columns: SYNC_COLUMNS,
    rows,
    ...(failures.length > 0 && { failures: failures.slice(0, MOST_FAILURES) }),
  };
  return { data, next: nextText(state, underWay), notes };
}
