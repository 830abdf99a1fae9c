import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { openSharedCache } from '../../../src/replicas/index.ts';
import { exportJob } from '../../samples/export-job.ts';
import { ownService, post2026, type Service, sharedService, spokenSignIn } from '../../support/http.ts';
import { CACHE_KEY, hasRedis, sharedRedis } from '../../support/redis.ts';

const service = sharedService({ signIn: spokenSignIn });
const ANNA = 'anna:read+write';
const BEN = 'ben:read+write';
const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const YES = { confirm: { action: 'accept', content: { confirm: true } } };
const BELONGS = 'The confirmation belongs to no question that was asked for this call. Nothing was sent.';
const USED = 'The confirmation was used before, and it counts once. Nothing was sent by this call';

const job = (name: string) => ({ ...exportJob(name, 'user_id'), projectId: 1201 });

interface Result {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

interface Round {
  readonly who?: string;
  readonly tool?: string;
  readonly at?: Service;
}

/** Calls a tool in the 2026-07-28 era as a client that can ask. */
async function call(args: object, more: object = {}, { who = ANNA, tool = 'create_export_job', at = service() }: Round = {}) {
  const params = { name: tool, arguments: args, ...more, _meta };
  const { message } = await post2026(at.url, 'tools/call', params, { authorization: `Bearer ${who}` });
  return message?.['result'] as Result;
}

async function askFor(args: object, round: Round = {}): Promise<string> {
  const { resultType, requestState } = await call(args, {}, round);
  expect(resultType).toBe('input_required');
  return String(requestState);
}

const answer = (args: object, requestState: unknown, round: Round = {}, inputResponses: object = YES) =>
  call(args, { inputResponses, requestState }, round);
const created = ({ platform } = service()) => platform.requests.filter(({ operation }) => operation === 'createExportJob').length;
const refused = (words: string) => ({ isError: true, content: [{ text: expect.stringContaining(words) }] });

afterEach(() => {
  service().platform.requests.length = 0;
});

describe('a confirmation of the 2026-07-28 era', () => {
  it('lets exactly the write pass that was shown, whatever the order of the arguments', { tags: 'nightly' }, async () => {
    const state = await askFor(job('Wanted'));
    const turned = Object.fromEntries(Object.entries(job('Wanted')).toReversed());
    expect(await answer(turned, state)).toMatchObject({ structuredContent: { status: 'done' } });
    expect(created()).toBe(1);
  });

  it('says nothing that a client could read or make', async () => {
    const state = await askFor(job('Unread'));
    expect(state).toMatch(/^v1\.[\w-]+\.[\w-]+$/);
    expect(Buffer.from(state.split('.')[2] ?? '', 'base64url').toString()).not.toContain('Unread');
    expect(await askFor(job('Unread'))).not.toBe(state);
  });

  it('counts once: sent three times, one after the other or at once, it makes one job', { tags: 'nightly' }, async () => {
    const state = await askFor(job('Once'));
    const answers = await Promise.all([1, 2, 3].map(() => answer(job('Once'), state)));
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(answers.filter(({ isError }) => isError)).toMatchObject([refused(USED), refused(USED)]);
    expect(await answer(job('Once'), state)).toMatchObject(refused(USED));
    expect(created()).toBe(1);
  });

  it('is not spent by a foreign answer', async () => {
    const state = await askFor(job('Foreign'));
    expect(await answer(job('Foreign'), state, { who: BEN })).toMatchObject(refused(BELONGS));
    expect(created()).toBe(0);
    expect(await answer(job('Foreign'), state)).toMatchObject({ structuredContent: { status: 'done' } });
  });

  it.each<[string, (state: string) => unknown, object]>([
    ['left out', () => undefined, job('A')],
    ['empty', () => '', job('A')],
    ['made of the digest of the request', () => `${createHash('sha256').update('x').digest('base64url').slice(0, 22)} 1`, job('A')],
    ['changed in one character', (state) => state.slice(0, -2) + (state.at(-2) === 'A' ? 'B' : 'A') + state.slice(-1), job('A')],
    ['cut short', (state) => state.slice(0, -4), job('A')],
    ['of other arguments', (state) => state, job('B')],
    ['of another project', (state) => state, { ...job('A'), projectId: 1202 }],
  ])('is refused with words where the state is %s', async (_, forge, args) => {
    const state = forge(await askFor(job('A')));
    expect(await answer(args, state)).toMatchObject(refused(BELONGS));
    expect(created()).toBe(0);
  });

  it('is refused for another tool', async () => {
    const args = { key: 'release', projectId: 1201 };
    const { ask, token } = service().platform;
    await ask('createSpeedEvent', { key: 'release', text: 'Release', date: '2026-11-19T08:00:00.000Z' }, await token('shop'));
    const state = await askFor(args, { tool: 'delete_speed_event' });
    const { requests } = service().platform;
    // What the question shows was read; from here on nothing is asked of the platform, and nothing written.
    requests.length = 0;
    expect(await answer(args, state, { tool: 'send_enrichments' })).toMatchObject({ isError: true });
    expect(await answer(job('A'), state)).toMatchObject(refused(BELONGS));
    expect(requests.filter(({ operation }) => operation !== 'requestToken' && operation !== 'readCredential')).toEqual([]);
  });

  it('is refused after ten minutes', async () => {
    const { clock } = service().platform;
    const state = await askFor(job('Late'));
    clock.jump(601_000);
    const late = await answer(job('Late'), state);
    clock.jump(-601_000);
    expect(late).toMatchObject(refused('The confirmation came later than 10 minutes after the question. Nothing was sent.'));
    expect(created()).toBe(0);
  });

  it.each<[string, object, string]>([
    ['declined', { action: 'decline' }, 'was declined, by the person or the host'],
    ['cancelled', { action: 'cancel' }, 'was closed or could not be shown'],
    ['answered with nothing known', { action: 'later' }, 'was closed or could not be shown'],
    ['accepted without content', { action: 'accept' }, 'came back without its box ticked'],
    ['accepted without the box', { action: 'accept', content: {} }, 'came back without its box ticked'],
    ['accepted with a word for it', { action: 'accept', content: { confirm: 'true' } }, 'came back without its box ticked'],
    ['accepted with no', { action: 'accept', content: { confirm: false } }, 'came back without its box ticked'],
  ])('is no consent where it is %s, whatever confirm says', { tags: 'nightly' }, async (_, confirm, words) => {
    for (const args of [job('Unsaid'), { ...job('Unsaid'), confirm: true }]) {
      expect(await answer(args, await askFor(args), {}, { confirm })).toMatchObject({
        structuredContent: { status: 'declined', notes: [expect.stringContaining(`The question ${words}; nothing was sent.`)] },
      });
    }
    expect(created()).toBe(0);
  });

  it('that comes back without an answer is a preview, which confirm: true sends', async () => {
    const args = job('Not shown');
    expect(await call(args, { requestState: await askFor(args) })).toMatchObject({
      structuredContent: { status: 'preview', notes: expect.arrayContaining([expect.stringContaining('The client did not answer')]) },
    });
    expect(created()).toBe(0);
    const confirmed = { ...args, confirm: true };
    expect(await answer(confirmed, await askFor(confirmed), {}, {})).toMatchObject({ structuredContent: { status: 'done' } });
    expect(created()).toBe(1);
  });

  it('that was left open for 50 seconds is not needed again where confirm is true, and no sooner', { tags: 'nightly' }, async () => {
    const { clock } = service().platform;
    // Without an equal job, of which a person is warned first.
    const [lying, other] = ['browser_name', 'device_type'].map((column) => ({ ...exportJob(`Lies ${column}`, column), projectId: 1201 }));
    const args = { ...lying, confirm: true };
    await askFor(args);
    await askFor({ ...other, confirm: true });
    clock.jump(49_000);
    await askFor(args);
    clock.jump(1_000);
    await askFor({ ...lying });
    expect(created()).toBe(0);
    expect(await call(args)).toMatchObject({ structuredContent: { status: 'done' } });
    // What was declined meanwhile is asked again.
    await answer({ ...other }, await askFor({ ...other }), {}, { confirm: { action: 'decline' } });
    await askFor({ ...other, confirm: true });
    expect(created()).toBe(1);
    clock.jump(-50_000);
  });
});

describe.skipIf(!hasRedis)('a confirmation among replicas with one key', () => {
  const redis = sharedRedis();
  const log = () => undefined;

  it('is opened by another replica, and counts once in all of them', { tags: 'nightly' }, async () => {
    const settings = { CACHE_URL: redis().url, CACHE_KEY };
    const open = async () =>
      ownService({
        signIn: spokenSignIn,
        on: service().platform,
        settings,
        cache: await openSharedCache({ url: redis().url, key: CACHE_KEY, log }),
      });
    const [first, second] = [await open(), await open()];
    const state = await askFor(job('Shared'), { at: first });
    const answers = await Promise.all([first, second, first, second].map((at) => answer(job('Shared'), state, { at })));
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(await answer(job('Shared'), state, { at: second })).toMatchObject(refused(USED));
    expect(created()).toBe(1);
  });
});
