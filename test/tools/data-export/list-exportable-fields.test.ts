import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the fields of a scope', async () => {
  const answer = await call('list_exportable_fields', { scope: 'views' });
  const fields = await ask('listExportableFields', { scope: 'views' });
  expect(answer.structured).toEqual({ fields, notes: [SHOP_NOTE] });
  expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(['view_number', 'scroll_rate', 'custom_var']));
  expect(whole(answer)).toMatchSnapshot();
});
