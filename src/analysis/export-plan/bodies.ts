import type { InputOf } from '../../api/operation.ts';
import type { createExportJob } from '../../api/operations/data-export.ts';
import { isoAt } from '../../lib/dates.ts';
import type { ExportColumn } from './catalogue.ts';
import { type ExportRange, rangeName } from './split-range.ts';

/** The body of a request that creates a job. */
export type JobBody = InputOf<typeof createExportJob>;

/** An export before it is cut into jobs. */
export interface ExportOrder {
  /** Left out: named after what it is. */
  readonly name?: string | undefined;
  readonly format: JobBody['format'];
  readonly scope: string;
  readonly frequency: JobBody['frequency']['value'];
  readonly columns: readonly Omit<ExportColumn, 'asked' | 'meaning'>[];
  readonly device: JobBody['deviceLabel'];
  readonly segmentId?: number | undefined;
  /** Of once jobs, one job each; none of others. */
  readonly ranges: readonly ExportRange[];
}

interface Naming {
  readonly timeZone: string;
  /** Names of the jobs that exist. */
  readonly taken: ReadonlySet<string>;
  /** What jobs without a given name are called, before the range; left out: what they are. */
  readonly base?: string;
}

function selectorOf({ fieldName, aliasName, customVarPosition, dynamicVarKey }: ExportOrder['columns'][number]): JobBody['fields'][number] {
  return {
    fieldName,
    ...(aliasName !== undefined && { aliasName }),
    ...(customVarPosition !== undefined && { customVarPosition: String(customVarPosition) }),
    ...(dynamicVarKey !== undefined && { dynamicVarKey }),
  };
}

/** `Daily mobile sessions JSONL`. */
function usualName({ frequency, device, scope, format }: ExportOrder): string {
  const when = { once: '', daily: 'Daily', hourly: 'Hourly' }[frequency];
  const words = [when, device === 'all' ? '' : device, scope, format].filter((word) => word !== '').join(' '); // biome-ignore format: one thought
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The name, or with a number where a job has it already. */
function untaken(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

/** The requests that an order takes: one for a recurring job, one for each range of a once export. Positions and ids travel as text. */
export function bodiesOf(order: ExportOrder, { timeZone, taken, base = usualName(order) }: Naming): JobBody[] {
  const { name, format, scope, frequency, columns, device, segmentId, ranges } = order;
  const common = {
    format,
    scope,
    fields: columns.map(selectorOf),
    deviceLabel: device,
    ...(segmentId !== undefined && { segmentId: String(segmentId) }),
  };
  if (frequency !== 'once') return [{ name: name ?? untaken(base, taken), frequency: { value: frequency }, ...common }];
  return ranges.map((range) => {
    const named = name !== undefined && ranges.length === 1 ? name : `${name ?? base} ${rangeName(range, timeZone)}`;
    const dateRange = { from: isoAt(range.fromMs, timeZone), to: isoAt(range.toMs, timeZone) };
    return { name: name === undefined ? untaken(named, taken) : named, frequency: { value: frequency, dateRange }, ...common };
  });
}
