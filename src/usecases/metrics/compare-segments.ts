import { ApiError } from '../../api/errors.ts';
import type { Windows } from '../../domain/metrics/compare/comparison-windows.ts';
import type { GroupValues } from '../../domain/metrics/compare/contributions.ts';
import type { Device } from '../../domain/metrics/read/metric-grid.ts';
import type { Named } from '../../domain/names/match-name.ts';
import { type CompareContext, gridOf, type Question } from './compare-question.ts';
import { fetchMetrics } from './fetch-metrics.ts';

/** Segments that are read, and of these so many with most visits are shown. */
const READ = 20;
const SHOWN = 8;

/** Both sides of some segments on one device, each within the selection of the question. */
async function readBoth(
  segments: readonly { id: number; name: string }[],
  device: Device,
  question: Question,
  { baseline, period }: Windows,
  context: CompareContext,
): Promise<GroupValues[]> {
  const segmentSets = segments.map(({ id }) => [...question.segmentIds, id]);
  const grid = { ...gridOf(question), ranges: [baseline, period], devices: [device], segmentSets };
  const { rows } = await fetchMetrics(grid, { ...context, progress: () => undefined });
  const valuesOf = (id: number, range: number) =>
    rows.find((row) => row.range === range && row.selection.segmentIds.at(-1) === id)?.values ?? {};
  return segments.map(({ id, name }) => ({ name, before: valuesOf(id, 0), after: valuesOf(id, 1) }));
}

/** What `read` gives; where the platform refuses, nothing and a note. */
async function orNothing(read: Promise<GroupValues[]>, note: (sentence: string) => void): Promise<GroupValues[]> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(`Segments could not be read: ${error.message}`);
    return [];
  }
}

/** Segments that may explain a change. */
export interface ChosenSegments {
  readonly groups: readonly GroupValues[];
  /** How they were chosen, where there are more. */
  readonly choice?: string;
}

function choiceOf(shown: number, all: number): string | undefined {
  const latest = all > READ ? ` among the ${READ} changed last` : '';
  const others = all > READ ? '; segmentIds asks for any other' : '';
  if (shown === 0) return all > READ ? `Segments: none with visits${latest}, of ${all}${others}.` : undefined;
  return all > shown ? `Segments: the ${shown} with most visits${latest}, of ${all}${others}.` : undefined;
}

/** Both sides of the segments with most visits within the selection; none where they cannot be read, which is noted. */
export async function readSegments(question: Question, windows: Windows, context: CompareContext): Promise<ChosenSegments> {
  let others: readonly Named[] = [];
  const read = async () => {
    const lists = await context.lists();
    others = (await lists.of('segment')).filter(({ id }) => !question.segmentIds.includes(id));
    const latest = others.toSorted((a, b) => (b.changedAt ?? '').localeCompare(a.changedAt ?? '')).slice(0, READ);
    const named = latest.map(({ id, path }) => ({ id, name: path.join(' / ') }));
    return named.length === 0 ? [] : readBoth(named, question.devices[0] ?? 'all', question, windows, context);
  };
  const visitsOf = ({ before, after }: GroupValues) => (before['visits'] ?? 0) + (after['visits'] ?? 0);
  const groups = await orNothing(read(), context.note);
  const visited = groups.filter((group) => visitsOf(group) > 0);
  const shown = visited.toSorted((a, b) => visitsOf(b) - visitsOf(a)).slice(0, SHOWN);
  const choice = groups.length > 0 ? choiceOf(shown.length, others.length) : undefined;
  return { groups: shown, ...(choice !== undefined && { choice }) };
}
