import { Agent, type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { type Fault, faultKinds, parseFault } from '../../src/emulator/faults.ts';
import { type Platform, sharedPlatform, withPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();

describe('a fault that answers', () => {
  it('truncated: half of the JSON, and a length that says so', async () => {
    const { send, serviceUrl, token, faults } = platform();
    const authorization = `Bearer ${await token('shop')}`;
    const url = `${serviceUrl}/v1/exportable-fields?scope=sessions`;
    const whole = JSON.stringify((await send(url, { headers: { authorization } })).body);
    const lengths: number[] = [];
    for (const encoding of ['identity', 'gzip']) {
      faults.add({ kind: 'truncated', times: 1 });
      const cut = await send(url, { headers: { authorization, 'accept-encoding': encoding } });
      expect(cut.status).toBe(200);
      expect(typeof cut.body).toBe('string');
      expect(whole.startsWith(String(cut.body))).toBe(true);
      expect(String(cut.body).length).toBeGreaterThan(whole.length / 3);
      lengths.push(Number(cut.headers.get('content-length')));
    }
    expect(lengths[0]).toBeGreaterThan(whole.length / 3);
    expect(lengths[1]).toBeLessThan(whole.length / 3);
  });

  it.each<[Fault, string | null]>([
    [{ kind: 'rate-limit' }, '1'],
    [{ kind: 'rate-limit', retryAfter: 7 }, '7'],
    [{ kind: 'rate-limit', retryAfter: null }, null],
    [{ kind: 'unavailable' }, null],
    [{ kind: 'unavailable', retryAfter: 'Fri, 20 Nov 2026 10:00:05 GMT' }, 'Fri, 20 Nov 2026 10:00:05 GMT'],
  ])('%j says Retry-After: %s', async (fault, expected) => {
    const { call, token, faults } = platform();
    const bearer = await token('shop');
    faults.add(fault);
    expect((await call('listGoals', {}, bearer)).headers.get('retry-after')).toBe(expected);
  });
});

/** Sends GET requests over one kept-alive connection and returns how each went. */
function keepAlive(base: string, path: string, bearer: string, agent: Agent): Promise<{ status: number; body: string; reused: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = request(base + path, { agent, headers: { authorization: `Bearer ${bearer}` } }, (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString(), reused: sent.reusedSocket }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function withAgent(run: (get: (path: string) => ReturnType<typeof keepAlive>, found: Platform) => Promise<void>): Promise<void> {
  const found = platform();
  const bearer = await found.token('shop');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await run((path) => keepAlive(found.serviceUrl, path, bearer, agent), found);
  } finally {
    agent.destroy();
  }
}

describe('a fault of the connection', () => {
  it('reset: no byte of an answer, also on a kept-alive connection', () =>
    withAgent(async (get, { faults }) => {
      await get('/v1/goals');
      faults.add({ kind: 'reset', times: 1 });
      await expect(get('/v1/goals')).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(await get('/v1/goals')).toMatchObject({ status: 200, reused: false });
    }));

  it('answers leave a kept-alive connection usable', () =>
    withAgent(async (get, { faults }) => {
      await get('/v1/goals');
      for (const kind of ['rate-limit', 'bad-gateway', 'truncated', 'refused', 'shape', 'server-error'] as const) {
        faults.add({ kind, times: 1 });
        expect((await get('/v1/goals')).reused).toBe(true);
      }
      expect(await get('/v1/goals')).toMatchObject({ status: 200, reused: true });
    }));

  it('hang: answers never, and ends with the emulator', () =>
    withPlatform(async ({ call, token, faults, close }) => {
      const hang = faults.add({ kind: 'hang', operation: 'listGoals' });
      const held = call('listGoals', {}, await token('shop')).catch((error: unknown) => error);
      await hang.reached();
      await close();
      expect(await held).toMatchObject({ message: 'fetch failed' });
    }));

  it('slow: waits for its time or until released', async () => {
    const { call, token, faults } = platform();
    const bearer = await token('shop');
    const timed = faults.add({ kind: 'slow', operation: 'listGoals', times: 1, delayMs: 30 });
    const before = performance.now();
    expect((await call('listGoals', {}, bearer)).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThanOrEqual(29);
    expect(timed.applied).toBe(1);
    const held = faults.add({ kind: 'slow', operation: 'listGoals', times: 2 });
    const calls = [call('listGoals', {}, bearer), call('listGoals', {}, bearer)];
    await held.reached(2);
    held.release();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a cut download', () => {
  it('is the only fault that strikes downloads unless one names them', { tags: 'nightly' }, async () => {
    const { faults } = platform();
    const url = await fileUrl(platform());
    faults.add({ kind: 'server-error' });
    expect((await fetch(url)).status).toBe(200);
    faults.add({ kind: 'unavailable', operation: 'download' });
    expect((await fetch(url)).status).toBe(503);
  });
});

/** Address of a file that can be downloaded now. */
async function fileUrl({ ask, token }: Platform): Promise<string> {
  const bearer = await token('shop', { scope: 'data-export' });
  const [run] = await ask('listSuccessfulExportRuns', { limit: 1 }, bearer);
  const { files } = await ask('getExportRun', { jobId: run?.jobId, runId: run?.jobRunId }, bearer);
  return files?.[0]?.url ?? '';
}

describe('the order of faults', () => {
  it('is that in which they were added; each strikes as often as asked, and none after clear', async () => {
    const { call, token, faults } = platform();
    const bearer = await token('shop');
    const two = faults.add({ kind: 'server-error', times: 2 });
    const ever = faults.add({ kind: 'unavailable' });
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await call('listGoals', {}, bearer)).status);
    expect(statuses).toEqual([500, 500, 503, 503, 503]);
    expect([two.applied, ever.applied]).toEqual([2, 3]);
    ever.remove();
    expect((await call('listGoals', {}, bearer)).status).toBe(200);
    faults.add({ kind: 'server-error' });
    faults.clear();
    expect((await call('listGoals', {}, bearer)).status).toBe(200);
  });

  it('leaves the authentication server alone where only bearers can be meant', async () => {
    const { faults, token, call } = platform();
    faults.add({ kind: 'expired-token', times: 1 });
    faults.add({ kind: 'concurrent-call', times: 1 });
    const bearer = await token('shop');
    expect((await call('listGoals', {}, bearer)).status).toBe(401);
    expect((await call('listGoals', {}, bearer)).status).toBe(409);
  });
});

describe('--fault', () => {
  it('reads kind, operation and times', () => {
    expect(parseFault('rate-limit')).toEqual({ kind: 'rate-limit' });
    expect(parseFault('reset:createExportJob')).toEqual({ kind: 'reset', operation: 'createExportJob' });
    expect(parseFault('server-error::2')).toEqual({ kind: 'server-error', times: 2 });
    expect(parseFault('cut-download:download:1')).toEqual({ kind: 'cut-download', operation: 'download', times: 1 });
    expect(parseFault('slow')).toMatchObject({ kind: 'slow', delayMs: expect.any(Number) });
  });

  it.each([
    ['flood', `"flood" is not a fault; expected one of ${faultKinds.join(', ')}`],
    ['', '"" is not a fault'],
    ['reset:list_goals', '"list_goals" is not an operation'],
    ['reset:toString', '"toString" is not an operation'],
    ['reset:listGoals:often', '"often" is not a number of times'],
    ['reset:listGoals:0', '"0" is not a number of times'],
    ['reset:listGoals:1:2', 'expected kind[:operation[:times]]'],
  ])('refuses "%s"', (text, message) => {
    expect(() => parseFault(text)).toThrow(ApiError);
    expect(() => parseFault(text)).toThrow(message);
  });

  it('is set from the start where the flag asks for it', () =>
    withPlatform(async ({ token }) => expect(token('shop')).rejects.toThrow('500'), { faults: [parseFault('server-error:requestToken')] }));
});
