import { expect, it } from 'vitest';
import { textOf } from '../../support/sources.ts';
import last from './last.json' with { type: 'json' };
import { questions } from './questions.ts';

const page = textOf('docs/answers.md');
const worlds = [...new Set(Object.keys(last).map((key) => key.split(' ')[0] ?? ''))];
const partOf = (world: string) => page.split(/^### World /m).find((part) => part.startsWith(world)) ?? '';

it('are asked in two worlds', () => {
  expect(worlds).toEqual(['A', 'B']);
});

it.each(worlds)('of world %s have a row for each call of each question, in the page as in what later builds are held against', (world) => {
  const rows = questions.flatMap(({ number, calls }) =>
    calls.map((_, index) => ({ cell: `| ${number}${index > 0 ? `.${index + 1}` : ''} |`, key: `${world} ${number}.${index + 1} ` })),
  );
  expect(rows.filter(({ cell }) => !partOf(world).includes(`\n${cell}`)).map(({ cell }) => cell)).toEqual([]);
  expect(rows.filter(({ key }) => !Object.keys(last).some((each) => each.startsWith(key))).map(({ key }) => key)).toEqual([]);
});

it.each(worlds)('of world %s that do not agree stand in the page as such', (world) => {
  const wrong = Object.entries(last).filter(([key, { agrees }]) => key.startsWith(`${world} `) && agrees === 'no');
  expect(partOf(world).match(/\*\*no\*\*/g) ?? []).toHaveLength(wrong.length);
});

it('have a truth found apart for most calls', () => {
  const judged = Object.values(last).filter(({ agrees }) => agrees !== '');
  expect(judged.length).toBeGreaterThan(0.85 * Object.keys(last).length);
});
