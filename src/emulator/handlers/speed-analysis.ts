import type * as speedAnalysis from '../../api/operations/speed-analysis.ts';
import { DEFAULT_REPORTS, instantOf } from '../../api/params.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import type { Handlers, Place } from '../handler.ts';
import { invalid, Refusal } from '../responses.ts';
import { stepHar } from '../world/speed/har.ts';
import { reportEntry, stepReport } from '../world/speed/reports.ts';
import { findRun, parseStepResultId, type Run, runsBackwards } from '../world/speed/runs.ts';
import type { Scenario } from '../world/speed/scenarios.ts';
import { type StepRun, stepRuns } from '../world/speed/step-run.ts';

function missing(what: string, { project }: Place): Refusal {
  return new Refusal(404, 'NOT_FOUND', `There is no ${what} in project ${project.name}.`);
}

function findScenario({ project, world }: Place, scenarioId: number): Scenario | undefined {
  return world.account.lists(project.id).scenarios.find((scenario) => scenario.id === scenarioId);
}

function scenarioOf(place: Place, scenarioId: number): Scenario {
  const scenario = findScenario(place, scenarioId);
  if (scenario) return scenario;
  throw missing(`scenario ${scenarioId}`, place);
}

/** The step that a `stepResultId` names. */
function stepRunOf(place: Place, stepResultId: string): StepRun {
  const { world, project, nowMs } = place;
  const key = parseStepResultId(world.origin.seed, stepResultId);
  const scenario = world.account.lists(project.id).scenarios.find(({ index }) => index === key?.scenarioIndex);
  const run = key && scenario && findRun(world.speed, scenario, key.hour, nowMs);
  const stepRun = run && stepRuns(run)[key.stepIndex];
  if (stepRun) return stepRun;
  throw missing(`step result "${stepResultId}"`, place);
}

/** First or last instant that a date shuts out, given how this deployment reads bounds. */
function boundOf(date: string | undefined, { deployment: { dateBounds } }: Place, side: 1 | -1): number {
  if (date === undefined) return side * Number.POSITIVE_INFINITY;
  return instantOf(date) + (dateBounds === 'inclusive' ? side : 0);
}

/** The eight operations of speed analysis (section 4.1); reports and events are listed newest first. */
export const speedHandlers: Handlers<keyof typeof speedAnalysis> = {
  listScenarios({ name = '' }, { project, world }) {
    const part = name.toLowerCase();
    const found = world.account.lists(project.id).scenarios.filter((scenario) => scenario.name.toLowerCase().includes(part));
    return { scenarios: found.map((scenario) => ({ id: scenario.id, name: scenario.name })) };
  },

  getScenarioReport({ scenarioId, date }, place) {
    const scenario = scenarioOf(place, scenarioId);
    const run = findRun(place.world.speed, scenario, Math.floor(date / HOUR_MS), place.nowMs);
    if (run?.dateMs === date) return { scenarioReport: { scenarioId, name: scenario.name, ...reportEntry(run) } };
    throw new Refusal(404, 'NOT_FOUND', `Scenario ${scenarioId} has no report of ${date}: the date must be exactly that of an execution.`);
  },

  listScenarioReports({ scenarioId, limit = DEFAULT_REPORTS, lastDays, dateFrom, dateTo, error }, place) {
    const { world, nowMs, deployment } = place;
    const scenario = scenarioOf(place, scenarioId);
    const runs = runsBackwards(world.speed, scenario, nowMs, {
      afterMs: Math.max(0, boundOf(dateFrom, place, -1), nowMs - (lastDays ?? Number.POSITIVE_INFINITY) * DAY_MS),
      beforeMs: boundOf(dateTo, place, 1),
      error,
      contentCheck: deployment.contentCheck,
    });
    const taken: Run[] = [];
    for (const run of runs) if (taken.push(run) === limit) break;
    return { scenario: { id: scenario.id, name: scenario.name, reports: taken.map(reportEntry) } };
  },

  getStepReport: ({ stepId }, place) => ({ step: stepReport(stepRunOf(place, stepId)) }),

  getStepHar: ({ scenarioStepResultId }, place) => ({ har: JSON.stringify(stepHar(stepRunOf(place, scenarioStepResultId))) }),

  listSpeedEvents({ key, dateFrom, monitoringId, scenarioId }, place) {
    const fromMs = boundOf(dateFrom, place, -1);
    const events = [...place.world.speed.eventsOf(place.project.id).values()].filter(
      (event) =>
        (key === undefined || event.key === key) &&
        event.dateMs > fromMs &&
        (monitoringId === undefined || event.monitorings.includes(monitoringId)) &&
        (scenarioId === undefined || event.scenarios.includes(scenarioId)),
    );
    return { events: events.toSorted((a, b) => b.dateMs - a.dateMs).map(({ key: own, text, date }) => ({ key: own, text, date })) };
  },

  // Monitorings cannot be looked up through the interface, so any number is taken for one.
  createSpeedEvent({ key, text, date, monitorings = [], scenarios = [] }, place) {
    const events = place.world.speed.eventsOf(place.project.id);
    if (events.has(key)) throw new Refusal(409, 'CONFLICT', `There is an event with the key "${key}" already; keys are unique.`);
    const unknown = scenarios.filter((id) => findScenario(place, id) === undefined);
    if (unknown.length > 0) {
      throw invalid(`scenarios: no scenario ${unknown.join(', ')} in project ${place.project.name}.`);
    }
    events.set(key, { key, text, date, dateMs: instantOf(date), monitorings, scenarios });
    return { key };
  },

  deleteSpeedEvent({ key }, place) {
    if (place.world.speed.eventsOf(place.project.id).delete(key)) return { key };
    throw missing(`event with the key "${key}"`, place);
  },
};
