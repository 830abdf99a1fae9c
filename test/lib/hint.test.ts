import { expect, it } from 'vitest';
import { either, hint, shownHints } from '../../src/lib/hint.ts';
import { visibleText } from '../../src/lib/visible-text.ts';

const text = (parts: string) => `It failed.${parts}`;
const listGoals = hint('list_goals', ' list_goals lists them.');

it.each<[string, string, string, string]>([
  ['a sentence', text(listGoals), 'It failed. list_goals lists them.', 'It failed.'],
  ['a clause', `Gone${hint('list_goals', '; see list_goals')}.`, 'Gone; see list_goals.', 'Gone.'],
  ['what stands for it', hint('list_goals', 'From list_goals', 'An id'), 'From list_goals', 'An id'],
  ['a list, of which one is left', `From ${either('plan_export', 'list_goals')}`, 'From plan_export or list_goals', 'From plan_export'],
  ['one of a list, told by the other', either('list_goals', 'plan_export'), 'list_goals or plan_export', 'plan_export'],
  ['two that are needed together', text(hint(['plan_export', 'list_goals'], ' Both.')), 'It failed. Both.', 'It failed.'],
  ['a hint in a hint', text(hint('plan_export', ` Plan${listGoals}`)), 'It failed. Plan list_goals lists them.', 'It failed. Plan'],
  ['another way', hint('list_goals', 'list_goals', hint('find_objects', 'find_objects')), 'list_goals', 'find_objects'],
  ['words that only look alike', text(' The field list_goals.'), 'It failed. The field list_goals.', 'It failed. The field list_goals.'],
])('a text with hints shows or drops %s', (_, given, whole, without) => {
  expect(shownHints(given)).toBe(whole);
  expect(shownHints(given, new Set(['list_goals']))).toBe(without);
});

it('a text with hints drops hints at both of two tools', () => {
  expect(shownHints(either('plan_export', 'list_goals'), new Set(['list_goals', 'plan_export']))).toBe('');
});

it('a text with hints ends where the text was cut in a hint', () => {
  expect(shownHints(text(listGoals).slice(0, 26), new Set(['plan_export']))).toMatch(/^It failed\.[ a-z_]*$/);
});

it('a text with hints cannot be written from outside', () => {
  expect(shownHints(visibleText(listGoals), new Set(['list_goals']))).toContain('list_goals');
});

it.each<[string, string, string]>([
  ['name it', hint('plan_export', 'plan_export {"fields":["a"]} plans it.'), 'plan_export {"fields":["a"],"projectId":"7"} plans it.'],
  [
    'all of them',
    hint('list_goals', 'list_goals {"a":{"b":"}"}}, list_goals {"c":1}'),
    'list_goals {"a":{"b":"}"},"projectId":"7"}, list_goals {"c":1,"projectId":"7"}',
  ],
  [
    'in a hint in a hint',
    hint('plan_export', `Plan${hint('list_goals', ' list_goals {"a":1}')}`),
    'Plan list_goals {"a":1,"projectId":"7"}',
  ],
  ['once', hint('list_goals', 'list_goals {"projectId":"8"}'), 'list_goals {"projectId":"8"}'],
  ['not in words of others', 'list_goals {"a":1}', 'list_goals {"a":1}'],
  ['not where the text was cut', hint('list_goals', 'list_goals {"a":1').slice(0, -1), 'list_goals {"a":1'],
])('calls that a text prints for a project %s', (_, given, expected) => {
  expect(shownHints(given, undefined, 7)).toBe(expected);
});
