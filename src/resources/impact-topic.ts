import { conditionKinds, FRUSTRATION_SCORES, SLOW_SECONDS } from '../domain/journeys/impact/conditions.ts';
import { markdownTable } from '../lib/text-table.ts';
import { FALSE_DISCOVERY_RATES } from '../statistics/discoveries.ts';

type Kind = (typeof conditionKinds)[number];

const KINDS: Readonly<Record<Kind, readonly [members: string, words: string]>> = {
  slow_page: [
    'pages, overSeconds',
    `loading (fully_loaded) longer than overSeconds; left out: the least of ${SLOW_SECONDS.join(', ')} s that at most a fifth of the ` +
      'views of the page exceed',
  ],
  js_error: [
    'pages, message',
    'a JavaScript error, each text for itself; message is a part of it, `*` stands for any characters. Texts that differ in numbers ' +
      '(#) and addresses ({address}) alone are one',
  ],
  api_error: ['pages', 'a call of the page failed'],
  rage_click: ['pages', 'any element was clicked in rage'],
  frustration: [
    'pages, over',
    `a frustration score of at least over; left out: the least of ${FRUSTRATION_SCORES.join(', ')} that at most a fifth of the views reach`,
  ],
  page: ['pages', 'the visitor goes to this page next; the choice of visitors, so the difference is no effect of the page'],
  variable: [
    'name, value',
    'variants of a test, from a custom or dynamic variable: each value against the one called control, original, a, else the first by name',
  ],
};

const VERDICTS = [
  [
    'lowers, raises',
    `the difference stands out at a false discovery rate of ${100 * FALSE_DISCOVERY_RATES.conditions} % over all that was looked at ` +
      '(losses and gains apart), and other findings do not explain it',
  ],
  ['within noise', 'no effect beyond chance, or none of its own: the same sessions met a clearer condition'],
  ['too few', 'fewer than 20 sessions, or fewer than 5 conversions to be expected without the condition: numbers without a verdict'],
  [
    'no fair comparison',
    'fewer than half of the sessions have others like them, more is bought or fewer visits end where there is trouble, which is hardly ' +
      'its doing, or visitors of a test split otherwise than planned',
  ],
] as const;

/** The reference page about `measure_impact`: what it compares, and how to read its figures. */
export function writeImpact(): string {
  const kinds = conditionKinds.map((kind) => [kind, ...KINDS[kind]]);
  return [
    'measure_impact compares sessions in which a condition held at their **first view of a page** with sessions whose first view of ' +
      'the same page was without it and which were alike until then: device, visitor type, usual or rare browser version, source, ' +
      'number of the view. The outcome is what came after. A long visit, which meets more of everything, is never held against a ' +
      'short one.',
    '## Conditions',
    markdownTable(['what', 'takes', 'holds where'], kinds),
    '## Verdicts',
    markdownTable(['verdict', 'meaning'], VERDICTS),
    '## Figures',
    '`withPercent`: share of the outcome among the sessions with it; `withoutPercent`: what the same sessions would have had without ' +
      'it. `lost…`: over the days, of the comparable sessions, with a 95 % interval; negative where more was sold. `plainPoints`: all ' +
      'sessions with it at that view less all without, which is what a plain comparison says. Costs of several rows do not add up where ' +
      'the same sessions met both and neither explains the other. What the files do not know stays unknown: the list is a rank, no proof.',
  ].join('\n\n');
}
