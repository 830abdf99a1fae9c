import { describe, expect, it } from 'vitest';
import { scopeNamed } from '../../../src/emulator/world/exports/scopes.ts';
import {
  chooseScope,
  columnWords,
  type FieldCatalogue,
  problemsOfScope,
  readFieldRequest,
  resolveFields,
} from '../../../src/exports/plan/resolve-fields.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { mapTexts } from '../../../src/lib/map-texts.ts';
import { catalogueOf } from './catalogues.ts';

const sessions = catalogueOf('sessions');
const views = catalogueOf('views');

const asShown = (text: string) => shownHints(text);

/** What one text becomes: the column in words, or the problem. */
async function meant(text: string, catalogue: FieldCatalogue = sessions): Promise<string> {
  const { columns, problems } = await resolveFields([text], catalogue);
  return shownHints(problems[0] ?? columns.map(columnWords).join());
}

describe('a text', () => {
  it.each([
    ['browser', 'browser_name'],
    ['Device', 'device_id'],
    ['revenue', 'session_transactions_revenue_cents'],
    ['total revenue', 'session_transactions_revenue_cents'],
    ['session revenue in cents', 'session_transactions_revenue_cents'],
    ['transactions', 'session_number_of_transactions'],
    ['number of views', 'session_number_of_views'],
    ['page views', 'session_number_of_views'],
    ['pages viewed', 'session_number_of_views'],
    ['number of pages viewed', 'session_number_of_views'],
    ['duration', 'session_duration_msec'],
    ['country', 'country_code'],
    ['user', 'user_id'],
    ['session', 'session_id'],
    ['session number', 'session_number'],
    ['new or returning', 'session_number'],
    ['bots', 'is_excludable'],
    ['date', 'session_date'],
    ['session start', 'session_time'],
    ['operating system', 'platform_name'],
    ['os version', 'platform_version'],
    ['referrer', 'referer_url'],
    ['screen width', 'screen_width'],
    ['session_transaction_items.sku', 'session_transaction_items.sku'],
    ['custom variable "plan"', 'custom variable plan (position 1)'],
    ['our custom variable plan', 'custom variable plan (position 1)'],
    ['custom_var:7', 'custom variable loyalty_tier (position 7)'],
    ['custom variable position 2', 'custom variable login_state (position 2)'],
    ['loyalty tier', 'custom variable loyalty_tier (position 7)'],
    ['loyalty_tier (custom variable)', 'custom variable loyalty_tier (position 7)'],
    ['dynamic variable search_term', 'dynamic variable search_term'],
    ['dynamic_var voucher code', 'dynamic variable voucher_code'],
    ['delivery days', 'dynamic variable delivery_days'],
  ])('%s of sessions means %s', async (text, column) => {
    expect(await meant(text)).toBe(column);
  });

  it.each([
    ['rage clicks', 'rage_click_all_targets_ind'],
    ['frustration', 'frustration_score'],
    ['path', 'path'],
    ['scroll', 'scroll_rate'],
    ['js error', 'any_js_error_ind'],
    ['page load time', 'fully_loaded'],
    ['error messages', 'errors.message'],
  ])('%s of views means %s', async (text, column) => {
    expect(await meant(text, views)).toBe(column);
  });

  it.each([
    ['version', /^"version" may mean browser_version \(.+\), platform_version \(.+\), app_version \(.+\)\. Name one of them\.$/],
    [
      'custom variable',
      /^"custom variable" does not say which; the custom variables are custom variable plan \(position 1\), .*loyalty_tier/,
    ],
    ['custom_var', /does not say which/],
    ['custom variable colour', /is not one of them; the custom variables are /],
    ['dynamic variable "colour"', /is not one of them; the dynamic variables are .*voucher_code/],
    ['items', /may mean session_transaction_items\.id \(Ids of the bought items\), .*Name one of them/],
    ['weather', /is not a field of scope sessions; list_exportable_fields lists them\./],
  ])('"%s" is not guessed: its candidates are listed', async (text, words) => {
    expect(await meant(text)).toMatch(words);
  });

  it('with a typo means the only name that resembles it', async () => {
    expect(await meant('contry_code')).toBe('country_code');
  });

  it('is never taken for a field or variable that only looks alike', async () => {
    const some: FieldCatalogue = { scope: 'views', fields: [{ name: 'path' }], variables: [{ kind: 'dynamic', key: 'delivery_days' }] };
    expect(await meant('device', some)).toMatch(/^"device" is not a field of scope views/);
    expect(await meant('delivery_dais', some)).toBe('dynamic variable delivery_days');
  });

  it('may name the column', () => {
    expect(readFieldRequest(' revenue as money ')).toEqual({ asked: 'revenue as money', kind: 'any', words: 'revenue', alias: 'money' });
    expect(readFieldRequest('custom variable “plan” as tier')).toMatchObject({ kind: 'custom', words: 'plan', alias: 'tier' });
  });
});

