import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { someOf } from '../../support/sample-size.ts';
import { withTools } from '../support.ts';

const GAPS = new Set(['failed', 'missing', 'suspicious']);
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

it.each(someOf([11, 12, 13], 1))(
  'all jobs at once, with seed %i say of each what asking for that job alone says, those that lack most first',
  { tags: 'nightly' },
  async (seed) => {
    await withTools(
      async (assistant) => {
        const all = await assistant.call('find_export_gaps', {});
        expect(all.isError).toBe(false);
        const rows = all.structured['rows'] as [number, string, string, number, number, string, string, number][];
        expect(rows.length).toBeGreaterThan(2);
        const shares = rows.map(([, , , lost, total]) => lost / total);
        expect(shares).toEqual(shares.toSorted((a, b) => b - a));
        for (const [jobId, name, , lost, total, unit] of rows) {
          const { structured } = await assistant.call('find_export_gaps', { jobId: String(jobId) });
          const own = (structured['rows'] as [string, number, string][]).filter(([, , status]) => GAPS.has(status));
          expect([name, lost]).toEqual([name, own.reduce((sum, [, slots]) => sum + slots, 0)]);
          expect(structured['answer']).toContain(`${total} ${unit.slice(0, -1)}`);
        }
        const lacking = rows.filter(([, , , lost]) => lost > 0);
        expect(all.structured['answer']).toContain(`Of ${rows.length} recurring jobs looked at ${lacking.length} ha`);
      },
      {},
      { seed },
    );
  },
);

it('says which other job has a missing day, and nothing of jobs that lack a column', async () => {
  await withTools(async (assistant, other) => {
    const day = dayOf(other.stories.exportIncidents['Daily views']?.[0]?.fromMs ?? Number.NaN);
    const { structured } = await assistant.call('get_export_job', { jobId: 'Daily views' });
    const { fields: own } = structured['job'] as { fields: { fieldName: string }[] };
    const fields = own.map(({ fieldName }) => ({ fieldName }));
    const body = {
      format: 'JSONL',
      scope: 'views',
      frequency: { value: 'once', dateRange: { from: `${day}T00:00:00Z`, to: new Date(Date.parse(day) + DAY_MS).toISOString() } },
      deviceLabel: 'all',
      confirm: true,
    };
    await assistant.call('create_export_job', { ...body, name: 'Only ids', fields: [{ fieldName: 'session_id' }] });
    expect((await assistant.call('find_export_gaps', { jobId: 'Daily views' })).text).not.toContain('has all these columns');
    const made = await assistant.call('create_export_job', { ...body, name: 'The lost day', fields });
    expect(made, made.text).toMatchObject({ isError: false });
    other.clock.jump(HOUR_MS);
    const { text } = await assistant.call('find_export_gaps', { jobId: 'Daily views' });
    expect(text).toContain(`"The lost day" has all these columns and files of ${day}.`);
  });
});
