import type { Ask } from '../../api/client.ts';
import { getStepReport } from '../../api/operations/speed-analysis.ts';
import { type HarQuery, viewOf } from '../../domain/har/answer/har-query.ts';
import { chosenRequests, loadEntities, studyHar } from '../../domain/har/index.ts';
import type { Har } from '../../domain/har/read/har-model.ts';
import { waterfallOf } from '../../views/from-har.ts';
import type { Mark, WaterfallSpec } from '../../views/spec.ts';
import type { RunNamed } from './har-run.ts';
import { paintsOf } from './run-neighbours.ts';

/** The paints that the report of a step knows and its HAR file does not. */
async function marksOf(ask: Ask, stepId: string): Promise<Mark[]> {
  // Without its report the waterfall is drawn all the same.
  const paints = await ask(getStepReport, { stepId }).then(
    ({ step }) => paintsOf(step),
    () => undefined,
  );
  return Object.entries({ FCP: paints?.fcpMs, LCP: paints?.lcpMs }).flatMap(([name, atMs]) =>
    typeof atMs === 'number' ? [{ name, atMs }] : [],
  );
}

/** `Checkout – mobile, step 2 "Cart"`, as far as it is known. */
function placeOf({ scenario, step }: RunNamed): string | undefined {
  const words = [scenario, step && `step ${step}`].filter((word) => word !== undefined);
  return words.length > 0 ? words.join(', ') : undefined;
}

/** The waterfall of the requests that a query of a step's HAR file is about; the summary is about all. */
export async function stepWaterfall(har: Har, query: HarQuery, run: RunNamed, ask: Ask): Promise<WaterfallSpec | undefined> {
  const isWhole = viewOf(query) === 'summary';
  const entries = isWhole ? har.entries : chosenRequests(studyHar(har, await loadEntities()), query);
  const marks = await marksOf(ask, run.stepResultId);
  const about = isWhole ? undefined : query.problem;
  return waterfallOf(har, { entries, about, marks, time: run.time, of: placeOf(run) });
}