it('every field is meant by its own name and by its aliases, and by nothing else', async () => {
  for (const catalogue of [sessions, views]) {
    for (const { name, aliases } of scopeNamed(catalogue.scope)?.fields ?? []) {
      if (name.endsWith('_var')) continue;
      for (const text of [name, name.toUpperCase(), ...aliases]) expect([text, await meant(text, catalogue)]).toEqual([text, name]);
    }
  }
});

it('a list says what each text became, takes a column once, and names variables by their key', async () => {
  const { columns, notes, problems } = await resolveFields(
    ['browser', 'browser_name', 'plan', 'custom variable 2', 'revenue as money'],
    sessions,
  );
  expect(problems).toEqual([]);
  expect(notes).toEqual(['"browser_name" is the same column as "browser".']);
  expect(columns.map(({ fieldName, aliasName, customVarPosition }) => [fieldName, aliasName, customVarPosition])).toEqual([
    ['browser_name', undefined, undefined],
    ['custom_var', 'plan', 1],
    ['custom_var', 'login_state', 2],
    ['session_transactions_revenue_cents', 'money', undefined],
  ]);
  expect(columns[0]?.also).toEqual(['browser_version']);
});

it('several in one text are taken apart, unless a variable is called so', async () => {
  const named = async (text: string, catalogue = sessions) => (await resolveFields([text], catalogue)).columns.map(columnWords);
  expect(await named('browser, device; custom variable "plan",')).toEqual([
    'browser_name',
    'device_id',
    'custom variable plan (position 1)',
  ]);
  const odd = { ...sessions, variables: [{ kind: 'custom' as const, position: 3, key: 'size, colour' }] };
  expect(await named('custom variable "size, colour"', odd)).toEqual(['custom variable (position 3)']);
});

it('two columns are never called the same', async () => {
  const { problems } = await resolveFields(['city as place', 'country as place'], sessions);
  expect(problems).toEqual(['"country as place" and "city as place" would both be called place; write "country as place as NAME".']);
  const odd = {
    ...sessions,
    variables: ['language', 'two words'].map((key, at) => ({ kind: 'custom' as const, position: 3 + at, key })),
  };
  const { columns } = await resolveFields(['language', 'custom variable language', 'custom variable two words'], odd);
  expect(columns.map(({ aliasName }) => aliasName)).toEqual([undefined, 'variable_language', undefined]);
});

it('a variable and a field of one name are told apart by the word variable', async () => {
  const twice = { ...sessions, variables: [...sessions.variables, { kind: 'dynamic' as const, key: 'plan' }] };
  expect(await meant('plan', twice)).toBe('"plan" may mean custom variable plan (position 1), dynamic variable plan. Name one of them.');
  expect(await meant('dynamic variable plan', twice)).toBe('dynamic variable plan');
});

describe('the scope', () => {
  const scopeOf = async (...texts: string[]) => {
    const resolved = await Promise.all([sessions, views].map((catalogue) => resolveFields(texts, catalogue)));
    return chooseScope(resolved)?.scope ?? 'none';
  };

  it.each([
    [['browser', 'revenue'], 'sessions'],
    [['user_id', 'custom variable plan'], 'sessions'],
    [['path', 'rage clicks'], 'views'],
    [['user_id', 'rage clicks'], 'views'],
    [['path', 'rage clicks', 'browser'], 'none'],
  ])('of %s is %s', async (texts, scope) => {
    expect(await scopeOf(...texts)).toBe(scope);
  });
});

it('a scope that is named says of a text which other scope has it, and how to have both', async () => {
  const named = await resolveFields(['path', 'device', 'nonsense'], views);
  const elsewhere = [await resolveFields(named.missing, sessions)];
  expect(mapTexts(problemsOfScope(named, elsewhere), asShown)).toEqual([
    '"device" is no field of scope views, but of scope sessions: device_id. Export both scopes with project_id, user_id and session_id; ' +
      'query_export joins them.',
    expect.stringMatching(/^"nonsense" is not a field of scope views/),
  ]);
});
