import { expect, it } from 'vitest';
import { toolsets } from '../../../tools/index.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { markdownTable } from '../../../src/lib/text-table.ts';
import { listTools } from '../../../src/tooling/schema.ts';
import { LOADED, searchOver } from './bm25.ts';
import { ninth } from './ninth.ts';
import { questions, type SearchedQuestion, type SearchQuestion } from './questions.ts';
import { tenth } from './tenth.ts';

const tools = listTools(toolsets).map((tool) => ({ ...tool, description: shownHints(tool.description) }));
const search = searchOver(tools);
/** As a host that indexes the hints too. */
const searchHints = searchOver(
  tools.map((tool) => ({ ...tool, description: `${tool.description} ${String(tool._meta?.['anthropic/searchHint'] ?? '')}` })),
);

interface Found extends SearchQuestion {
  readonly first: readonly string[];
  /** The place of the first right tool from 1; 0 where it shares no word with the question. */
  readonly place: number;
}

function find({ asked, tools: right }: SearchQuestion, by = search): Found {
  const order = by(asked);
  return { asked, tools: right, first: order.slice(0, LOADED), place: order.findIndex((name) => right.some((each) => each === name)) + 1 };
}

/** What is found where hints are indexed too. */
const hinted = (asked: readonly SearchQuestion[]) => words(asked.map((question) => find(question, searchHints)));

const isFound = ({ place }: Found) => place > 0 && place <= LOADED;
const shareOf = (found: readonly Found[]) => found.filter(isFound).length / found.length;
const words = (found: readonly Found[]) => `${found.filter(isFound).length} of ${found.length} (${(100 * shareOf(found)).toFixed(1)} %)`;

/** A set of questions that somebody wrote, with the least share that is to be found. */
interface QuestionSet {
  readonly name: string;
  readonly asked: readonly SearchedQuestion[];
  readonly bounds: { readonly typed: number; readonly searched: number };
}

const sets: readonly QuestionSet[] = [
  { name: 'ninth', asked: ninth, bounds: { typed: 0.85, searched: 0.95 } },
  { name: 'tenth', asked: tenth, bounds: { typed: 0.85, searched: 0.95 } },
];
const asTyped = (set: readonly SearchedQuestion[]) => set.map(([asked, , ...right]) => ({ asked, tools: right }));
const asSearched = (set: readonly SearchedQuestion[]) => set.map(([, asked, ...right]) => ({ asked, tools: right }));

const own = questions.map((question) => find(question));
const found = sets.map(({ asked, ...set }) => ({
  ...set,
  asked,
  typed: asTyped(asked).map((question) => find(question)),
  searched: asSearched(asked).map((question) => find(question)),
}));
const everything = [...own, ...found.flatMap(({ typed, searched }) => [...typed, ...searched])];

/** Tools that stand before the right one, with how often. */
function rivals(): string {
  const before = new Map<string, Map<string, number>>();
  for (const { tools: right, first, place } of everything) {
    const target = right[0];
    if (target === undefined) continue;
    const own = before.get(target) ?? new Map<string, number>();
    const end = place === 0 ? first.length : Math.min(place - 1, first.length);
    for (const name of first.slice(0, end)) own.set(name, (own.get(name) ?? 0) + 1);
    before.set(target, own);
  }
  const rows = tools
    .map(({ name }) => name)
    .filter((name) => before.has(name))
    .map((name) => {
      const its = everything.filter(({ tools: right }) => right[0] === name);
      const others = [...(before.get(name) ?? [])].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 4);
      return [
        `\`${name}\``,
        `${its.filter(isFound).length} of ${its.length}`,
        others.map(([other, count]) => `\`${other}\` ${count}`).join(', '),
      ];
    });
  return markdownTable(['tool', 'found', 'before it, how often'], rows);
}

