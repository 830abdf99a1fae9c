import { describe, expect, it } from 'vitest';
import { holdsNearly, isNearly, matchName } from '../../src/names/match-name.ts';

it.each([
  ['paid search', 'paid serach', true],
  ['returning visitors', 'returnin visitor', true],
  ['germany', 'germny', true],
  ['checkout - mobile', 'chekout mobile', true],
  ['germany', 'norway', false],
  // A letter that tells two things apart is no mistake.
  ['variant a', 'variant b', false],
  ['weekly sessions 2026-11-09', 'weekly sessions 2026-11-16', false],
  ['men', 'mem', false],
  ['search', 'merch', false],
  ['buyers', 'non buyers', false],
])('%s is nearly %s: %s', (name, text, expected) => {
  expect([isNearly(name, text), isNearly(text, name)]).toEqual([expected, expected]);
});

it.each([
  ['nordlicht magazin', 'magazine', true],
  ['nordlicht app', 'app', true],
  ['non-buyers', 'buyers', false],
  ['visitors without orders', 'orders', false],
  ['nordlicht magazin', 'in', false],
  ['happy hours', 'app', false],
  ['anything', '', false],
])('%s holds nearly %s: %s', (name, text, expected) => {
  expect(holdsNearly(name, text)).toBe(expected);
});

describe('the close candidate of a name', () => {
  const named = (...names: string[]) => names.map((name, index) => ({ id: index + 1, path: ['Group', name] }));

  it('is the only one that is close', async () => {
    expect(await matchName('Dail sessions', named('Daily sessions', 'Daily sessions mobile', 'Hourly sessions'))).toMatchObject({
      close: { id: 1 },
    });
  });

  it('is none where several are equally close', async () => {
    expect(await matchName('Camapign', named('Campaign spring', 'Summer campaign'))).not.toHaveProperty('close');
    expect(await matchName('Chekout', named('Checkout', 'Chekouts'))).not.toHaveProperty('close');
  });

  it('is looked for within the containers that a path names', async () => {
    const zones = [
      { id: 1, path: ['Home', 'Header'] },
      { id: 2, path: ['Product', 'Header'] },
    ];
    expect(await matchName('Home / Heaedr', zones)).toMatchObject({ close: { id: 1 } });
    expect(await matchName('Heaedr', zones)).not.toHaveProperty('close');
  });
});

it.each(['<b>x</b>', '‹b>x‹/b>', '<B>X</B>'])('a name with a tag is found as it is written and as it is shown: %s', async (text) => {
  const named = { id: 7, path: ['<b>x</b>'] };
  expect(await matchName(text, [named, { id: 8, path: ['[a](b)'] }])).toEqual({ found: named });
});
