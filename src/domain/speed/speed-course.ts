import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { counted } from '../../lib/number-text.ts';
import { median } from '../../statistics/order.ts';
import { SPEED_STATES } from './engine/judge-series.ts';
import { beginOf } from './engine/run-series.ts';
import type { Series } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { placeOfStudy } from './speed-findings.ts';
import { metricFact } from './speed-metrics.ts';
import { tellStudy } from './study-words.ts';

/** How the level of one step moved. */
interface StepCourse {
  readonly scenarioId: number;
  readonly step: string;
  /** Instants at which another level begins, ms since 1970. */
  readonly edges: readonly number[];
  /** Of a drift, 0.2 for +20 % in 30 days; 0 otherwise. */
  readonly relativePer30Days: number;
}

/** The course of the level of a metric over a range. */
export interface Course {
  /** Lines on the scenarios in which it moved or scatters alone, the worst first. */
  readonly lines: readonly { readonly words: string; readonly hasMoved: boolean }[];
  /** Steps judged. */
  readonly steps: number;
  /** The steps whose level moved, those of the first line first. */
  readonly places: readonly StepCourse[];
}

/** A scenario with the study of one metric of it. */
export interface CourseStudy {
  readonly scenarioId: number;
  readonly name: string;
  readonly study: Study;
}

/** Where the levels of a row begin: those of the move that stands for it, and the further ones that days do not make. */
function edgesOf({ move, further }: Row): number[] {
  const all = [beginOf(move), move?.untilMs, ...further.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])];
  return [...new Set(all.flatMap((ms) => ms ?? []))].toSorted((a, b) => a - b);
}

function placesOf({ scenarioId, study: { rows, headline } }: CourseStudy): StepCourse[] {
  const size = ({ move }: Row) => Math.abs(Math.log1p(move?.relative ?? 0));
  const moved = rows.filter(({ move, step }) => move !== undefined && step !== undefined);
  return moved
    .toSorted((a, b) => Number(b === headline) - Number(a === headline) || size(b) - size(a))
    .map((row) => ({
      scenarioId,
      step: row.step?.name ?? '',
      edges: edgesOf(row),
      relativePer30Days: row.move?.shape === 'drift' ? row.move.relative : 0,
    }));
}

/** The course of a metric by the studies of it. */
export function courseFrom(studies: readonly CourseStudy[]): Course {
  const judged = studies.flatMap(({ study }) => study.rows.filter(({ step, state }) => step !== undefined && state !== 'not enough data'));
  const moved = studies
    .filter(({ study }) => study.headline !== undefined)
    .toSorted((a, b) => SPEED_STATES.indexOf(a.study.state) - SPEED_STATES.indexOf(b.study.state));
  return {
    lines: moved.map(({ study, name }) => ({
      words: [tellStudy(study, placeOfStudy(name, study)).said[0] ?? ''].flat().join(''),
      hasMoved: study.headline?.move !== undefined,
    })),
    steps: judged.length,
    places: moved.flatMap(placesOf),
  };
}

/** The level that a run is of: its place among those of the series, and its usual value at the time of the run. */
export interface RunLevel {
  readonly place: number;
  readonly usual: number;
}

/** The level of each run of a series: the median of the runs of it, along its line where it drifts. */
export function levelsOf({ dates, values }: Series, course: StepCourse | undefined): RunLevel[] {
  const edges = course?.edges ?? [];
  const perMs = Math.log1p(course?.relativePer30Days ?? 0) / (30 * DAY_MS);
  const runs = values.map((value, index) => {
    const date = nth(dates, index);
    const line = Math.exp(perMs * (date - nth(dates, 0)));
    return { place: edges.filter((edge) => edge <= date).length, line, base: value / line };
  });
  const levels = new Map([...grouped(runs, ({ place }) => place)].map(([place, own]) => [place, median(own.map(({ base }) => base))]));
  return runs.map(({ place, line }) => ({ place, usual: (levels.get(place) ?? Number.NaN) * line }));
}

/** The course of a step; undefined where its level did not move. */
export function courseOfStep(course: Course | undefined, scenarioId: number, step: string): StepCourse | undefined {
  return course?.places.find((place) => place.scenarioId === scenarioId && place.step === step);
}

/** Words for so many steps, of which all are meant: `both steps`. */
export const allSteps = (count: number) => ['no step', 'the step', 'both steps'][count] ?? `all ${count} steps`;

/** Whether the level changed over the range, at most so many scenarios of it by name: `CLS keeps its level in all 2 steps. ` */
export function courseWords({ lines, steps }: Course, metric: string, most: number): string {
  const left = lines.length - most;
  const more = left > 0 ? `${metricFact(metric).short} moved or scatters in ${counted(left, 'more scenario')}. ` : '';
  if (lines.length > 0)
    return `${lines
      .slice(0, most)
      .map(({ words }) => `${words} `)
      .join('')}${more}`;
  return steps === 0 ? '' : `${metricFact(metric).short} keeps its level in ${allSteps(steps)}. `;
}

/** The levels that single runs are held against, where they moved in the range; empty where none did. */
export function heldAgainstWords({ lines }: Course): string {
  const moved = lines.filter(({ hasMoved }) => hasMoved).map(({ words }) => words);
  return moved.length === 0 ? '' : ` ${moved.join(' ')} Each run is held against the level of its time.`;
}
