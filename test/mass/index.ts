// npm run mass: how much code there is beside what there may be. With -u what landed is lowered to it, never raised: who needs more says so
// by an edit of landed.json, which a reader of the change sees.
import { writeFileSync } from 'node:fs';
import { formatNumber } from '../../src/lib/number-text.ts';
import { textOf } from '../support/sources.ts';
import budgets from './budgets.json' with { type: 'json' };
import { measureMass } from './measure.ts';

const LANDED = 'test/mass/landed.json';
const landed = JSON.parse(textOf(LANDED));
const { rooms, product, test } = measureMass();

const count = (value: number) => formatNumber(value, { group: true });
const totals = [
  {
    ...product,
    name: 'src and tools',
    lineBudget: rooms.reduce((sum, { lineBudget }) => sum + lineBudget, 0),
    tokenBudget: budgets.productTokens,
  },
  { ...test, name: 'test', lineBudget: budgets.testLines, tokenBudget: budgets.testTokens },
];
console.table(
  Object.fromEntries(
    [...rooms, ...totals].map(({ name, files, lines, lineBudget, tokens, tokenBudget }) => [
      name,
      {
        files,
        lines,
        'lines then': lineBudget,
        tokens,
        'tokens then': tokenBudget,
        'too many': Math.max(0, tokens - tokenBudget),
      },
    ]),
  ),
);

const raised = [
  ...(product.tokens > landed.product ? [`src and tools hold ${count(product.tokens)} tokens, ${count(landed.product)} landed`] : []),
  ...(test.tokens > landed.test ? [`test holds ${count(test.tokens)} tokens, ${count(landed.test)} landed`] : []),
];
for (const words of raised) console.error(`${words}: -u only lowers; a rise is an edit of ${LANDED}.`);
if (process.argv.includes('-u')) {
  const lowered = { product: Math.min(product.tokens, landed.product), test: Math.min(test.tokens, landed.test) };
  writeFileSync(LANDED, `${JSON.stringify(lowered, null, 2)}\n`);
}
process.exitCode = raised.length > 0 ? 1 : 0;
