import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the runs that produced files, with the range of each', async () => {
  const answer = await call('list_successful_export_runs', { limit: 3 });
  expect(answer.structured['runs']).toEqual(await ask('listSuccessfulExportRuns', { limit: 3 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('gives a page of 25, or as many as are named', async () => {
  const [usual, all] = [await call('list_successful_export_runs'), await call('list_successful_export_runs', { limit: 100 })];
  expect(usual.structured['runs']).toHaveLength(25);
  expect(usual.structured['notes']).toEqual([expect.stringContaining('A full page of 25: there may be more'), SHOP_NOTE]);
  expect(all.structured['runs']).toHaveLength(100);
});
