import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { counted } from '../../lib/number-text.ts';
import { median } from '../../statistics/order.ts';
import { SPEED_STATES } from './engine/judge-series.ts';
import { beginOf, type Series } from './engine/run-series.ts';
import type { Row, Study } from './scenario-study.ts';
import { firstSentence, placeOfStudy, tellSpeed } from './speed-findings.ts';
import { metricFact } from './speed-metrics.ts';

/** The course of the level of a metric over a range: scenarios with the study of it. */
export type Course = readonly { readonly scenarioId: number; readonly name: string; readonly study: Study }[];

/** The scenarios in which the level moved or scatters alone, the worst first. */
const notSteady = (course: Course) =>
  course
    .filter(({ study }) => study.headline !== undefined)
    .toSorted((a, b) => SPEED_STATES.indexOf(a.study.state) - SPEED_STATES.indexOf(b.study.state));

/** The scenario that a picture of a course is about. */
export const leadingOf = (course: Course) => notSteady(course)[0] ?? course[0];

/** The steps whose level moved, with their scenarios, those of the worst first. */
export function movedSteps(course: Course): { readonly scenarioId: number; readonly row: Row; readonly step: string }[] {
  const size = ({ move }: Row) => Math.abs(Math.log1p(move?.relative ?? 0));
  return notSteady(course).flatMap(({ scenarioId, study: { rows, headline } }) =>
    rows
      .flatMap((row) => (row.move && row.step ? [{ scenarioId, row, step: row.step.name }] : []))
      .toSorted((a, b) => Number(b.row === headline) - Number(a.row === headline) || size(b.row) - size(a.row)),
  );
}

/** The level that a run is of: its place among those of the series, and its usual value at the time of the run. */
interface RunLevel {
  readonly place: number;
  readonly usual: number;
}

/** The level of each run of a series by the moves of it: the median of the runs of it, along its line where it drifts. */
export function levelsOf(
  { dates, values }: Series,
  { move, moves }: Pick<Row, 'move' | 'moves'> = { move: undefined, moves: [] },
): RunLevel[] {
  const edges = [...new Set(moves.flatMap((each) => [beginOf(each) ?? [], each.untilMs ?? []].flat()))];
  const perMs = Math.log1p(move?.shape === 'drift' ? move.relative : 0) / (30 * DAY_MS);
  const runs = values.map((value, index) => {
    const date = nth(dates, index);
    const line = Math.exp(perMs * (date - nth(dates, 0)));
    return { place: edges.filter((edge) => edge <= date).length, line, base: value / line };
  });
  const levels = new Map([...grouped(runs, ({ place }) => place)].map(([place, own]) => [place, median(own.map(({ base }) => base))]));
  return runs.map(({ place, line }) => ({ place, usual: (levels.get(place) ?? Number.NaN) * line }));
}

/** The verdict on a step in a course. */
export const rowOfStep = (course: Course | undefined, scenarioId: number, step: string): Row | undefined =>
  course?.find((each) => each.scenarioId === scenarioId)?.study.rows.find((row) => row.step?.name === step);

/** Words for so many steps, of which all are meant: `both steps`. */
export const allSteps = (count: number) => ['no step', 'the step', 'both steps'][count] ?? `all ${count} steps`;

/** The first sentence on each of some scenarios. */
const lines = (some: Course) => some.map(({ study, name }) => firstSentence(tellSpeed(study, placeOfStudy(name, study))));

/** Whether the level changed over the range, at most so many scenarios of it by name: `CLS keeps its level in both steps.` */
export function courseWords(course: Course, metric: string, most: number): string {
  const { short } = metricFact(metric);
  const told = notSteady(course);
  const left = told.length - most;
  const more = left > 0 ? [`${short} moved or scatters in ${counted(left, 'more scenario')}.`] : [];
  const steps = course.flatMap(({ study }) => study.rows.filter(({ step, state }) => step !== undefined && state !== 'not enough data'));
  const calm =
    steps.length === 0 ? `Too few runs in the range to judge ${short}.` : `${short} keeps its level in ${allSteps(steps.length)}.`;
  return (told.length > 0 ? [...lines(told.slice(0, most)), ...more] : [calm]).join(' ');
}

/** The levels that single runs are held against, where they moved in the range; empty where none did. */
export const movedWords = (course: Course) =>
  lines(notSteady(course).filter(({ study }) => study.headline?.move !== undefined))
    .map((sentence) => ` ${sentence}`)
    .join('');
