import type { KnownDays } from '../calendar/known-days.ts';
import { dayPoints, kindOf } from '../compare/readings.ts';
import { measureChange } from '../engine/measure.ts';
import { findReasons } from '../engine/reasons.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { FoundChange } from './expected-changes.ts';
import { keyOf } from './expected-lines.ts';

const DEVICES = ['desktop', 'mobile', 'tablet'] as const;

/** The days of all devices and of each, of one set of visits. */
interface DeviceDays {
  readonly rows: readonly MetricRow[];
  readonly known: KnownDays;
}

/** A change of all devices on the one that moved otherwise than the rest, with its size and cost there; itself where none did. */
function onItsDevice(own: FoundChange, { rows, known }: DeviceDays): FoundChange {
  const { metric, change } = own;
  const whole = rows.find(({ selection }) => keyOf(selection) === own.key);
  if (own.device !== 'all' || !whole) return own;
  const kind = kindOf(metric);
  const keyAt = (device: MetricRow['selection']['device']) => keyOf({ ...whole.selection, device });
  const rowsAt = (key: string) => rows.filter(({ selection }) => keyOf(selection) === key);
  const daysAt = (key: string) =>
    dayPoints(
      rowsAt(key).map((row) => ({ ...row, known })),
      metric,
    );
  const groups = DEVICES.map((device) => ({ name: device, days: daysAt(keyAt(device)) })).filter(({ days }) => days.length > 0);
  const all = daysAt(own.key);
  const to = change.to ?? all.at(-1)?.label ?? change.from;
  const { named, groups: moved } = findReasons({ kind, whole: all, from: change.from, to, periodFrom: change.from }, groups);
  const device = DEVICES.find((name) => name === named);
  const { relative = null, low = null, high = null } = moved.find(({ name }) => name === named) ?? {};
  if (!device || relative === null || low === null || high === null) return own;
  const key = keyAt(device);
  const found = measureChange(kind, daysAt(key), { from: change.from, to: change.to, relative, low, high });
  if (!found) return own;
  return { ...own, key, device, change: found, rows: rowsAt(key), points: daysAt(key) };
}

/** Changes where they happened, each once: what a device alone did is told of it, and costs what it cost there. */
export function atTheirDevices(changes: readonly FoundChange[], days: DeviceDays): FoundChange[] {
  const placed = changes.map((change) => onItsDevice(change, days));
  const once = new Map(placed.map((own) => [`${own.key} ${own.metric} ${own.change.from} ${own.change.to ?? ''}`, own]));
  return [...once.values()];
}
