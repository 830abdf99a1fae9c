import { onApiError } from '../api/errors.ts';
import type { Context } from '../names/context.ts';
import type { KnownDays } from './calendar/known-days.ts';
import type { SegmentReadings } from './compare/causes.ts';
import type { Windows } from './compare/comparison-windows.ts';
import { contrastScore, type GroupValues } from './compare/contributions.ts';
import { type Reading, readingsOf } from './compare/readings.ts';
import { type CompareContext, gridOf, type Question } from './compare-question.ts';
import { fetchMetrics, readDays } from './fetch-metrics.ts';
import { DEFAULT_METRICS } from './read/metric-query.ts';
import { withKnownDays } from './read-known-days.ts';

/** Reads at most 20 segments, and judges and shows those that differ most from all other visits. */
const READ = 20;
const SHOWN = 4;

/** Segments that may explain a change. */
interface ChosenSegments extends SegmentReadings {
  /** How they were chosen, where there are more. */
  readonly choice?: string | undefined;
}

/** None that may explain anything. */
export const NO_SEGMENTS: ChosenSegments = { all: [], chosen: [] };

/** The segments beside some that were changed last, and how many there are. */
export async function latestSegments(segmentIds: readonly number[], { lists }: Pick<Context, 'lists'>) {
  const others = (await (await lists()).of('segment')).filter(({ id }) => !segmentIds.includes(id));
  return { latest: others.toSorted((a, b) => (b.changedAt ?? '').localeCompare(a.changedAt ?? '')).slice(0, READ), count: others.length };
}

/** A change of which segments may be the cause. */
interface SegmentSearch {
  readonly question: Question;
  readonly metric: string;
  readonly whole: Reading;
  readonly windows: Windows;
  readonly known?: KnownDays;
}

function choiceOf(shown: number, all: number): string | undefined {
  const latest = all > READ ? ` among the ${READ} changed last` : '';
  const others = all > READ ? '; segmentIds asks for any other' : '';
  if (shown === 0) return all > READ ? `Segments: none with visits${latest}, of ${all}${others}.` : undefined;
  return all > shown ? `Segments: the ${shown} of ${all} most unlike all others${latest}${others}.` : undefined;
}

const visitsInBoth = ({ before, after }: GroupValues) => (before['visits'] ?? 0) + (after['visits'] ?? 0);

/** Reads both ranges of the segments that were changed last, and the days of those that differ most from all other visits. */
async function readBoth({ question, metric, whole, windows, known }: SegmentSearch, context: CompareContext): Promise<ChosenSegments> {
  const { latest, count } = await latestSegments(question.segmentIds, context);
  if (latest.length === 0) return NO_SEGMENTS;
  const names = new Map(latest.map(({ id, path }) => [id, path.join(' / ')]));
  const idOf = ({ segmentIds }: { readonly segmentIds: readonly number[] }) => segmentIds.at(-1) ?? 0;
  // Outcomes too: a change that lies on a segment costs what it cost there.
  const metrics = [...new Set([...question.metrics, ...DEFAULT_METRICS])];
  const base = { ...gridOf({ ...question, metrics }), devices: [question.devices[0] ?? 'all'] as const };
  const within = (ids: readonly number[]) => ({ ...base, segmentSets: ids.map((id) => [...question.segmentIds, id]) });
  const quiet = { ...context, progress: () => undefined };
  const totals = await fetchMetrics({ ...within([...names.keys()]), ranges: [windows.baseline, windows.period] }, quiet);
  const groups = readingsOf(totals.rows, []).map(({ segmentIds, before, after }) => {
    const id = idOf({ segmentIds });
    return { id, name: names.get(id) ?? String(id), before, after };
  });
  const visited = groups.filter((group) => visitsInBoth(group) > 0);
  const scored = visited.map((group) => ({ group, score: contrastScore(metric, whole, group, windows.factors) }));
  const chosen = scored.toSorted((a, b) => b.score - a.score || visitsInBoth(b.group) - visitsInBoth(a.group)).slice(0, SHOWN);
  const shown = within(chosen.map(({ group }) => group.id));
  const days = chosen.length === 0 ? [] : await readDays(shown, windows, quiet, true);
  const rows = totals.rows.filter(({ selection }) => chosen.some(({ group }) => group.id === idOf(selection)));
  const readings = readingsOf(rows, known ? withKnownDays(days, known) : days).map((reading) => ({
    name: names.get(idOf(reading)) ?? '',
    reading,
  }));
  const rank = new Map(chosen.map(({ group }, index) => [group.name, index]));
  return {
    all: visited,
    chosen: readings.toSorted((a, b) => (rank.get(a.name) ?? 0) - (rank.get(b.name) ?? 0)),
    choice: choiceOf(chosen.length, count),
  };
}

/** Segments that may be the cause of a change, with notes on their reading; none where they cannot be read. */
export async function readSegments(
  search: SegmentSearch,
  context: CompareContext,
): Promise<ChosenSegments & { readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const found = await readBoth(search, { ...context, note }).catch(
    onApiError(({ message }): ChosenSegments => {
      note(`Segments could not be read: ${message}`);
      return NO_SEGMENTS;
    }),
  );
  return { ...found, notes };
}
