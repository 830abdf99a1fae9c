import { coverageOf, EVER } from '../exports/coverage.ts';
import { type HoldingRun, heldIn } from '../exports/query/data-view.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { daysIn, intersect } from '../lib/intervals.ts';
import { daysWords } from './covered-days.ts';
import type { VisitScope } from './visit-relation.ts';
import { KEYS, SCOPES } from './with-visits.ts';

type Fields = Readonly<Partial<Record<VisitScope, readonly string[]>>>;

/** The least that each tool reads, beside the keys; some questions read more, such as a funnel to a purchase. */
const LEAST = [
  // The two of the preset core first: where one of the others is offered, so are they.
  ['analyze_funnel', { views: [] }],
  ['measure_impact', { sessions: ['session_number_of_transactions'], views: [] }],
  ['analyze_paths', { views: [] }],
  ['analyze_retention', { sessions: ['session_number'] }],
] as const satisfies readonly (readonly [string, Fields])[];

/** What the files lack for a tool, or the days over which they suffice. */
function sentenceOf(runs: readonly HoldingRun[], least: Fields): string {
  const covers = SCOPES.flatMap((name) => {
    const own = least[name];
    if (!own) return [];
    const held = heldIn(runs, name);
    const fields = [...KEYS[name], ...own];
    const lacking = fields.filter((field) => held(field).length === 0).map((field) => `${name}.${field}`);
    return [{ have: coverageOf(EVER, fields, held).have, lacking: held().length > 0 ? lacking : [`all ${name}`] }];
  });
  const days = daysIn(covers.reduce((shared, { have }) => intersect(shared, have), EVER));
  if (days.size > 0) return `the files suffice over ${daysWords([...days].slice(-31)).join(', ')}.`;
  const lacking = covers.flatMap((each) => each.lacking);
  const why = lacking.length > 0 ? `lack ${lacking.join(', ')}` : 'cover no whole day (UTC) with all that it reads';
  return `the files ${why}; a call says what brings it.`;
}

/** Says for which of the tools over visits downloaded runs suffice, and over which days; nothing where nothing is downloaded. */
export function sufficiencyWords(runs: readonly HoldingRun[]): string[] {
  if (runs.length === 0) return [];
  const tools = LEAST.map(([tool, least]) => ({ tool, sentence: sentenceOf(runs, least) }));
  return [...grouped(tools, ({ sentence }) => sentence)].flatMap(([sentence, [first, ...others]]) => {
    if (!first) return [];
    return hint(first.tool, `${first.tool}${others.map(({ tool }) => hint(tool, `, ${tool}`)).join('')}: ${sentence}`);
  });
}
