import { describe, expect, test } from 'vitest';
import { exportHandlers as exports } from '../../src/emulator/handlers/data-export.ts';
import { placeOf, refusalOf } from './export-place.ts';

async function dynamicKeys(range: { from?: string; to?: string }) {
  return (await exports.listDynamicVariableKeys(range, placeOf())).map(({ key }) => key);
}

describe('fields and variables', () => {
  test.each([
    ['sessions', 30, 'session_transactions_revenue_cents'],
    ['views', 20, 'rage_click_all_targets_ind'],
  ])('scope %s has its fields', async (scope, least, name) => {
    const fields = await exports.listExportableFields({ scope }, placeOf());
    expect(fields.length).toBeGreaterThanOrEqual(least);
    expect(new Set(fields.map((field) => field.name)).size).toBe(fields.length);
    expect(fields.map((field) => field.name)).toContain(name);
    for (const field of fields) {
      expect(Object.keys(field)).toEqual(['name', 'description', 'example', 'aliases', 'parameters']);
      expect(field.description && field.example).toBeTruthy();
    }
    const withParameters = fields.filter(({ parameters }) => parameters?.length).map((field) => [field.name, field.parameters]);
    expect(withParameters).toEqual([
      ['custom_var', ['customVarPosition']],
      ['dynamic_var', ['dynamicVarKey']],
    ]);
  });

  test.each(['clicks', 'Sessions', 'toString'])('scope %s is refused', async (scope) => {
    const refusal = await refusalOf(() => exports.listExportableFields({ scope }, placeOf()));
    expect([refusal.status, refusal.errorCode]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refusal.message).toContain('sessions, views');
  });

  test('custom variables have position, key and values', async () => {
    expect((await exports.listCustomVariables({}, placeOf()))[0]).toEqual({
      position: 1,
      key: 'plan',
      values: ['free', 'plus', 'business'],
    });
  });

  test('dynamic variables are those sent within the range', async () => {
    expect(await dynamicKeys({})).toEqual(['search_term', 'search_results', 'voucher_code', 'delivery_days', 'size_advisor']);
    expect(await dynamicKeys({ from: '2026-11-01' })).not.toContain('size_advisor');
    expect(await dynamicKeys({ to: '2026-06-01' })).not.toContain('delivery_days');
    expect((await exports.listDynamicVariableKeys({}, placeOf()))[1]).toEqual({ key: 'search_results', type: 'integer' });
  });
});
