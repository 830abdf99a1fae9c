import { type HarQuery, viewOf } from '../../domain/har/answer/har-query.ts';
import { chosenRequests, loadEntities, studyHar } from '../../domain/har/index.ts';
import type { Har } from '../../domain/har/read/read-har.ts';
import { requestFilter } from '../../domain/har/requests/filter-requests.ts';
import { present } from '../../lib/sentences.ts';
import { partiesChart, waterfallOf } from '../../views/from-har.ts';
import type { PanelSpec } from '../../views/spec.ts';
import type { RunRead } from './har-run.ts';

/** The waterfall of the requests that a query of a step's HAR file is about, or the bytes of each third party; the summary is about all. */
export async function stepWaterfall(
  har: Har,
  query: HarQuery,
  { run: { scenario, step, time }, paints }: RunRead,
  answer: string,
): Promise<PanelSpec | undefined> {
  const study = studyHar(har, await loadEntities(), paints);
  const entries = viewOf(query) === 'summary' ? har.entries : chosenRequests(study, query);
  const marks = Object.entries({ FCP: paints?.fcpMs, LCP: paints?.lcpMs }).flatMap(([name, atMs]) =>
    typeof atMs === 'number' ? [{ name, atMs }] : [],
  );
  // `Checkout – mobile, step 2 "Cart", type image`, as far as it is known.
  const filters = Object.entries(query).map(
    ([name, wanted]) => (name === 'problem' || Object.hasOwn(requestFilter, name)) && wanted !== undefined && `${name} ${wanted}`,
  );
  const of = present(scenario, step && `step ${step}`, ...filters).join(', ');
  return (viewOf(query) === 'third_parties' ? partiesChart : waterfallOf)(study, { answer, entries, marks, time, of });
}
