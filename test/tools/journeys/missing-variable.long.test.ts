import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTools } from '../support.ts';

const { call, ask, platform } = useTools();

const question = { conditions: [{ what: 'variable', name: 'checkout variant' }] } as const;

beforeAll(async () => {
  await call('sync_exports', { jobIds: ['Daily sessions', 'Daily views'], since: '-4d', waitSeconds: 40 });
}, 60_000);

describe('a variant that no file holds is asked, planned with a yes, and asked again', () => {
  const jobs = async () => (await ask('listExportJobs', { limit: 100 })).map(({ jobId }) => jobId);
  /** The run moves with the clock, and what follows it with the network. */
  const pass = async (ms: number) => {
    await platform().clock.advance(ms);
    await delay(10);
  };
  const passUntil = async <T>(calling: Promise<T>): Promise<T> => {
    const over = new AbortController();
    const ended = calling.finally(() => over.abort());
    while (!over.signal.aborted) await pass(1_000);
    return ended;
  };
  let planId = '';

  it('the refusal carries the plan; nothing is created', async () => {
    const before = await jobs();
    const { isError, text } = await call('measure_impact', question);
    expect(isError).toBe(true);
    expect(text).toContain('It is custom variable 3, "checkout_variant". No job is known to export it.');
    planId =
      /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})"\} creates it and fetches its files; then ask again\./.exec(text)?.[1] ?? '';
    expect(planId).not.toBe('');
    expect(await jobs()).toEqual(before);
    const { structured } = await call('apply_export_plan', { planId });
    expect(structured).toMatchObject({
      status: 'preview',
      request: {
        body: {
          scope: 'sessions',
          fields: expect.arrayContaining([{ fieldName: 'custom_var', customVarPosition: '3', aliasName: 'checkout_variant' }]),
        },
      },
    });
    expect(await jobs()).toEqual(before);
  });

  it('applied, its files come by themselves', async () => {
    const applied = await passUntil(call('apply_export_plan', { planId, confirm: true }));
    expect(applied.text).toMatch(/: the platform computes it: .* Its files are fetched once they are there: ask again in some minutes/);
    let met = await call('measure_impact', question);
    expect(met.text).toContain('and its files are on the way (the platform computes it: ');
    while (met.isError) {
      await pass(5_000);
      met = await call('measure_impact', question);
    }
    expect(met.structured['conditions']).toMatchObject([{ what: 'variable' }]);
  });

  it('applied again, nothing is sent, and what is here is said', async () => {
    const { text } = await call('apply_export_plan', { planId, confirm: true });
    expect(text).toContain('All jobs of this plan were created before; nothing was sent.');
    expect(text).toMatch(/The files of ".*" are here: ask again\./);
  });
});
