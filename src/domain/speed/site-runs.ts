import { isFailed, type Report, reportsIn, type Step, stepsOf, type Window } from './runs.ts';

/** A scenario with its reports of one range, oldest first. */
export interface ScenarioRuns {
  readonly scenarioId: number;
  readonly name: string;
  readonly all: readonly Report[];
  /** Those without failure. */
  readonly sound: readonly Report[];
  /** Steps of the sound ones. */
  readonly steps: readonly Step[];
}

/** The runs of a scenario that lie in a range. */
export function scenarioRuns(scenarioId: number, name: string, reports: readonly Report[], range: Window): ScenarioRuns {
  const all = reportsIn(reports, range).toSorted((a, b) => a.date - b.date);
  const sound = all.filter((report) => !isFailed(report));
  return { scenarioId, name, all, sound, steps: stepsOf(sound) };
}

/** A table in an answer: the words first. */
export interface ViewAnswer {
  readonly answer: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly notes: readonly string[];
  /** Of the scenarios that are left. */
  readonly cursor?: string;
}

/** The first rows, and a note on the others. */
export function firstRows<Row>(rows: readonly Row[], limit: number): { shown: readonly Row[]; notes: string[] } {
  const shown = rows.slice(0, limit);
  return { shown, notes: shown.length < rows.length ? [`Showing ${shown.length} of ${rows.length} rows; raise limit for more.`] : [] };
}