const table = (found: readonly Found[]) =>
  markdownTable(
    ['question', 'place', 'first three'],
    found.map(({ asked, place, first }) => [
      asked,
      place === 0 ? 'not found' : String(place),
      first
        .slice(0, 3)
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
  );

const page = `# Finding tools

Hosts with many tools connected search them, and load the first few that fit. This is such a search without a model: BM25 over tool \
names, descriptions, argument names and argument descriptions, words as they are written, no stems, no synonyms; in the last column with \
the search hints that some hosts index too. A question counts where a tool that answers it is among the first ${LOADED} of \
${tools.length}. Written by \`npx vitest run --config test/vitest.config.ts test/surface/search -u\`.

| questions | found | with search hints |
| --- | --- | --- |
| our own, as people type them | ${words(own)} | ${hinted(questions)} |
${found
  .map(
    ({ name, asked, typed, searched }) =>
      `| the ${name} set, as people type them | ${words(typed)} | ${hinted(asTyped(asked))} |\n` +
      `| the ${name} set, as a model searches | ${words(searched)} | ${hinted(asSearched(asked))} |`,
  )
  .join('\n')}

Eight sets before these, and some 1,200 paraphrases beside them, are what descriptions were worded with. Where a set was run before any \
wording for it, 78.1 % (typed) and 92.2 % (searched) of the second were found, 66.0 % and 80.0 % of the third, 60.0 % and 81.7 % of the \
fourth, 80.0 % and 80.0 % of the fifth, 91.7 % and 93.3 % of the sixth, 86.7 % and 91.7 % of the seventh, 86.7 % and 98.3 % of the \
eighth, 83.3 % and 93.3 % of the ninth; after these two some three words were changed. The tenth is unseen: its writer knew what the \
server can do and had seen none of its texts; after it ran a few words of five texts were changed for their length and for readers, which \
changed none of its figures. Questions about single pages count where \`query_export\` is \
found: the metrics of the platform know no pages.

What draws a long question to the wrong tool are mostly words that say nothing (the, is, our, it): one that few texts hold weighs much. So \
tools that only hand something over are described in noun phrases, without them, and those that answer in questions, which share them, so \
that none weighs much.

## Tools that compete

Which tools a search puts before the one that answers, over all questions of all sets (the first tool that is right counts).

${rivals()}

## Our own questions

${table(own)}

${found
  .map(({ name, typed, searched }) => `## The ${name} set\n\n${table(typed)}\n\nAs a model searches:\n\n${table(searched)}\n`)
  .join('\n')}
---

[README](../../README.md) · [All documents](../README.md) · [Tools](../tools.md)
`;

it('a host that searches asks enough questions, none of them twice', () => {
    expect(questions.length).toBeGreaterThanOrEqual(80);
    expect(sets.every(({ asked }) => asked.length >= 50)).toBe(true);
    const asked = [...questions, ...sets.flatMap((set) => asTyped(set.asked))].map((question) => question.asked.toLowerCase());
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('a host that searches finds the tool among the first five', () => {
    expect(shareOf(own), words(own)).toBeGreaterThanOrEqual(0.97);
    for (const { typed, searched, bounds } of found) {
      expect(shareOf(typed), words(typed)).toBeGreaterThanOrEqual(bounds.typed);
      expect(shareOf(searched), words(searched)).toBeGreaterThanOrEqual(bounds.searched);
    }
  });

  it('a host that searches is written up in docs/evidence/finding-tools.md', async () => {
    await expect(page).toMatchFileSnapshot('../../../docs/evidence/finding-tools.md');
  });

  it('a host that searches meets descriptions that people can read: no word is repeated to be found', () => {
    const stuffed = tools.flatMap(({ name, description }) => {
      const counts = new Map<string, number>();
      for (const word of description.toLowerCase().match(/[a-z]{4,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
      return [...counts].filter(([, count]) => count > 3).map(([word]) => `${name}: ${word}`);
    });
    expect(stuffed).toEqual([]);
  });
