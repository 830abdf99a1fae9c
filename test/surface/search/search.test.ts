import { describe, expect, it } from 'vitest';
import { toolsets } from '../../../tools/index.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { markdownTable } from '../../../src/lib/text-table.ts';
import { listTools } from '../../../src/tooling/schema.ts';
import { LOADED, searchOver } from './bm25.ts';
import { questions, type SearchQuestion } from './questions.ts';
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

const typedOf = tenth.map(([asked, , ...right]) => ({ asked, tools: right }));
const searchedOf = tenth.map(([, asked, ...right]) => ({ asked, tools: right }));
const [own, typed, searched] = [questions, typedOf, searchedOf].map((asked) => asked.map((question) => find(question))) as [
  Found[],
  Found[],
  Found[],
];

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
| the tenth set, as people type them | ${words(typed)} | ${hinted(typedOf)} |
| the tenth set, as a model searches | ${words(searched)} | ${hinted(searchedOf)} |

Nine sets before this one, and some 1,200 paraphrases beside them, are what descriptions were worded with. Where a set was run before any \
wording for it, 78.1 % (typed) and 92.2 % (searched) of the second were found, 66.0 % and 80.0 % of the third, 60.0 % and 81.7 % of the \
fourth, 80.0 % and 80.0 % of the fifth, 91.7 % and 93.3 % of the sixth, 86.7 % and 91.7 % of the seventh, 86.7 % and 98.3 % of the \
eighth, 83.3 % and 93.3 % of the ninth. The tenth is unseen: its writer knew what the \
server can do and had seen none of its texts; after it ran a few words of five texts were changed for their length and for readers, which \
changed none of its figures. Questions about single pages count where \`query_export\` is \
found: the metrics of the platform know no pages.

What draws a long question to the wrong tool are mostly words that say nothing (the, is, our, it): one that few texts hold weighs much. So \
tools that only hand something over are described in noun phrases, without them, and those that answer in questions, which share them, so \
that none weighs much.

## Our own questions

${table(own)}

## The tenth set

${table(typed)}

As a model searches:

${table(searched)}

---

[README](../../README.md) · [All documents](../README.md) · [Tools](../tools.md)
`;

describe('a host that searches', () => {
  it('asks enough questions, none of them twice', () => {
    expect(questions.length).toBeGreaterThanOrEqual(80);
    expect(tenth.length).toBeGreaterThanOrEqual(50);
    const asked = [...questions, ...typedOf].map((question) => question.asked.toLowerCase());
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('finds the tool among the first five', () => {
    expect(shareOf(own), words(own)).toBeGreaterThanOrEqual(0.97);
    expect(shareOf(typed), words(typed)).toBeGreaterThanOrEqual(0.85);
    expect(shareOf(searched), words(searched)).toBeGreaterThanOrEqual(0.95);
  });

  it('is written up in docs/evidence/finding-tools.md', async () => {
    await expect(page).toMatchFileSnapshot('../../../docs/evidence/finding-tools.md');
  });

  it('meets descriptions that people can read: no word is repeated to be found', () => {
    const stuffed = tools.flatMap(({ name, description }) => {
      const counts = new Map<string, number>();
      for (const word of description.toLowerCase().match(/[a-z]{4,}/g) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
      return [...counts].filter(([, count]) => count > 3).map(([word]) => `${name}: ${word}`);
    });
    expect(stuffed).toEqual([]);
  });
});
