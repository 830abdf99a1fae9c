import { dayAfter } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { grouped } from '../../../lib/grouped.ts';
import { factorsOf } from '../change-cost.ts';
import { levelText } from '../compare/comparison-words.ts';
import { changeDays, costOnDays, type MeasuredChange, measuredCostText } from '../compare/measured-change.ts';
import { dayPoints, kindOf } from '../compare/readings.ts';
import type { DatedChange } from '../engine/changes.ts';
import { LONGEST_EPISODE_DAYS } from '../engine/judge.ts';
import { changesSince, sizeOfDays } from '../engine/measure.ts';
import type { DailyPoint } from '../engine/series.ts';
import { nameOf, verbsOf } from '../metric-definitions.ts';
import { type ExpectedInput, keyOf, LEAST_LEVEL_DAYS } from './expected-lines.ts';

/** Probability of a change where nothing happened, over all series of a table. */
const ERROR = 0.01;
/** Changes that an answer tells. */
const MOST_TOLD = 3;
/** A change that began this many days before the first row is no longer news. */
const LATELY_DAYS = 56;

const areNear = (a: DatedChange, b: DatedChange) =>
  a.relative * b.relative > 0 && Math.abs(Date.parse(a.from) - Date.parse(b.from)) <= DAY_MS;

/** A change of a product on the days of the factor that made it, whether or not that was asked for: by itself a product ends by chance. */
function onDaysOfFactor(own: DatedChange, metric: string, pointsOf: (metric: string) => DailyPoint[], from: string): DatedChange {
  const [factor] = factorsOf(metric)
    .flatMap((name) => changesSince(kindOf(name), pointsOf(name), from, ERROR))
    .filter((change) => areNear(change, own))
    .toSorted((a, b) => a.pValue - b.pValue);
  const size = factor && sizeOfDays(kindOf(metric), pointsOf(metric), factor);
  if (!size || size.relative * own.relative <= 0) return own;
  const { relative, low, high } = size;
  return { ...factor, relative, low, high, pValue: own.pValue };
}

/** Lasting changes that begin on a day or later, in each selection and metric that was asked for, as every tool tells them. */
function changesFrom({ query, days, known }: ExpectedInput, from: string): MeasuredChange[] {
  const asked = query.metrics.filter((metric) => !query.bases.includes(metric));
  const selections = [...grouped(days, ({ selection }) => keyOf(selection)).values()];
  const most = ERROR / Math.max(1, asked.length * selections.length);
  const found = selections.flatMap((rows) => {
    const ofDays = rows.map((row) => ({ ...row, known }));
    const pointsOf = (metric: string) => dayPoints(ofDays, metric);
    const device = rows[0]?.selection.device ?? 'all';
    return asked.flatMap((metric) =>
      changesSince(kindOf(metric), pointsOf(metric), from, most).map((own) => {
        const change = onDaysOfFactor(own, metric, pointsOf, from);
        return { metric, device, change, cost: costOnDays(metric, rows, change) };
      }),
    );
  });
  // What lasted for longer and is over was a level between two changes, and is no story of these rows.
  const lasting = found.filter(({ change }) => change.to === undefined || change.days <= LONGEST_EPISODE_DAYS);
  return lasting.filter((own) => !lasting.some((other) => isMadeBy(own, other))).toSorted((a, b) => a.change.pValue - b.change.pValue);
}

/** Whether a product changed on the day on which one of its factors did, whose cost in it is told. */
function isMadeBy(own: MeasuredChange, other: MeasuredChange): boolean {
  const isFactor = own.metric !== other.metric && own.device === other.device && factorsOf(own.metric).includes(other.metric);
  return isFactor && areNear(own.change, other.change);
}

/** The clearest changes that begin among the rows, of which `from` is the first day, and those shortly before that they lie in whole. */
export function changesAround(input: ExpectedInput, from: string): { among: MeasuredChange[]; before: MeasuredChange[] } {
  const lately = dayAfter(from, -LATELY_DAYS);
  const isBefore = ({ change }: MeasuredChange) => change.from < from && change.to === undefined;
  return {
    among: changesFrom(input, from).slice(0, MOST_TOLD),
    before: changesFrom(input, lately).filter(isBefore).slice(0, MOST_TOLD),
  };
}

/** A sentence for each change before the rows, of which `first` is the first day: a level of some days is not usual yet. */
export function levelSentence(before: readonly MeasuredChange[], first: string): string {
  return before
    .map(({ metric, device, change }) => {
      const where = device === 'all' ? '' : ` (${device})`;
      const level = `${nameOf(metric)}${where} ${verbsOf(metric).is} ${levelText(change)} ${changeDays(change)}`;
      const isUsual = dayAfter(change.from, LEAST_LEVEL_DAYS) < first;
      return `${level}, before these rows: its expectation is that of ${isUsual ? 'this level' : 'the days before'}.`;
    })
    .join(' ');
}

/** A sentence for each change: `Conversion rate (mobile) is 31% lower (27.3% to 34.5%) since 2026-09-25: about -48,058 EUR of revenue …` */
export function changesSentence(changes: readonly MeasuredChange[], currency: string | undefined): string {
  return changes
    .map((measured) => {
      const { metric, device, change } = measured;
      const where = device === 'all' ? '' : ` (${device})`;
      const cost = measuredCostText(measured, currency);
      const verb = change.to === undefined ? 'is' : 'was';
      return `${nameOf(metric)}${where} ${verb} ${levelText(change)} ${changeDays(change)}${cost === '' ? '' : `: ${cost}`}.`;
    })
    .join(' ');
}
