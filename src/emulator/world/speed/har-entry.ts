import type { Entry } from 'har-format';
import { hashText } from '../random.ts';
import { type HarContext, harRequest } from './har-request.ts';
import { harResponse } from './har-response.ts';
import { entryTime, type PlacedRequest } from './har-timeline.ts';
import { draw } from './noise.ts';
import type { ResourceType } from './request-spec.ts';
import { fillUrl } from './secrets.ts';

const PRIORITIES: Record<ResourceType, string> = {
  document: 'VeryHigh',
  stylesheet: 'VeryHigh',
  script: 'Low',
  font: 'High',
  image: 'Low',
  fetch: 'High',
  beacon: 'Low',
};

/** One entry of HAR 1.2; members that begin with an underscore are there on some entries only. */
export function harEntry({ request: spec, startMs, timings, connection }: PlacedRequest, context: HarContext): Entry {
  const url = new URL(fillUrl(spec.url, context.hour));
  // A property of the address, so that the same file looks the same in each run.
  const h = hashText(spec.url);
  const httpVersion = spec.protocol ?? 'h2';
  const blocking = spec.phase === 'blocking' || spec.phase === 'tag';
  const lastAccess = new Date(context.navigationStartMs - 45_000).toISOString();
  return {
    pageref: 'page_1',
    startedDateTime: new Date(context.navigationStartMs + startMs).toISOString(),
    time: entryTime(timings),
    request: harRequest(spec, url, context, httpVersion),
    response: harResponse(spec, url, context, httpVersion, h),
    cache: spec.fromCache ? { beforeRequest: { lastAccess, eTag: `"${h.toString(16)}"`, hitCount: 1 } } : {},
    timings: { ...timings },
    ...(spec.status === 0 ? {} : { serverIPAddress: `203.0.113.${hashText(url.host) % 254}`, connection: String(connection) }),
    ...(draw(h, 26) < 0.9
      ? { _priority: blocking && spec.type === 'script' ? 'High' : spec.phase === 'hero' ? 'High' : PRIORITIES[spec.type] }
      : {}),
    ...(spec.type === 'script' || spec.type === 'stylesheet' ? { _renderBlocking: blocking ? 'blocking' : 'non_blocking' } : {}),
    ...(spec.fromCache ? { _fromCache: 'memory' } : {}),
    ...(draw(h, 27) < 0.8 ? { _resourceType: spec.type === 'beacon' ? 'ping' : spec.type } : {}),
  };
}
