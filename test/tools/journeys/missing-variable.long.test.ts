/** @module-tag nightly */
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchExports } from '../../support/many-calls.ts';
import { passWaiting } from '../../support/pass-waiting.ts';
import { planIn, useTools } from '../support.ts';

const { call, assistant, ask, platform } = useTools();

const question = { conditions: [{ what: 'variable', name: 'checkout variant' }] } as const;

beforeAll(() => fetchExports(assistant()));

describe('a variant that no file holds is asked, planned with a yes, and asked again', () => {
  const jobs = async () => (await ask('listExportJobs', { limit: 100 })).map(({ jobId }) => jobId);
  const passUntil = <T>(calling: Promise<T>): Promise<T> => passWaiting(platform(), calling);
  let planId = '';

  it('the refusal carries the plan; nothing is created', async () => {
    const before = await jobs();
    const { isError, text } = await call('measure_impact', question);
    expect(isError).toBe(true);
    expect(text).toContain(
      'It is custom variable 3, "checkout_variant". A once export that brings what is missing is planned ("Sessions JSONL ',
    );
    planId = planIn(text);
    expect(text).toContain('"confirm":true} creates it and fetches its files; then ask again.');
    // Asked again, the same plan is named.
    expect((await call('measure_impact', question)).text).toContain(planId);
    expect(planId).not.toBe('');
    expect(await jobs()).toEqual(before);
    const { structured, text: preview } = await call('apply_export_plan', { planId });
    expect(preview).toContain('Once it is created, its files are fetched into the workspace.');
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

  it('applied, its files come by themselves, and the question waits for them', async () => {
    const applied = await passUntil(call('apply_export_plan', { planId, confirm: true }));
    expect(applied.structured).toMatchObject({ status: 'done', files: 'under way', jobs: [{ completionRate: expect.any(Number) }] });
    expect(applied.text).toMatch(/: (it waits in the queue of the platform|the platform computes it, \d+ % done)/);
    expect(applied.text).toContain('The last export of the kind was ready 2 minutes after its creation.');
    expect(applied.text).toContain(
      'The files are fetched by themselves. To go on, ask the question again in a minute or two: it waits up to 34 s for them',
    );
    const answers = [await passUntil(call('measure_impact', question))];
    while (answers.at(-1)?.isError && answers.length < 5) answers.push(await passUntil(call('measure_impact', question)));
    // Where a call ends is up to the machine: while the platform computes, or while the files are fetched.
    for (const { text } of answers.slice(0, -1)) {
      expect(text).toMatch(
        /Its files are on the way \(.*(?: it waits in the queue.*| the platform computes it.*|: \d of \d files fetched[^)]*)\): /,
      );
      expect(text).toContain('): ask the same again, which waits for them.');
    }
    expect(answers.at(-1)?.structured['conditions']).toMatchObject([{ what: 'variable' }]);
    // A run takes two minutes, a call waits for 34 s of them.
    expect(answers.length).toBeLessThanOrEqual(4);
  });

  it('applied again, nothing is sent, and what is here is said', async () => {
    const { text, structured } = await call('apply_export_plan', { planId, confirm: true });
    expect(structured['status']).toBe('done');
    expect(text).toContain('All jobs of this plan were created before; nothing was sent.');
    expect(text).toMatch(/The files of ".*" are here\.\n- Ask the question again\./);
  });
});
