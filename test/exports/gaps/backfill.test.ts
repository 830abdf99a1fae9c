import { expect, it } from 'vitest';
import { contentOf } from '../../../src/exports/gaps/backfill.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { mapTexts } from '../../../src/lib/map-texts.ts';
import { catalogueOf } from '../plan/catalogues.ts';

const { variables } = catalogueOf('sessions');
const job = {
  jobId: 3103,
  name: 'Daily',
  scope: 'sessions',
  format: 'CSV',
  frequency: 'daily',
  fields: [{ fieldName: 'session_id' }, { fieldName: 'city', aliasName: 'place' }, { fieldName: 'custom_var', aliasName: 'plan' }],
  filters: { deviceId: 2 },
};
const NO_SEGMENT = 'Jobs do not show a segment: if this one has one, plan the backfill with plan_export and its segmentId.';

const asShown = (text: string) => shownHints(text);

it('a backfill has the columns, format and device of its job; a variable is known by the name of its column', () => {
  expect(mapTexts(contentOf(job, undefined, variables), asShown)).toEqual({
    format: 'CSV',
    scope: 'sessions',
    columns: [
      { fieldName: 'session_id' },
      { fieldName: 'city', aliasName: 'place' },
      { fieldName: 'custom_var', aliasName: 'plan', customVarPosition: 1 },
    ],
    device: 'mobile',
    segmentId: undefined,
    doubts: [NO_SEGMENT],
  });
});

it('a backfill takes over exactly what a plan sent for the job', () => {
  const made = {
    name: 'Daily',
    format: 'CSV' as const,
    frequency: { value: 'daily' as const },
    fields: [{ fieldName: 'session_id' }, { fieldName: 'dynamic_var', dynamicVarKey: 'coins', aliasName: 'x' }],
    deviceLabel: 'mobile' as const,
    segmentId: '440156',
  };
  expect(contentOf(job, made, variables)).toMatchObject({ columns: made.fields, segmentId: 440_156, doubts: [] });
});

it('a backfill says what it cannot take over', () => {
  const odd = {
    ...job,
    format: 'PARQUET',
    filters: { deviceId: 0 },
    fields: [{ fieldName: 'session_id' }, { fieldName: 'custom_var', aliasName: 'tier' }, { fieldName: 'dynamic_var' }],
  };
  const { columns, doubts, format, device } = contentOf(odd, undefined, variables);
  expect({ columns, format, device }).toEqual({ columns: [{ fieldName: 'session_id' }], format: 'JSONL', device: 'all' });
  expect(doubts.map(asShown)).toEqual([
    expect.stringMatching(/^Which custom variable the column tier holds is not shown by the interface: left out\. .*\(plan, login_state, /),
    expect.stringMatching(/^Which dynamic variable a column without a name of its own holds .*\(search_term, /),
    'The format PARQUET can no longer be created; the backfill is JSONL.',
    'The device filter of the job is not known; the backfill takes all devices.',
    NO_SEGMENT,
  ]);
});

it('a backfill believes a record that shows more than is documented, and a project that has one variable only', () => {
  const shown = {
    ...job,
    segmentId: 7,
    fields: [
      { fieldName: 'custom_var', customVarPosition: 9 },
      { fieldName: 'dynamic_var', dynamicVarKey: 'basket' },
    ],
  };
  expect(contentOf(shown, undefined, variables)).toMatchObject({
    columns: [{ customVarPosition: 9 }, { dynamicVarKey: 'basket' }],
    segmentId: 7,
    doubts: [],
  });
  const single = contentOf({ ...job, fields: [{ fieldName: 'dynamic_var' }] }, undefined, [{ kind: 'dynamic', key: 'coins' }]);
  expect(single.columns).toEqual([{ fieldName: 'dynamic_var', dynamicVarKey: 'coins' }]);
});
