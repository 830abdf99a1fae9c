import { dayAfter } from '../../lib/calendar.ts';
import { grouped } from '../../lib/grouped.ts';
import type { KnownDays } from '../calendar/known-days.ts';
import { atItsPlace, isWithin } from '../change-places.ts';
import { LAST } from '../engine/scan.ts';
import { factorsOf } from '../metric-names.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { askedOf } from '../read/metric-query.ts';
import { changesOf, ERROR, keyOf, measuredOn } from '../site-changes.ts';
import type { ExpectedInput, FoundChange, QueryVisits } from './expected-lines.ts';

/** A change that began this many days before the first row is no longer news. */
const LATELY_DAYS = 56;

/** The days of each selection. */
function visitsOf(days: readonly MetricRow[], known: KnownDays): QueryVisits[] {
  return [...grouped(days, ({ selection }) => keyOf(selection)).values()].flatMap((rows) => {
    const [row] = rows;
    const own = rows.map((each) => ({ ...each, known }));
    return row ? [{ ...row.selection, isOfOtherGoal: row.isOfOtherGoal, known: own }] : [];
  });
}

/** Each change once, the clearest first. */
function once(changes: readonly FoundChange[]): FoundChange[] {
  const idOf = ({ reading, metric, change: { from, to = '' } }: FoundChange) => [keyOf(reading), metric, from, to].join(' ');
  return [...new Map(changes.map((change) => [idOf(change), change])).values()].toSorted((a, b) => a.change.pValue - b.change.pValue);
}

/**
 * Changes that begin on a day or later, unusual days among them, in each selection and metric that was asked for, as every tool tells
 * them. Where days after the rows are known, `last` is the last day of these.
 */
export function changesFrom({ query, days, known }: ExpectedInput, from: string, last = '9'): FoundChange[] {
  const asked = askedOf(query);
  const selections = visitsOf(days, known);
  const searched = new Set(asked.flatMap((metric) => [metric, ...factorsOf(metric)]));
  const most = ERROR / Math.max(1, searched.size * selections.length);
  const found = selections.flatMap((reading) => asked.flatMap((metric) => changesOf(reading, metric, from, most)));
  return once(found.filter(({ change }) => change.from <= last));
}

/** Changes that began shortly before some rows, of which `first` is the first day. */
export const changesBefore = (input: ExpectedInput, first: string): FoundChange[] =>
  changesFrom(input, dayAfter(first, -LATELY_DAYS)).filter(({ change }) => change.from < first);

/** Changes that are not over on the first day of some rows. */
export const notOver = (changes: readonly FoundChange[], first: string) => changes.filter(({ change: { to = LAST } }) => to >= first);

/** Changes where they happened, each once, with what they cost there. */
export function atTheirPlaces(changes: readonly FoundChange[], days: readonly MetricRow[], knownDays: KnownDays): FoundChange[] {
  const all = visitsOf(days, knownDays);
  return once(
    changes.map((own) => ({ ...own, ...atItsPlace(own, { all, shown: changes.filter(({ metric }) => metric === own.metric) }) })),
  );
}

/** Changes as the selections of some days show them: one of a part of these by what it made of them. */
export function inSelections(changes: readonly FoundChange[], { days, known }: Pick<ExpectedInput, 'days' | 'known'>): FoundChange[] {
  const selections = visitsOf(days, known);
  const seen = changes.flatMap((own) => {
    if (selections.some((each) => keyOf(each) === keyOf(own.reading))) return [own];
    const reading = selections.find((each) => isWithin(own.reading, each));
    const there = reading && measuredOn({ ...own, reading });
    return there && there.change.relative * own.change.relative > 0 ? [there] : [];
  });
  return once(seen);
}
