import type { Entry, Har } from 'har-format';
import { expect } from 'vitest';
import type { SlowTagStory } from '../../../src/emulator/world/speed/runs.ts';
import { DAY_MS, isoTime } from '../../../src/lib/clock.ts';
import { countTokens } from '../../../src/tooling/results.ts';
import type { Assistant, ToolAnswer } from '../../support/assistant.ts';
import type { Platform } from '../../support/emulator.ts';
import { records } from '../support.ts';

/** Ids of a step's results just before and just after its tag was added. */
export async function stepRuns(platform: Platform, { scenarioId, stepId, projectId, dateMs }: SlowTagStory) {
  const token = await platform.token('account', { projectId });
  const idIn = async (fromMs: number, toMs: number): Promise<string> => {
    const range = { dateFrom: isoTime(fromMs), dateTo: isoTime(toMs) };
    const { scenario } = await platform.ask('listScenarioReports', { scenarioId, ...range, limit: 0, error: false }, token);
    const steps = scenario.reports.flatMap((report) => report.steps ?? []);
    const result = steps.find((step) => Number(step.stepId) === stepId);
    if (!result) throw new Error(`The scenario ${scenarioId} has no run of step ${stepId} in this range.`);
    return String(result.stepResultId);
  };
  return { before: await idIn(dateMs - DAY_MS, dateMs - 1), after: await idIn(dateMs + 1, dateMs + DAY_MS) };
}

/** The step with the slow tag: id of its result, and the requests of its HAR as the platform holds them. */
export async function slowStep(platform: Platform): Promise<{ scenarioStepResultId: string; entries: Entry[] }> {
  const { after } = await stepRuns(platform, platform.stories.slowTag);
  const { har } = await platform.ask('getStepHar', { scenarioStepResultId: after }, await platform.token('shop'));
  if (typeof har !== 'string') throw new TypeError('The HAR is no text.');
  return { scenarioStepResultId: after, entries: (JSON.parse(har) as Har).log.entries };
}

/** What an answer costs in the dearer of its channels. */
export function tokensOf({ text, structured }: ToolAnswer): number {
  return Math.max(countTokens(text), countTokens(JSON.stringify(structured)));
}

/** Place of a page in its list. */
export interface PageMember {
  matched: number;
  from: number;
  to: number;
  cursor?: string;
}

/** All rows of a list, page by page, and the answers that held them; each page begins right behind the one before. */
export async function allRows(assistant: Assistant, args: Record<string, unknown>) {
  const rows: Record<string, unknown>[] = [];
  const answers: ToolAnswer[] = [];
  let cursor: string | undefined;
  do {
    const answer = await assistant.call('analyze_har', { ...args, ...(cursor && { cursor }) });
    const page = answer.structured['page'] as PageMember;
    expect(page.from).toBe(rows.length + 1);
    rows.push(...records(answer));
    expect(page.to).toBe(rows.length);
    answers.push(answer);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { rows, answers };
}
