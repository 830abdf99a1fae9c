import { expect, it } from 'vitest';
import { noValueWords } from '../../../src/usecases/exports/statement.ts';
import type { RunManifest } from '../../../src/workspace/store/manifest.ts';

const runs = [
  { fields: [{ fieldName: 'referer_url' }, { fieldName: 'custom_var', aliasName: 'plan', customVarPosition: 1 }] },
] as unknown as RunManifest[]; // only the fields are read

it.each([
  [
    'of a variable that is selected',
    'SELECT plan, count(*) FROM sessions GROUP BY ALL',
    'xy-empty',
    '"xy-empty" stands for no value of plan.',
  ],
  ['but not of other columns', 'SELECT referer_url, count(*) FROM sessions GROUP BY ALL', 'xy-empty', undefined],
  ['nor a word that may be a value', 'SELECT plan, referer_url FROM sessions', 'none', undefined],
])('a text that stands for no value is told, %s', (_, sql, text, words) => {
  expect(
    noValueWords(sql, runs, [
      ['free', 3],
      [text, 5],
    ]),
  ).toBe(words);
});
