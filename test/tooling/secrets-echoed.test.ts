import { describe, expect, it } from 'vitest';
import { type Assistant, ownAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { type Arrived, json, openStub, payload, type Stub, text, tokenBody } from '../support/stub-platform.ts';
import { stepsOf } from '../tools/walk-steps.ts';

const platform = sharedPlatform();

/** No JWT: only by being known can it be told from any other text. */
const OPAQUE = 'opaque+canary/0123456789abcdef==';

type Answer = Stub['answers'][number];

/** What a careless service could repeat of a request. */
function overheard({ headers, body }: Arrived): string {
  const { account, enrichment } = platform().credentials;
  const bearer = headers.authorization ? `${headers.authorization} ${encodeURIComponent(OPAQUE)}` : 'no bearer';
  return `${bearer} ${body} ${account.clientSecret} ${enrichment.clientSecret}`;
}

const refusal: Answer = (response, request) =>
  json(400, { success: false, errorMessage: `Cannot take ${overheard(request)}`, errorCode: 'VALIDATION_ERROR' })(response, request);

const echoes: Record<string, Answer> = {
  'in a refusal': refusal,
  'in the code of a refusal': (response, request) =>
    json(403, { success: false, errorMessage: 'No.', errorCode: platform().credentials.account.clientSecret })(response, request),
  'in a page of HTML': (response, request) =>
    text(502, `<html><title>Bad gateway: ${overheard(request)}</title></html>`, { 'content-type': 'text/html' })(response, request),
  'in plain text with 200': (response, request) => text(200, overheard(request))(response, request),
  'in the names of members': (response, request) => json(200, { success: true, payload: { [overheard(request)]: 1 } })(response, request),
  'in an OAuth error': (response, request) =>
    json(401, { error: 'invalid_client', error_description: overheard(request) })(response, request),
};

/** A platform that answers every operation like this; tokens are opaque. */
async function openScene(answer: Answer, token?: Answer): Promise<{ stub: Stub; assistant: Assistant }> {
  const issued: Answer = (response, request) =>
    json(200, tokenBody(stub, { access_token: OPAQUE, scope: scopeOf(request) }))(response, request);
  const stub = await openStub({
    answers: [answer],
    token: token ?? issued,
    me: json(200, { scopes: 'speed-analysis data-export metrics enrichment', permissions: { projects: [{ id: 7, name: 'Shop' }] } }),
  });
  const assistant = await ownAssistant({ ...platform(), authUrl: stub.url }, { defaultProjectId: 7 });
  return { stub, assistant };
}

function scopeOf({ body }: Arrived): string {
  return (JSON.parse(body) as { scope: string }).scope;
}

/** Secrets in what was shown, in any usual spelling. */
function leaksIn(shown: unknown): string[] {
  const { account, enrichment } = platform().credentials;
  const seen = typeof shown === 'string' ? shown : JSON.stringify(shown);
  const spellings = [account.clientSecret, enrichment.clientSecret, OPAQUE].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]);
  return spellings.filter((secret) => seen.includes(secret));
}

/** Every tool with arguments for which it sends something. */
const calls = stepsOf({ date: 1_800_000_000_000, stepResultId: 'abc', jobId: 3, runId: 4, clientId: '', clientSecret: '' }).map(
  ({ tool, args }) => ({ tool, args: { ...args, ...(args['projectId'] !== undefined && { projectId: 7 }) } }),
);

describe.each(Object.entries(echoes))('a secret that the service repeats %s', (_, answer) => {
  it('is shown by no tool and no resource', { tags: 'nightly' }, async () => {
    const { assistant, stub } = await openScene(answer);
    for (const { tool, args } of calls) {
      const { text: words, structured, links } = await whileTimePasses(platform().clock, assistant.call(tool, args));
      expect({ tool, leaks: leaksIn([words, structured, links]) }).toEqual({ tool, leaks: [] });
    }
    expect(stub.calls.length).toBeGreaterThan(40);
    for (const path of ['scenarios/1', 'steps/a', 'steps/a/har']) {
      const reading = assistant.read(`analytics://7/${path}`).catch((error: unknown) => String(error));
      expect(leaksIn(await whileTimePasses(platform().clock, reading))).toEqual([]);
    }
  });

  it('at the token endpoint is shown by no tool', async () => {
    const { assistant } = await openScene(payload([]), answer);
    const { text: words, structured, isError } = await whileTimePasses(platform().clock, assistant.call('list_goals'));
    expect({ isError, leaks: leaksIn([words, structured]) }).toEqual({ isError: true, leaks: [] });
  });
});

describe('a secret inside of a good answer', () => {
  const segment = (name: string) => ({ id: 1, name, source: 'USER', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' });

  it('is removed from both channels, and the rest stays', async () => {
    const { assistant } = await openScene((response, request) =>
      payload([segment(`Before ${overheard(request)} after`)])(response, request),
    );
    const { isError, text: words, structured } = await assistant.call('list_segments');
    expect(isError).toBe(false);
    expect(leaksIn([words, structured])).toEqual([]);
    expect(words).toMatch(/Before .*\[redacted\].* after/);
    expect(JSON.stringify(structured)).toMatch(/Before .*\[redacted\].* after/);
  });

  it('is removed from what enrichment answers, and from notes about names', async () => {
    const { assistant, stub } = await openScene((response, request) => json(200, { seen: overheard(request) })(response, request));
    const sent = await assistant.call('send_enrichments', {
      enrichments: [{ userId: '1', sessionNumber: 1, enrichmentNumber: 1, enrichment: { plan: 'gold' } }],
      confirm: true,
    });
    expect(sent).toMatchObject({ isError: false, structured: { status: 'done' } });
    expect(leaksIn(sent)).toEqual([]);
    stub.answers = [(response, request) => payload([segment(OPAQUE)])(response, request)];
    const looked = await assistant.call('get_site_visits', { startDate: '2026-11-01', endDate: '2026-11-02', segmentIds: ['opaque'] });
    expect(leaksIn(looked)).toEqual([]);
  });

  it('is removed from resources, which stay what they are', async () => {
    const { assistant } = await openScene((response, request) =>
      payload({ step: { id: 'a', timings: {}, browserError: overheard(request), unavailableResource: '{}' } })(response, request),
    );
    const shown = await assistant.read('analytics://7/steps/a');
    expect(shown).toContain('[redacted]');
    expect(leaksIn(shown)).toEqual([]);
    expect(JSON.parse(shown)).toMatchObject({ id: 'a' });
  });
});
