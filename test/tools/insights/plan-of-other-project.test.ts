import { describe, expect, it } from 'vitest';
import { refusal, useTools } from '../support.ts';

const { ask, call, platform } = useTools();

describe('a plan of another project than the default one', () => {
  const app = { projectId: '1202' };

  it('is printed as a call that names it, and found without that', async () => {
    const { text, structured } = await call('plan_export', { fields: ['path'], frequency: 'daily', name: 'App', ...app });
    const planId = String(structured['planId']);
    expect(text).toContain(`apply_export_plan {"planId":"${planId}","confirm":true,"projectId":"1202"}`);
    const other = await call('apply_export_plan', { planId, projectId: '1201' });
    expect(other).toMatchObject(refusal('of project 1202, not of 1201; leave projectId out'));
    const preview = await call('apply_export_plan', { planId });
    expect(preview.structured).toMatchObject({ status: 'preview', request: { project: 1202 } });
    const done = await call('apply_export_plan', { planId, confirm: true });
    expect(done.structured).toMatchObject({ status: 'done', jobs: [{ name: 'App' }] });
    expect(platform().requests.filter(({ operation }) => operation === 'createExportJob')).toHaveLength(1);
    expect((await call('list_export_jobs', app)).text).toContain('App');
    expect((await ask('listExportJobs', { limit: 100 })).map(({ name }) => name)).not.toContain('App');
  });

  it('is printed so in an error too', async () => {
    const { isError, text } = await call('analyze_funnel', { steps: ['/screen/home', '/screen/product'], ...app });
    expect(isError).toBe(true);
    expect(text).toMatch(/apply_export_plan \{"planId":"plan-[a-z0-9]{10}","confirm":true,"projectId":"1202"\}/);
  });
});
