import type { Entry, Har } from 'har-format';
import { projects } from '../../src/emulator/credentials.ts';
import type { Place } from '../../src/emulator/handler.ts';
import { speedHandlers } from '../../src/emulator/handlers/speed-analysis.ts';
import { scenariosOf } from '../../src/emulator/world/speed/scenarios.ts';
import { placeOf } from './place.ts';

/** Each scenario of each project with the place that it is read from. */
export function allScenarios(seed = 1) {
  return projects.flatMap((project) => {
    const place = placeOf(project, seed);
    return scenariosOf(project.id).map((scenario) => ({ place, scenario }));
  });
}

type ReportsInput = Parameters<typeof speedHandlers.listScenarioReports>[0];

/** Reports of a scenario, newest first. */
export async function reportsOf(place: Place, input: ReportsInput) {
  const { scenario } = await speedHandlers.listScenarioReports(input, place);
  return scenario.reports;
}

export type Report = Awaited<ReturnType<typeof reportsOf>>[number];
export type StepResult = NonNullable<Report['steps']>[number];

/** A number that must be there. */
export function num(value: number | null | undefined): number {
  if (typeof value !== 'number') throw new TypeError(`expected a number, got ${value}`);
  return value;
}

/** Steps of a report. */
export function stepsOf(report: Report | undefined): StepResult[] {
  return report?.steps ?? [];
}

/** The HAR of a step, parsed. */
export async function harOf(place: Place, step: StepResult): Promise<Har> {
  const { har } = await speedHandlers.getStepHar({ scenarioStepResultId: String(step.stepResultId) }, place);
  if (typeof har !== 'string') throw new TypeError('the HAR is no text');
  return JSON.parse(har);
}

/** Bytes that an entry moved: what it says itself, or its headers and body. */
export function transferred({ response: { _transferSize: size, headersSize, bodySize } }: Entry): number {
  return num(size ?? Math.max(0, headersSize) + Math.max(0, bodySize));
}
