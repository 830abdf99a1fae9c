import { expect, it } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { type Fault, faultKinds, parseFault } from '../../src/emulator/faults.ts';
import { type Platform, sharedPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();

it.each<[Fault, string | null]>([
  [{ kind: 'rate-limit' }, '1'],
  [{ kind: 'rate-limit', retryAfter: 7 }, '7'],
  [{ kind: 'rate-limit', retryAfter: null }, null],
  [{ kind: 'unavailable' }, null],
  [{ kind: 'unavailable', retryAfter: 'Fri, 20 Nov 2026 10:00:05 GMT' }, 'Fri, 20 Nov 2026 10:00:05 GMT'],
])('a fault that answers %j says Retry-After: %s', async (fault, expected) => {
  const { call, token, faults } = platform();
  const bearer = await token('shop');
  faults.add(fault);
  expect((await call('listGoals', {}, bearer)).headers.get('retry-after')).toBe(expected);
});

it('slow waits for its time', async () => {
  const { call, token, faults } = platform();
  const bearer = await token('shop');
  faults.add({ kind: 'slow', operation: 'listGoals', times: 1, delayMs: 30 });
  const before = performance.now();
  expect((await call('listGoals', {}, bearer)).status).toBe(200);
  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

it('a cut download is the only fault that strikes downloads unless one names them', { tags: 'nightly' }, async () => {
  const { faults } = platform();
  const url = await fileUrl(platform());
  faults.add({ kind: 'server-error' });
  expect((await fetch(url)).status).toBe(200);
  faults.add({ kind: 'unavailable', operation: 'download' });
  expect((await fetch(url)).status).toBe(503);
});

/** Address of a file that can be downloaded now. */
async function fileUrl({ ask, token }: Platform): Promise<string> {
  const bearer = await token('shop', { scope: 'data-export' });
  const [run] = await ask('listSuccessfulExportRuns', { limit: 1 }, bearer);
  const { files } = await ask('getExportRun', { jobId: run?.jobId, runId: run?.jobRunId }, bearer);
  return files?.[0]?.url ?? '';
}

it('the order of faults is that in which they were added; each strikes as often as asked, and none after clear', async () => {
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

it('the order of faults leaves the authentication server alone where only bearers can be meant', async () => {
  const { faults, token, call } = platform();
  faults.add({ kind: 'expired-token', times: 1 });
  faults.add({ kind: 'concurrent-call', times: 1 });
  const bearer = await token('shop');
  expect((await call('listGoals', {}, bearer)).status).toBe(401);
  expect((await call('listGoals', {}, bearer)).status).toBe(409);
});

it('--fault reads kind, operation and times', () => {
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
])('--fault refuses "%s"', (text, message) => {
  expect(() => parseFault(text)).toThrow(ApiError);
  expect(() => parseFault(text)).toThrow(message);
});
