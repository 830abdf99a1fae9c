import { ApiError } from '../../../api/errors.ts';
import type { CoveredDays } from '../../../domain/journeys/covered-days.ts';
import type { ImpactRow } from '../../../domain/journeys/impact/impact-answer.ts';
import { touchesPage } from '../../../domain/journeys/impact/scenario-pages.ts';
import { speedSentence } from '../../../domain/metrics/changes/changes-answer.ts';
import type { SpeedChange } from '../../../domain/speed/speed-changes.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { isoAt } from '../../../lib/dates.ts';
import type { Context } from '../../context.ts';
import { chooseScenarios, findSpeedChanges } from '../../speed/find-speed-changes.ts';
import type { VisitUses } from '../with-visits.ts';

type CoincidenceContext = VisitUses & Pick<Context, 'lists'>;

/** Scenarios that are read for one answer: each is a request. */
const MOST_SCENARIOS = 8;

/** Slow-downs of scenarios that began in the range; none where speed cannot be read, which is no part of the question. */
async function slowDowns({ first, last }: CoveredDays, context: CoincidenceContext): Promise<SpeedChange[]> {
  const silent = { ...context, note: () => undefined };
  const [startMs, endMs] = [first * DAY_MS, Math.min(context.nowMs, (last + 1) * DAY_MS - 1)];
  try {
    const scenarioIds = await chooseScenarios(MOST_SCENARIOS, true, silent);
    const facts = await findSpeedChanges({ scenarioIds, startMs, endMs, isAlone: false }, silent);
    const began = (facts?.changes ?? []).filter(
      ({ moves: [{ shape, fromMs, relative }] }) => shape !== 'drift' && fromMs >= startMs && relative > 0,
    );
    return began;
  } catch (error) {
    if (error instanceof ApiError && !context.signal.aborted) return [];
    throw error;
  }
}

function touches({ moves, scenario }: SpeedChange, { pages }: ImpactRow): boolean {
  const names = moves.flatMap(({ step }) => step ?? scenario);
  return pages.some((page) => names.some((name) => touchesPage(page, name)));
}

/** Names beside each slow page that costs sales the slow-down of a scenario of the same page that began in the range. */
export async function coincidences(rows: readonly ImpactRow[], days: CoveredDays, context: CoincidenceContext): Promise<ImpactRow[]> {
  if (!rows.some(({ what, verdict }) => what === 'slow_page' && verdict === 'lowers')) return [...rows];
  const changes = await slowDowns(days, context);
  const today = isoAt(days.last * DAY_MS, 'UTC').slice(0, 10);
  return rows.map((row) => {
    const change = row.what === 'slow_page' && row.verdict === 'lowers' ? changes.find((each) => touches(each, row)) : undefined;
    return change ? { ...row, coincidesWith: speedSentence(change, { timeZone: 'UTC', today }) } : row;
  });
}
