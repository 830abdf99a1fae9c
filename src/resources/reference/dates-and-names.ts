import { ACCEPTED_DATES } from '../../lib/date-grammar.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import { markdownTable } from '../../lib/text-table.ts';
import { listingTools } from '../../tooling/name-lists.ts';
import type { ResourceContext } from '../../tooling/resource.ts';

/** Writes one topic of the reference as Markdown, without its title. */
export type WriteTopic = (context: ResourceContext) => string | Promise<string>;

const EXAMPLES = ['yesterday', '-7d', '-3mo', 'last_week', 'this_month', 'last_quarter', '2026-11'];

/** The grammar of dates, resolved for today, and the rules by which names stand for ids. */
const writeDatesAndNames: WriteTopic = ({ session }) => {
  const { clock, timeZone } = session.options;
  const nowMs = clock.now();
  const at = (text: string, edge: 'start' | 'end') => resolveDate(text, { edge, timeZone, nowMs, allowFuture: edge === 'start' }).iso;
  const resolved = EXAMPLES.map((text) => [text, at(text, 'start'), at(text, 'end')]);
  return `## Dates

Accepted wherever a parameter is a date: ${ACCEPTED_DATES}.

Time zone ${timeZone}, today ${todayIn(timeZone, nowMs)}. Weeks begin on Monday; -7d is the calendar day seven days ago; months are clipped to their length. A day, week, month, quarter or year is its first instant as a start and its last millisecond as an end (in exports the next midnight, so that ranges meet). An end in the future is cut to now, and noted.

${markdownTable(['text', 'as a start', 'as an end'], resolved)}

## Names

Where a parameter takes an id it also takes a name; case and accents do not matter. An exact name is used, else the only name that begins so; the answer notes what was taken. Several matches, or none, are an error that lists candidates: nothing is guessed. A number is always an id.

${markdownTable(['kind', 'listed by'], Object.entries(listingTools))}

zoneId takes a path, "Home / Header / Search bar" (page group / zoning / zone, also with the mapping before it); a step may be left out where the rest is unique. Other parameters named …Id of exports and reports (stepResultId, runId) take ids only.`;
};
export default writeDatesAndNames;
