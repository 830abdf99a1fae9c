import { isOutOfTime } from '../api/deadline.ts';
import { ApiError } from '../api/errors.ts';
import { DAY_MS } from '../lib/clock.ts';
import { isoAt, todayIn } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { present } from '../lib/sentences.ts';
import { sumOfKnown } from '../lib/tally.ts';
import type { Context } from '../names/context.ts';
import { studyOne } from './analyze-scenarios.ts';
import { readEach } from './scenario-reports.ts';
import type { SpeedChange, SpeedFacts } from './scenario-study.ts';
import { failureFinding, heldSentence, placeOfStudy, unmeasuredFinding } from './speed-findings.ts';

/** Scenarios whose uncertain moves are told one by one. */
const MOST_HELD = 3;

/** Scenarios that find room; none, with a note, where they cannot be listed and other things are looked at as well. */
export async function chooseScenarios(
  most: number,
  isBeside: boolean,
  { lists, note }: Pick<Context, 'lists' | 'note'>,
): Promise<number[]> {
  const { of } = await lists();
  try {
    const all = await of('scenario');
    if (all.length === 0) note('The project has no speed scenario.');
    if (all.length > most) {
      const way = isBeside
        ? 'include: ["speed"] alone looks at more of them'
        : hint('analyze_scenario', 'analyze_scenario takes the others by scenarioIds', 'name the others');
      note(`${most} of ${all.length} scenarios looked at, the first of the list: the requests of one answer allow no more; ${way}.`);
    }
    return all.slice(0, most).map(({ id }) => id);
  } catch (error) {
    if (!isBeside || !(error instanceof ApiError)) throw error;
    note(`Speed scenarios could not be listed and are not looked at: ${error.message}`);
    return [];
  }
}

/** Runs of so many days are read at least, so that what began before a shorter range and goes on is found. */
const READ_DAYS = 28;

interface SpeedRequest {
  readonly scenarioIds: readonly number[];
  readonly startMs: number;
  readonly endMs: number;
  /** Nothing else is looked at: then a failure is that of the whole answer. */
  readonly isAlone: boolean;
}

/** Judges the runs of scenarios with the engine of `analyze_scenario`; undefined, with a note, where none could be read. */
export async function findSpeedChanges(
  { scenarioIds, startMs, endMs, isAlone }: SpeedRequest,
  context: Pick<Context, 'ask' | 'lists' | 'note' | 'nowMs' | 'signal' | 'timeZone'>,
): Promise<SpeedFacts | undefined> {
  if (scenarioIds.length === 0)
    return isAlone
      ? { changes: [], scenarios: 0, looked: 0, tooFew: 0, requests: 0, dataSince: todayIn(context.timeZone, startMs) }
      : undefined;
  const { note, timeZone } = context;
  const { nameOf } = await context.lists();
  const asked = {
    scenarioIds,
    startDate: isoAt(Math.min(startMs, endMs + 1 - READ_DAYS * DAY_MS), timeZone),
    endDate: isoAt(endMs, timeZone),
  };
  const isOfRange = ({ moves: [{ untilMs = endMs }] }: SpeedChange) => untilMs >= startMs;
  try {
    const { done, missing, failed } = await readEach(scenarioIds, async (scenarioId) => {
      const { name = nameOf('scenario', scenarioId), study } = await studyOne(scenarioId, asked, context);
      const place = placeOfStudy(name, study);
      const { failures, period, changes, unmeasured, judged, rows, sound } = study;
      const failing = failures.state === 'fails more often' ? [failureFinding(failures, period, place)] : [];
      return {
        changes: changes.map((moves): SpeedChange => ({ scenarioId, scenario: name, moves })),
        looked: judged,
        tooFew: rows.length - judged,
        told: [...unmeasured.slice(0, 1).map((lack) => unmeasuredFinding(lack, place)), ...failing].map(({ sentence }) => sentence),
        held: present(heldSentence(study, place)),
        firstMs: sound[0]?.date ?? endMs,
      };
    });
    const byName = hint('analyze_scenario', '; analyze_scenario takes them by name');
    if (missing.length > 0) note(`The time of the call ran out before ${missing.length} scenarios${byName}.`);
    for (const { scenarioId, error } of failed) note(`${nameOf('scenario', scenarioId)} could not be read: ${error.message}`);
    const held = done.flatMap(({ held: own }) => own);
    for (const sentence of [...done.flatMap(({ told }) => told), ...held.slice(0, MOST_HELD)]) note(sentence);
    if (held.length > MOST_HELD) note(`Not certain in ${held.length - MOST_HELD} more scenarios, because whole days differ as much.`);
    return {
      changes: done.flatMap(({ changes }) => changes.filter(isOfRange)),
      scenarios: done.length,
      looked: sumOfKnown(done, ({ looked }) => looked),
      tooFew: sumOfKnown(done, ({ tooFew }) => tooFew),
      requests: done.length + failed.length,
      dataSince: todayIn(timeZone, Math.min(endMs, ...done.map(({ firstMs }) => firstMs))),
    };
  } catch (error) {
    if (isAlone || !(error instanceof ApiError)) throw error;
    note(
      isOutOfTime(error)
        ? `Speed was not read in time and is not looked at; include: ["speed"] alone has the whole time. ${error.message}`
        : `Speed scenarios could not be read and are not looked at: ${error.message}`,
    );
    return undefined;
  }
}
