import { markdownTable } from '../../../src/lib/text-table.ts';
import { median } from '../measure.ts';
import type { Outcome } from './claim.ts';
import { outcomeOfRow, type Row } from './row.ts';
import type { WorldOf } from './world.ts';

const callOf = ({ tool, args, calls }: Row) =>
  `\`${tool}\` \`${JSON.stringify(args)}\`${calls > 1 ? ` and ${calls - 1} more with its cursor` : ''}`;

/** Text that stands in a cell as it is read, without what Markdown would draw. */
const plain = (text: string) => text.replaceAll(/([\\*_<>[\]~])/g, '\\$1').replaceAll('`', "'");

const OUTCOMES = { yes: 'yes', words: '**only in words**', no: '**no**', '': 'no figure' } as const;

/** What was found, as far as the answer lacks it, else the first of it. */
function truthsOf({ judged }: Row): string {
  const lacking = judged.filter(({ outcome }) => outcome !== 'yes');
  const shown = (lacking.length > 0 ? lacking : judged)
    .slice(0, 3)
    .map(({ truth, outcome }) => `${outcome === 'words' ? 'only in words: ' : ''}${truth}`);
  const others = judged.length - shown.length;
  return (
    plain(shown.join('; ')) + (others > 0 ? `; ${others} more${lacking.length > 0 ? `, ${judged.length - lacking.length} held` : ''}` : '')
  );
}

function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['', 'question', 'call', 'first sentence', 'found apart', 'agree', 'tokens', 'ms'],
    rows.map((row) => [
      `${row.number}${row.call > 0 ? `.${row.call + 1}` : ''}`,
      row.call > 0 ? '' : plain(row.asked),
      callOf(row),
      row.first === '' ? '(begins with its table)' : plain(row.first),
      truthsOf(row),
      OUTCOMES[outcomeOfRow(row)],
      String(row.tokens),
      String(Math.round(row.processorMs ?? Number.NaN)),
    ]),
  );
}

function summary(rows: readonly Row[]): string {
  const judged = rows.flatMap((row) => row.judged);
  const count = (wanted: Outcome) => judged.filter(({ outcome }) => outcome === wanted).length;
  const tokens = rows.map((row) => row.tokens).toSorted((a, b) => a - b);
  const times = rows.flatMap(({ processorMs }) => processorMs ?? []);
  return (
    `${count('yes')} of ${judged.length} truths stand in the data, ${count('words')} only in words, ${count('no')} in neither; ` +
    `${rows.filter((row) => row.judged.length === 0).length} calls have no figure that could be found apart; ` +
    `${rows.reduce((sum, each) => sum + each.calls, 0)} calls, median ${tokens[Math.floor(tokens.length / 2)]} tokens, ` +
    `most ${tokens.at(-1)}; median ${Math.round(median(times))} ms of processor time.`
  );
}

/** Where the page is kept. */
export const PAGE = 'docs/evidence/answers.md';

/** The page that shows what was asked, said and found. */
export function documentOf(rows: readonly Row[], worlds: readonly WorldOf[]): string {
  const parts = worlds.map(({ name, seed, clock }) => {
    const own = rows.filter(({ world }) => world === name);
    const isDrawn = name === 'drawn';
    const shown = isDrawn ? own.filter((row) => !['yes', ''].includes(outcomeOfRow(row))) : own;
    const head = `### ${isDrawn ? 'A drawn world' : `World ${name}`}\n\nSeed ${seed}, from ${clock}. ${summary(own)}`;
    return `${head}${isDrawn ? ' Its rows that do not agree:' : ''}\n\n${tableOf(shown)}`;
  });
  return `# Are the answers true?

What users ask, asked of the built product over stdio, with the emulated platform in a process of its own; beside each answer what was \
found without the product: figures by plain requests to the platform and arithmetic in the bench, or what was planted in the world. \
Figures, days and places are looked for in the structured content (tables, rows, findings), never in sentences: in a record of the same \
place, as exactly as the figure is written there; what is estimated (the size and cost of a change) has the tolerance that stands behind \
it: three standard errors of the counts, six points of the percent of a slow-down. A truth that only the text tells is \
"only in words". A row that does not agree is a fault of the answer or of its data, and stays here until it is mended. The first \
sentence stands here for reading; "ms" is processor time of the \
product's process for the call.

Written by \`npm run bench -- answers -u\`; \`npm run bench -- answers\` compares a build with the last results \
(\`test/bench/answers/last.json\`), names each row that got worse (farther from the truth, more calls, over 10 % more tokens) and ends \
with 1 then. Beside the two worlds that stay it asks one that is drawn anew at each run; \`--seed\` repeats it.

The exports of the last days are downloaded before the first question. Names in braces are dates of the world.

## What was asked

${parts.join('\n\n')}

How often verdicts are wrong, and what they find: [metrics](statistics-figures.md) · \
[speed](../speed-statistics.md) · [impact](../impact-statistics.md).

---

[README](../../README.md) · [All documents](../README.md) · [Finding tools](finding-tools.md)
`;
}
