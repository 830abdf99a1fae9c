import type { Ask } from '../../api/client.ts';
import { getStepReport } from '../../api/operations/speed-analysis.ts';
import { type HarQuery, viewOf } from '../../domain/har/analyse/analyse-har.ts';
import { filterRequests } from '../../domain/har/analyse/select-requests.ts';
import type { Har } from '../../domain/har/read/har-model.ts';
import { waterfallOf } from '../../views/from-har.ts';
import type { Mark, WaterfallSpec } from '../../views/spec.ts';

/** Paints that the report of a step knows and its HAR file does not. */
const PAINTS = { FCP: 'firstContentfulPaint', LCP: 'largestContentfulPaint' } as const;

async function paintsOf(ask: Ask, stepId: string): Promise<Mark[]> {
  // Without its report the waterfall is drawn all the same.
  const timings = await ask(getStepReport, { stepId }).then(
    ({ step }) => step.timings,
    () => undefined,
  );
  return Object.entries(PAINTS).flatMap(([name, metric]) => {
    const atMs = timings?.[metric];
    return typeof atMs === 'number' ? [{ name, atMs }] : [];
  });
}

/** The waterfall of the requests that a query of a step's HAR file is about; the summary is about all. */
export async function stepWaterfall(
  har: Har,
  query: HarQuery & { scenarioStepResultId: string },
  ask: Ask,
): Promise<WaterfallSpec | undefined> {
  const entries = viewOf(query) === 'summary' ? har.entries : filterRequests(har.entries, query);
  return waterfallOf(har, { entries, marks: await paintsOf(ask, query.scenarioStepResultId) });
}
