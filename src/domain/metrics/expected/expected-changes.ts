import { grouped } from '../../../lib/grouped.ts';
import { levelText } from '../compare/comparison-words.ts';
import { changeDays, costOnDays, type MeasuredChange, measuredCostText } from '../compare/measured-change.ts';
import { dayPoints, kindOf } from '../compare/readings.ts';
import { changesSince } from '../engine/measure.ts';
import { nameOf } from '../metric-definitions.ts';
import { type ExpectedInput, keyOf } from './expected-lines.ts';

/** Probability of a change where nothing happened, over all series of a table. */
const ERROR = 0.01;
/** Changes that an answer tells. */
const MOST_TOLD = 3;

/** Lasting changes that begin on a day or later, in each selection and metric that was asked for, as every tool tells them. */
export function changesAmong({ query, days, known }: ExpectedInput, from: string): MeasuredChange[] {
  const asked = query.metrics.filter((metric) => !query.bases.includes(metric));
  const selections = [...grouped(days, ({ selection }) => keyOf(selection)).values()];
  const most = ERROR / Math.max(1, asked.length * selections.length);
  const found = selections.flatMap((rows) =>
    asked.flatMap((metric) => {
      const points = dayPoints(
        rows.map((row) => ({ ...row, known })),
        metric,
      );
      const device = rows[0]?.selection.device ?? 'all';
      const changes = changesSince(kindOf(metric), points, from, most);
      return changes.map((change) => ({ metric, device, change, cost: costOnDays(metric, rows, change) }));
    }),
  );
  return found.toSorted((a, b) => a.change.pValue - b.change.pValue).slice(0, MOST_TOLD);
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
