/** @module-tag nightly */
import { expect, it } from 'vitest';
import { questions } from '../../src/commands/demo/demo.ts';
import { printedBy } from '../support/printed.ts';
import { freshBundle } from '../support/stdio.ts';

it('the demo prints an answer under every question and every call', async () => {
  await freshBundle();
  const printed = await printedBy('dist', ['demo', '--clock', '2026-11-20T10:00:00Z'], {});
  expect(printed.match(/^\d+\. .+$/gm)).toHaveLength(questions.length);
  expect(printed).toContain(`${questions.length} questions, 15 tool calls`);
  const unanswered = [...printed.matchAll(/→ (\w+) \{.*\n\s*\n/g)].map(([, tool]) => tool);
  expect(unanswered).toEqual([]);
});
