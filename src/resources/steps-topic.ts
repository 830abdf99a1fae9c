import { MANY_SIBLINGS } from '../domain/journeys/page-groups.ts';
import { hint } from '../lib/hint.ts';
import { markdownTable } from '../lib/text-table.ts';

const FORMS = [
  ['`/cart`', 'that path; host, query and fragment are no part of it, capital letters are'],
  ['`/p/*`', 'a path in which `*` stands for any characters, `/` among them, or none: `/p/12`, `/p/12/reviews`'],
  ['`event:add_to_cart`', 'an app event of that name; `*` works here too'],
  ['`purchase`', 'a session with a transaction; the files do not say when in the session, so it can only be the last step'],
  ['`/cart | /basket`', 'one of several, each in any form above; spaces around the bar'],
  ['`entry`', 'where paths begin, and there alone: the first page of the session'],
] as const;

const COUNTED = [
  ['a session', 'lies on the day (UTC) on which it began, with all its views, also those after midnight'],
  ['a page loaded again right after itself', 'is one page'],
  ['a step', 'is done once, the first time that it comes after the step before; `order: direct` asks for the very next page'],
  ['a visitor', 'is a browser or device; with `within: visitor` the steps lie within `withinDays` of the first, over several sessions'],
  ['a visitor whose window is not over', 'is left out and counted as `immature`'],
  ['a day that one of the needed files lacks', 'is left out, named, and its rows are counted'],
  ['an automated session', 'counts, as in the metrics, and the share is named; `automated: exclude` leaves them out'],
] as const;

/** The reference page about steps: how they are written, and what the tools over visits count. */
export function writeSteps(): string {
  return [
    'A step is a text. It takes part in the steps of a funnel, in where paths begin, in filters by entry page and in outcomes.',
    markdownTable(['step', 'is fulfilled by'], FORMS),
    'A step that nothing in the files fulfils is an error that names the closest pages or events with their counts.',
    '## What is counted',
    markdownTable(['what', 'how'], COUNTED),
    '## Names of pages in answers',
    `Siblings from ${MANY_SIBLINGS} on are a list, such as products: \`/p/*\`. One that has a tenth of the views of all keeps its own ` +
      'name, and so does a word without a digit that has a fiftieth.' +
      hint('query_export', ' Any other grouping: query_export.'),
  ].join('\n\n');
}
