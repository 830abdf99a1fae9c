import * as z from 'zod';
import { rangeText } from '../../../findings/wording.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import { definitionOf, metricsCountedFrom, siteMetricNames } from '../metric-definitions.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Selection } from '../read/metric-grid.ts';
import { findFaults } from './find-faults.ts';
import { type Counts, type Fault, faultKinds } from './site.ts';

/** The faults of the counting in an answer. */
export const qualityShape = z
  .array(
    z.object({
      kind: z.enum(faultKinds),
      from: z.string(),
      to: z.string(),
      device: z.string().optional(),
      /** Metrics whose figures of these days say nothing of customers. */
      metrics: z.array(z.string()),
      evidence: z.string(),
    }),
  )
  .optional();

/** A fault in words of days and metrics. */
export type CountingFault = NonNullable<z.output<typeof qualityShape>>[number];

const VISITS = metricsCountedFrom('visits');
const ORDERS = metricsCountedFrom('orders');
const COUNTS = siteMetricNames.filter((metric) => definitionOf(metric)?.combination.by === 'sum');
const ALL = siteMetricNames;
const AFFECTED: Readonly<Record<Fault['kind'], readonly string[]>> = {
  'no data': ALL,
  'part of a day': COUNTS,
  'device missing': ALL,
  'counted twice': COUNTS,
  'visits not counted': VISITS,
  'visits without orders': VISITS,
  'no orders': ORDERS,
  'orders late': ORDERS,
};

const percent = (share: number) => formatPercent(100 * share, { digits: 0 });
const moved = (share: number) => formatPercent(100 * (share - 1), { sign: true, digits: 0 });

function daysText({ from, to }: Pick<CountingFault, 'from' | 'to'>): string {
  return rangeText(from, to, to.slice(0, 4));
}

/** Figures over what is usual, 1 for the usual. */
interface Factors {
  readonly visits: number;
  readonly orders: number;
}

/** The evidence of each kind of fault, in a clause without its end. */
const EVIDENCE: Readonly<Record<Fault['kind'], (fault: Factors, when: string, on: string) => string>> = {
  'no data': (_, when) => `almost no visits were counted ${when}`,
  'part of a day': ({ visits }, when) =>
    `only ${percent(visits)} of the usual visits were counted ${when}, on all devices alike, as if hours were missing`,
  'device missing': (_, when, on) => `almost no visits${on} were counted ${when}`,
  'counted twice': (_, when) => `visits and orders are about twice the usual ${when}, on all devices alike`,
  'visits not counted': ({ visits, orders }, when, on) =>
    `visits${on} are ${moved(visits)} ${when} while orders stay (${moved(orders)}), as where visits without consent are not counted`,
  'visits without orders': ({ visits, orders }, when, on) =>
    `visits${on} are ${moved(visits)} ${when} while orders stay (${moved(orders)}), as with automated visits`,
  'no orders': ({ visits }, when) =>
    `almost no orders were counted ${when} at ${percent(visits)} of the usual visits: check that the checkout works`,
  'orders late': ({ orders }, when) =>
    `only ${percent(orders)} of the usual orders were counted ${when} at usual visits, as where orders arrive late`,
};

/** All days between the first and the last row, so that an index stands for one weekday. */
function labelsOf(rows: readonly MetricRow[]): string[] {
  const labels = rows.flatMap(({ interval: { label } }) => label ?? []).toSorted();
  const [first, last] = [Date.parse(labels[0] ?? ''), Date.parse(labels.at(-1) ?? '')];
  const count = Number.isFinite(first) && Number.isFinite(last) ? Math.round((last - first) / DAY_MS) + 1 : 0;
  return Array.from({ length: count }, (_, day) => new Date(first + day * DAY_MS).toISOString().slice(0, 10));
}

function countsOf(rows: readonly MetricRow[], labels: readonly string[]): Counts {
  const byLabel = new Map(rows.filter(({ interval }) => !interval.isPart).map(({ interval, values }) => [interval.label, values]));
  const figures = (metric: string) => labels.map((label) => byLabel.get(label)?.[metric] ?? undefined);
  const visits = figures('visits');
  const rates = figures('bounceRate');
  const bounces = visits.map((count, day) => {
    const rate = rates[day];
    return count === undefined || rate === undefined ? undefined : (count * rate) / 100;
  });
  return { visits, orders: figures('conversionCount'), bounces };
}

/** The input of the search for faults. */
export interface CountingInput {
  /** Days of all visits that were asked for, and of the devices that divide them. */
  readonly rows: readonly MetricRow[];
  readonly whole: Pick<Selection, 'device'>;
  /** Days of segments of the same visits, where they were read. */
  readonly segments?: readonly (readonly MetricRow[])[];
  /** First day that is looked at; those before teach what is usual. */
  readonly from: string;
  readonly to: string;
  readonly isSpecial: (label: string) => boolean;
}

/** Finds days of which the counting looks broken; none where visits were not read. Days before the first visit are no days of the site. */
export function countingFaults({ rows, whole, segments = [], from, to, isSpecial }: CountingInput): CountingFault[] {
  const isOwn = ({ selection: { device, zoneId } }: MetricRow) =>
    zoneId === undefined && (whole.device === 'all' || device === whole.device);
  const own = rows.filter((row) => isOwn(row) && (row.interval.label ?? '9') <= to);
  const ofWhole = own.filter(({ selection }) => selection.device === whole.device);
  const begun = ofWhole.find(({ values }) => (values['visits'] ?? 0) > 0)?.interval.label ?? '9';
  const labels = labelsOf(ofWhole).filter((label) => label >= begun);
  const first = labels.findIndex((label) => label >= from);
  if (first < 0) return [];
  const devices = new Map(
    (['desktop', 'mobile', 'tablet'] as const)
      .filter((device) => device !== whole.device && own.some(({ selection }) => selection.device === device))
      .map((device) => [
        device,
        countsOf(
          own.filter(({ selection }) => selection.device === device),
          labels,
        ),
      ]),
  );
  const found = findFaults({
    all: countsOf(ofWhole, labels),
    devices,
    segments: segments.map((segment) => countsOf(segment, labels)),
    from: first,
    isSpecial: (day) => isSpecial(labels[day] ?? ''),
  });
  return found.map((fault) => {
    const days = { from: labels[fault.from] ?? '', to: labels[fault.to] ?? '' };
    return {
      kind: fault.kind,
      ...days,
      ...(fault.device !== undefined && { device: fault.device }),
      metrics: [...AFFECTED[fault.kind]],
      evidence: EVIDENCE[fault.kind](
        { visits: fault.visits, orders: fault.orders ?? 1 },
        daysText(days),
        fault.device === undefined ? '' : ` on ${fault.device}`,
      ),
    };
  });
}

/** Rows without the figures that faults spoil, so that these days teach nothing and make no verdict. */
export function withoutFaults(rows: readonly MetricRow[], faults: readonly CountingFault[]): readonly MetricRow[] {
  if (faults.length === 0) return rows;
  return rows.map((row) => {
    const { label } = row.interval;
    if (label === undefined) return row;
    const { device } = row.selection;
    const spoilt = faults.filter(
      (fault) => fault.from <= label && label <= fault.to && (fault.device === undefined || device === 'all' || device === fault.device),
    );
    if (spoilt.length === 0) return row;
    const metrics = new Set(spoilt.flatMap((fault) => fault.metrics));
    return {
      ...row,
      values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, metrics.has(name) ? null : value])),
    };
  });
}
