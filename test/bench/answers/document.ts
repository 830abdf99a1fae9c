import { markdownTable } from '../../../src/lib/text-table.ts';
import { searchFigures, verdictFigures } from './published-figures.ts';
import type { Row } from './row.ts';
import type { WorldOf } from './world.ts';

const callOf = ({ tool, args, calls }: Row) =>
  `\`${tool}\` \`${JSON.stringify(args)}\`${calls > 1 ? ` and ${calls - 1} more with its cursor` : ''}`;

/** Text that stands in a cell as it is read, without what Markdown would draw. */
const plain = (text: string) => text.replaceAll(/([\\*_<>[\]~])/g, '\\$1').replaceAll('`', "'");

function agreement({ agrees, lacks }: Row): string {
  if (agrees === 'no') return `**no**: ${plain(lacks.join('; '))}`;
  return agrees === '' ? 'no figure' : agrees;
}

function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['', 'question', 'call', 'first sentence', 'found apart', 'agree', 'tokens'],
    rows.map((row) => [
      `${row.number}${row.call > 0 ? `.${row.call + 1}` : ''}`,
      row.call > 0 ? '' : plain(row.asked),
      callOf(row),
      row.first === '' ? '(begins with its table)' : plain(row.first),
      plain(row.truth),
      agreement(row),
      String(row.tokens),
    ]),
  );
}

function summary(rows: readonly Row[], world: string): string {
  const own = rows.filter((row) => row.world === world);
  const judged = own.filter(({ agrees }) => agrees !== '');
  const right = judged.filter(({ agrees }) => agrees === 'yes').length;
  const tokens = own.map((row) => row.tokens).toSorted((a, b) => a - b);
  const calls = own.reduce((sum, each) => sum + each.calls, 0);
  return (
    `${right} of ${judged.length} calls agree; ${own.length - judged.length} have no figure that could be found apart; ` +
    `${calls} calls, median ${tokens[Math.floor(tokens.length / 2)]} tokens, most ${tokens.at(-1)}.`
  );
}

/** The page that shows what was asked, said and found. */
export function documentOf(rows: readonly Row[], worlds: readonly WorldOf[]): string {
  const parts = worlds.map(
    ({ name, seed, clock }) =>
      `### World ${name}\n\nSeed ${seed}, from ${clock}. ${summary(rows, name)}\n\n${tableOf(rows.filter((row) => row.world === name))}`,
  );
  return `# Are the answers true?

What users ask, asked of the built product over stdio, with the emulated platform in a process of its own; beside each answer what was \
found without the product: figures by plain requests to the platform and arithmetic in the bench, or what was planted in the world. \
Written by \`npm run bench -- answers -u\`; \`npm run bench -- answers\` compares a build with the last results \
(\`test/bench/answers/last.json\`), names each row that got worse (wrong where it was right, more calls, over 10 % more tokens) and ends \
with 1 then. "Found apart" looks at the sentences before the table where a figure is one of theirs, else at the whole answer, and takes \
a figure for said where it stands there as exactly as it is written. A row that does not agree is a fault of the answer, of its first \
day or of its range, and stays here until it is mended.

The exports of the last days are downloaded before the first question. Names in braces are dates of the world.

## What was asked

${parts.join('\n\n')}

## How often verdicts are wrong, and what they find

From the pages and with the commands that are named; nothing here was measured anew. No bench fills an empty cell.

${verdictFigures()}

## Whether a host finds the tool

${searchFigures()}

---

[README](../README.md) · [All documents](README.md) · [Finding tools](finding-tools.md)
`;
}
