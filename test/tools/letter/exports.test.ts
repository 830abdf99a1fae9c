import { describe, expect, it } from 'vitest';
import { connected } from './deployments.ts';

const recurring = {
  name: 'Another one',
  format: 'JSONL',
  frequency: { value: 'daily' },
  fields: [{ fieldName: 'session_id' }, { fieldName: 'city' }],
  deviceLabel: 'all',
};
const planned = { fields: ['session_id', 'city'], scope: 'sessions', frequency: 'daily' };

describe.each([
  ['device', 'An equal job exists: '],
  ['empty', 'A job that is perhaps equal exists: '],
  ['absent', 'A job that is perhaps equal exists: '],
] as const)('where the filters of a job hold its device, or not (%s)', (jobFilters, words) => {
  it('a recurring job beside an equal one is created only when that is confirmed apart', () =>
    connected({ jobFilters }, async ({ call }, { requests }) => {
      const created = () => requests.filter(({ operation }) => operation === 'createExportJob').length;
      await call('create_export_job', { ...recurring, confirm: true });
      const plan = await call('plan_export', planned);
      expect(plan.text).toContain(words);
      const { planId } = plan.structured;
      const refused = await call('apply_export_plan', { planId, confirm: true });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(words) });
      expect(refused.text).toContain('allowDuplicate: true creates it all the same');
      expect(created()).toBe(1);
      expect((await call('apply_export_plan', { planId, allowDuplicate: true, confirm: true })).isError).toBe(false);
      expect(created()).toBe(2);
    }));

  it('the preview of create_export_job names the job that is equal, or perhaps is', () =>
    connected({ jobFilters }, async ({ call }) => {
      const first = await call('create_export_job', recurring);
      expect(first.text).not.toContain('equal');
      await call('create_export_job', { ...recurring, confirm: true });
      const second = await call('create_export_job', { ...recurring, name: 'Third' });
      expect(second.structured).toMatchObject({ status: 'preview', request: { warning: expect.stringContaining(words) } });
      expect((await call('create_export_job', { ...recurring, deviceLabel: 'mobile' })).text.includes('equal')).toBe(
        jobFilters !== 'device',
      );
    }));
});
