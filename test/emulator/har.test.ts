import type { Entry, Har } from 'har-format';
import { describe, expect, it } from 'vitest';
import { SECRET_MARK } from '../../src/emulator/world/speed/planted-secrets.ts';
import { allScenarios, harOf, num, reportsOf, type StepResult, stepsOf, transferred } from './speed-place.ts';

/** The HAR of each step of the newest whole run of each scenario. */
async function allHars(seed: number): Promise<{ step: StepResult; har: Har; name: string }[]> {
  const lists = await Promise.all(
    allScenarios(seed).map(async ({ place, scenario }) => {
      const [report] = await reportsOf(place, { scenarioId: scenario.id, limit: 1, error: false });
      return Promise.all(
        stepsOf(report).map(async (step) => ({ step, har: await harOf(place, step), name: `${scenario.name} / ${step.name}` })),
      );
    }),
  );
  return lists.flat();
}

function endOf(entry: Entry, startMs: number): number {
  return Date.parse(entry.startedDateTime) - startMs + entry.time;
}

/** Start of the page of a HAR, ms since 1970. */
function startOf({ log }: Har): number {
  return Date.parse(log.pages?.[0]?.startedDateTime ?? '');
}

/** The entry of the page itself, after its redirects. */
function pageEntry({ log }: Har): Entry {
  const found = log.entries.find((entry) => entry.request.url === log.pages?.[0]?.title);
  if (found === undefined) throw new Error('the page has no entry');
  return found;
}

const hars = [...(await allHars(1)), ...(await allHars(2))];

describe('the HAR of a step', () => {
  it('moves the bytes and makes the requests that the step counts', () => {
    for (const { step, har, name } of hars) {
      const { entries } = har.log;
      const broken = entries.filter(({ response }) => response.status === 0 || response.status >= 400);
      const bytes = entries.reduce((sum, entry) => sum + transferred(entry), 0);
      expect([name, entries.length, bytes, broken.length]).toEqual([name, step.requestsCount, step.weight, step.unavailableResource]);
      expect(entries.length).toBeGreaterThanOrEqual(60);
      expect(entries.length).toBeLessThanOrEqual(200);
    }
  });

  it('has the times of the step', () => {
    for (const { step, har, name } of hars) {
      const t = step.timings;
      const { entries, pages } = har.log;
      const startMs = startOf(har);
      expect([name, startMs]).toEqual([name, t?.navigationStart]);
      expect(pages?.[0]?.pageTimings).toMatchObject({ onLoad: t?.loadEvent, onContentLoad: t?.domContentLoadedEventStart });
      const received = endOf(pageEntry(har), startMs);
      expect(Math.abs(received - num(pageEntry(har).timings.receive) - num(t?.firstByte))).toBeLessThan(2);
      expect(Math.abs(received - num(t?.lastByte))).toBeLessThan(2);
      const ends = entries.map((entry) => endOf(entry, startMs));
      expect(Math.abs(Math.max(...ends) - num(step.loadTime))).toBeLessThan(3);
      expect(Math.min(...entries.map((entry) => Date.parse(entry.startedDateTime)))).toBe(startMs);
      const blocking = entries.filter(({ _renderBlocking: value }) => value === 'blocking').map((entry) => endOf(entry, startMs));
      expect(blocking.length).toBeGreaterThan(0);
      expect(Math.max(...blocking)).toBeLessThanOrEqual(num(t?.firstPaint));
    }
  });

  it('adds up the parts of each time, encryption within the connection', () => {
    for (const { har, name } of hars) {
      for (const { time, timings, request } of har.log.entries) {
        const parts = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive].map(num);
        const sum = parts.filter((part) => part !== -1).reduce((total, part) => total + part, 0);
        const wrong = Math.min(...parts.map((part) => (part === -1 ? 0 : part))) < 0 || num(timings.ssl) > num(timings.connect);
        expect([name, request.url, wrong, Math.abs(sum - time) < 0.002]).toEqual([name, request.url, false, true]);
      }
    }
  });

  it('follows redirects from one address to the next, up to the document', () => {
    const counts = hars.map(({ har, name }) => {
      const redirects = har.log.entries.filter(({ response }) => response.status === 301);
      const chain = redirects.toSorted((a, b) => a.startedDateTime.localeCompare(b.startedDateTime));
      const addresses = [...chain.map(({ request }) => request.url), pageEntry(har).request.url];
      expect([name, ...chain.map(({ response }) => response.redirectURL)]).toEqual([name, ...addresses.slice(1)]);
      return redirects.length;
    });
    expect(new Set(counts)).toEqual(new Set([0, 1, 2]));
  });
});

