import type { Har } from 'har-format';
import { hash } from '../random.ts';
import { harEntry } from './har-entry.ts';
import type { HarContext } from './har-request.ts';
import { placeRequests } from './har-timeline.ts';
import type { SpeedModel } from './model.ts';
import { requestsOf } from './run-requests.ts';
import { sites } from './sites.ts';
import type { StepRun } from './step-run.ts';

/** HAR 1.2 of a step: its entries transfer the step's `weight`, its document answers at `firstByte`, the last entry ends at `loadTime`. */
export function stepHar(model: SpeedModel, stepRun: StepRun): Har {
  const { run, step, timings, variation } = stepRun;
  const navigationStartMs = timings.navigationStart;
  const { scenario, hour } = run;
  const site = sites[scenario.site];
  const mobile = scenario.device === 'mobile';
  const hosts = new Set([site.origin, site.static, site.images, site.calls, ...site.redirects].map((origin) => new URL(origin).host));
  const context: HarContext = {
    hour,
    navigationStartMs,
    mobile,
    documentUrl: site.origin + step.path,
    isFirstParty: (url) => hosts.has(url.host),
  };
  const requests = requestsOf(model, model.planOf(scenario, step), run, variation);
  const placed = placeRequests(requests, stepRun, hash(model.origin.seed, step.id, hour), mobile);
  return {
    log: {
      version: '1.2',
      creator: { name: 'Speed Analysis', version: '4.18.0' },
      browser: { name: 'Chrome', version: '131.0.6778.85' },
      pages: [
        {
          id: 'page_1',
          startedDateTime: new Date(navigationStartMs).toISOString(),
          title: context.documentUrl,
          pageTimings: { onContentLoad: timings.domContentLoadedEventStart, onLoad: timings.loadEvent, _startRender: timings.startRender },
        },
      ],
      entries: placed.map((entry) => harEntry(entry, context)),
    },
  };
}
