import { instantOf } from '../../api/params.ts';
import { HOUR_MS } from '../../lib/clock.ts';
import type { Handlers, Place } from '../handler.ts';
import { Refusal } from '../responses.ts';
import { findStepRun } from '../world/index.ts';
import { stepHar } from '../world/speed/har.ts';
import { reportEntry, scenarioReport, stepReport } from '../world/speed/reports.ts';
import { findRun, type Run, type RunFilter, runsBackwards } from '../world/speed/runs.ts';
import type { Scenario } from '../world/speed/scenarios.ts';

const DEFAULT_LIMIT = 30;

function findScenario({ project, world }: Place, scenarioId: number): Scenario | undefined {
  return world.account.scenarios(project.id).find((scenario) => scenario.id === scenarioId);
}

function scenarioOf(place: Place, scenarioId: number): Scenario {
  const scenario = findScenario(place, scenarioId);
  if (scenario) return scenario;
  throw new Refusal(404, 'NOT_FOUND', `There is no scenario ${scenarioId} in project ${place.project.name}.`);
}

function stepRunOf(place: Place, stepResultId: string) {
  const found = findStepRun(place.world, place.project.id, stepResultId, place.nowMs);
  if (found) return found;
  throw new Refusal(404, 'NOT_FOUND', `There is no step result "${stepResultId}" in project ${place.project.name}.`);
}

function filterOf(
  { nowMs, deployment: { contentCheck, dateBounds } }: Place,
  input: { lastDays?: number | undefined; dateFrom?: string | undefined; dateTo?: string | undefined; error?: boolean | undefined },
): RunFilter {
  const { lastDays, dateFrom, dateTo, error } = input;
  const own = dateBounds === 'inclusive' ? 1 : 0;
  const bounds = [dateFrom === undefined ? 0 : instantOf(dateFrom) - own, lastDays === undefined ? 0 : nowMs - lastDays * 24 * HOUR_MS];
  return {
    afterMs: Math.max(...bounds),
    ...(dateTo === undefined ? {} : { beforeMs: instantOf(dateTo) + own }),
    ...(error === undefined ? {} : { error, contentCheck }),
  };
}

function take(runs: Iterable<Run>, limit: number): Run[] {
  const taken: Run[] = [];
  for (const run of runs) {
    taken.push(run);
    if (taken.length === limit) break;
  }
  return taken;
}

/** The eight operations of speed analysis (section 4.1); reports and events are listed newest first. */
export const speedHandlers: Handlers<
  | 'listScenarios'
  | 'getScenarioReport'
  | 'listScenarioReports'
  | 'getStepReport'
  | 'getStepHar'
  | 'listSpeedEvents'
  | 'createSpeedEvent'
  | 'deleteSpeedEvent'
> = {
  listScenarios({ name = '' }, { project, world }) {
    const part = name.toLowerCase();
    const found = world.account.scenarios(project.id).filter((scenario) => scenario.name.toLowerCase().includes(part));
    return { scenarios: found.map((scenario) => ({ id: scenario.id, name: scenario.name })) };
  },

  getScenarioReport({ scenarioId, date }, place) {
    const { model } = place.world.speed;
    const run = findRun(model, scenarioOf(place, scenarioId), Math.floor(date / HOUR_MS), place.nowMs);
    if (run?.dateMs === date) return { scenarioReport: scenarioReport(model, run) };
    throw new Refusal(404, 'NOT_FOUND', `Scenario ${scenarioId} has no report of ${date}: the date must be exactly that of an execution.`);
  },

  listScenarioReports({ scenarioId, limit = DEFAULT_LIMIT, ...bounds }, place) {
    const { model } = place.world.speed;
    const scenario = scenarioOf(place, scenarioId);
    const runs = take(runsBackwards(model, scenario, place.nowMs, filterOf(place, bounds)), limit);
    return { scenario: { id: scenario.id, name: scenario.name, reports: runs.map((run) => reportEntry(model, run)) } };
  },

  getStepReport({ stepId }, place) {
    const { stepRun, executed } = stepRunOf(place, stepId);
    return { step: stepReport(place.world.speed.model, stepRun, executed) };
  },

  getStepHar({ scenarioStepResultId }, place) {
    const { stepRun } = stepRunOf(place, scenarioStepResultId);
    return { har: JSON.stringify(stepHar(place.world.speed.model, stepRun)) };
  },

  listSpeedEvents({ key, dateFrom, monitoringId, scenarioId }, { world, project, deployment: { dateBounds } }) {
    const fromMs = dateFrom === undefined ? Number.NEGATIVE_INFINITY : instantOf(dateFrom) - (dateBounds === 'inclusive' ? 1 : 0);
    const events = [...world.speed.eventsOf(project.id).values()].filter(
      (event) =>
        (key === undefined || event.key === key) &&
        event.dateMs > fromMs &&
        (monitoringId === undefined || event.monitorings.includes(monitoringId)) &&
        (scenarioId === undefined || event.scenarios.includes(scenarioId)),
    );
    return {
      events: events.toSorted((a, b) => b.dateMs - a.dateMs).map((event) => ({ key: event.key, text: event.text, date: event.date })),
    };
  },

  // Monitorings cannot be looked up through the interface, so any number is taken for one.
  createSpeedEvent({ key, text, date, monitorings = [], scenarios = [] }, place) {
    const events = place.world.speed.eventsOf(place.project.id);
    if (events.has(key)) throw new Refusal(409, 'CONFLICT', `There is an event with the key "${key}" already; keys are unique.`);
    const unknown = scenarios.filter((id) => findScenario(place, id) === undefined);
    if (unknown.length > 0) {
      throw new Refusal(400, 'VALIDATION_ERROR', `scenarios: no scenario ${unknown.join(', ')} in project ${place.project.name}.`);
    }
    events.set(key, { key, text, date, dateMs: instantOf(date), monitorings, scenarios });
    return { key };
  },

  deleteSpeedEvent({ key }, { world, project }) {
    if (world.speed.eventsOf(project.id).delete(key)) return { key };
    throw new Refusal(404, 'NOT_FOUND', `There is no event with the key "${key}" in project ${project.name}.`);
  },
};