describe('HAR files altogether', () => {
  const entries = hars.flatMap(({ har }) => har.log.entries);

  it('are not sorted', () => {
    for (const { har } of hars) {
      const starts = har.log.entries.map((entry) => entry.startedDateTime);
      expect(starts).not.toEqual(starts.toSorted());
    }
  });

  it.each<[what: string, test: (entry: Entry) => boolean]>([
    ['a 404', ({ response }) => response.status === 404],
    ['a 204', ({ response }) => response.status === 204],
    ['a 304', ({ response }) => response.status === 304],
    ['a request that was aborted', ({ response }) => response.status === 0],
    ['a file from the cache', ({ response: { _transferSize: size }, _fromCache }) => _fromCache !== undefined && size === 0],
    ['HTTP/1.1', ({ request }) => request.httpVersion === 'http/1.1'],
    ['HTTP/2', ({ request }) => request.httpVersion === 'h2'],
    ['HTTP/3', ({ request }) => request.httpVersion === 'h3'],
    ['no encryption', ({ request, timings }) => request.url.startsWith('http:') && timings.ssl === -1 && num(timings.connect) > 0],
    ['a part of 0 where none took place', ({ timings }) => timings.connect === 0],
    ['text without compression', ({ response }) => response.content.compression === 0 && response.bodySize > 20_000],
    ['compressed text', ({ response }) => num(response.content.compression ?? 0) > response.bodySize && response.bodySize > 20_000],
    [
      'no cache headers',
      ({ request, response }) => /\.(css|woff2?|png)/.test(request.url) && !response.headers.some(({ name }) => name === 'cache-control'),
    ],
    ['an unknown body size', ({ response }) => response.bodySize === -1],
    ['a POST of JSON', ({ request }) => request.postData?.mimeType === 'application/json'],
    ['a POST of a form', ({ request }) => (request.postData?.params?.length ?? 0) > 0],
    ['an Authorization header', ({ request }) => request.headers.some(({ name }) => name === 'authorization')],
    ['cookies both ways', ({ request, response }) => request.cookies.length > 0 && response.cookies.length > 0],
    ['an e-mail address in a query', ({ request }) => request.queryString.some(({ value }) => value.includes('@'))],
    ['no priority', ({ _priority }) => _priority === undefined],
    ['a priority', ({ _priority }) => _priority === 'VeryHigh'],
  ])('have entries with %s', (_what, test) => {
    expect(entries.filter(test).length).toBeGreaterThan(0);
  });

  it('load the same script twice on pages of the shop', () => {
    const shopHars = hars.filter(({ har }) => har.log.pages?.[0]?.title.includes('nordlicht-shop'));
    for (const { har } of shopHars) {
      const urls = har.log.entries.map(({ request }) => request.url).filter((url) => url.endsWith('.js'));
      expect(urls.length - new Set(urls).size).toBe(1);
    }
  });

  it('mark every secret value, and hide none elsewhere', () => {
    for (const { request, response } of entries) {
      const secrets = [...request.cookies, ...response.cookies, ...(request.postData?.params ?? []).filter(({ name }) => name !== 'page')];
      expect(secrets.every(({ value }) => value?.includes(SECRET_MARK))).toBe(true);
      const { origin, pathname } = new URL(request.url);
      const headers = request.headers.filter(({ name }) => !['authorization', 'cookie'].includes(name));
      const open = [
        origin,
        pathname,
        ...headers.map(({ value }) => value),
        ...response.headers.filter(({ name }) => name !== 'set-cookie').map(({ value }) => value),
      ];
      expect(open.filter((text) => text.includes(SECRET_MARK))).toEqual([]);
    }
  });

  it('carry their files unchanged from one run to the next', async () => {
    const [first] = allScenarios(1);
    if (first === undefined) throw new Error('no scenario');
    const reports = await reportsOf(first.place, { scenarioId: first.scenario.id, limit: 2, error: false });
    const sizes = await Promise.all(
      reports.map(async (report) => {
        const [step] = stepsOf(report);
        const { log } = step ? await harOf(first.place, step) : { log: { entries: [] } };
        return log.entries
          .filter(({ request }) => /\.(js|css|woff2?)$/.test(request.url))
          .map(({ request, response }) => `${request.url} ${response.content.size}`)
          .toSorted();
      }),
    );
    expect(sizes[0]?.length).toBeGreaterThan(15);
    expect(sizes[1]).toEqual(sizes[0]);
  });
});
