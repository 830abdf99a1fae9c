import { ApiError } from '../../api/errors.ts';
import { getScenarioReport, listScenarioReports } from '../../api/operations/speed-analysis.ts';
import type { Ask } from '../../mcp/catalogues.ts';

const DAY_MS = 86_400_000;

interface Wanted {
  readonly scenarioId: number;
  /** Timestamp of the report in ms; left out: the latest one. */
  readonly date: number | undefined;
  readonly nowMs: number;
}

/** Dates of all reports of the last `days`, or of all there are. */
async function datesOf(scenarioId: number, days: number | undefined, ask: Ask): Promise<number[]> {
  const window = days === undefined ? {} : { lastDays: days };
  const { scenario } = await ask(listScenarioReports, { scenarioId, limit: 0, ...window });
  return scenario.reports.map(({ date }) => date);
}

/** The largest date of all reports, undefined where there is none yet; short windows first, because a long history is heavy. */
export async function latestDate(scenarioId: number, ask: Ask): Promise<number | undefined> {
  for (const days of [2, 14, undefined]) {
    const dates = await datesOf(scenarioId, days, ask);
    if (dates.length > 0) return Math.max(...dates);
  }
  return undefined;
}

async function latestReport(scenarioId: number, ask: Ask) {
  const date = await latestDate(scenarioId, ask);
  if (date === undefined) throw new ApiError('missing', `Scenario ${scenarioId} has no report yet.`);
  return (await ask(getScenarioReport, { scenarioId, date })).scenarioReport;
}

/** The report at an instant or the latest; where there is none at that instant the error lists the nearest. */
export async function findReport({ scenarioId, date, nowMs }: Wanted, ask: Ask) {
  if (date === undefined) return latestReport(scenarioId, ask);
  try {
    return (await ask(getScenarioReport, { scenarioId, date })).scenarioReport;
  } catch (error) {
    if (!(error instanceof ApiError) || !['missing', 'invalid'].includes(error.kind)) throw error;
    const days = Math.max(1, Math.ceil((nowMs - date) / DAY_MS) + 1);
    const dates = await datesOf(scenarioId, days, ask);
    const nearest = dates.toSorted((a, b) => Math.abs(a - date) - Math.abs(b - date)).slice(0, 3);
    if (nearest.length === 0) throw error;
    const listed = nearest.map((near) => `${near} (${new Date(near).toISOString()})`).join(', ');
    throw new ApiError(
      'invalid',
      `date: scenario ${scenarioId} has no report at ${date} (${new Date(date).toISOString()}). Nearest: ${listed}.`,
    );
  }
}
