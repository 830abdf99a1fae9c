import { isRecord } from '../lib/is-record.ts';
import type { Unit } from './charts/values.ts';

/** Columns of a waterfall's rows, in order; times in ms, null where the file does not say, `sslMs` not contained in `connectMs`. */
export const waterfallColumns = [
  'label',
  'status',
  'bytes',
  'startMs',
  'totalMs',
  'blockedMs',
  'dnsMs',
  'connectMs',
  'sslMs',
  'sendMs',
  'waitMs',
  'receiveMs',
] as const;

/** One request: sanitised address, status (0: no response, null: unknown), bytes over the network, start, duration, the seven phases. */
export type WaterfallRow = readonly [
  label: string,
  status: number | null,
  bytes: number | null,
  startMs: number,
  totalMs: number | null,
  ...phasesMs: (number | null)[],
];

/** A moment of the page's life, in ms of the waterfall's own clock. */
export interface Mark {
  readonly name: string;
  readonly atMs: number;
}

/** Requests of one page over time. */
export interface WaterfallSpec {
  readonly kind: 'waterfall';
  readonly title: string;
  readonly subtitle?: string;
  readonly columns: typeof waterfallColumns;
  readonly rows: readonly WaterfallRow[];
  /** Positions of the rows that the title is about, for certain or by inference. */
  readonly finding?: { readonly rows: readonly number[]; readonly isInferred: boolean };
  /** Positions of the rows that hold back rendering, and of those of third parties; left out where there are none. */
  readonly blocking?: readonly number[];
  readonly thirdParty?: readonly number[];
  readonly marks: readonly Mark[];
}

/** Values of one step or metric, one for each of the chart's times; null is a gap. */
export interface TrendSeries extends BarSeries {
  /** Those of the times whose value is of a part of their week or month alone: the line to them is broken. */
  readonly inPart?: readonly string[];
  /** A forecast. */
  readonly isAhead?: true;
  /** The place of the finding: all other lines are grey. */
  readonly isAccent?: true;
}

/** Something that happened, at a local time of the chart. */
export interface TrendEvent {
  readonly name: string;
  readonly time: string;
  /** The last day of a change that is over. */
  readonly to?: string;
  /** It is about the value of this time, which may be that of a week or month: it stands where that is drawn. */
  readonly isOfValue?: true;
}

/** The level of the first series over some time. */
export interface TrendLevel {
  readonly from: string;
  readonly to: string;
  readonly value: number;
}

/** Ranges of more series than this would cover each other, so none is drawn. */
export const MAX_BANDS = 4;

/** Values over time, with what happened meanwhile. */
export interface TrendSpec {
  readonly kind: 'trend';
  readonly title: string;
  readonly subtitle?: string;
  readonly unit: Unit;
  /** Zone of all times, which are local: `2026-11-20` for a day, `2026-11-20T14:05` for a run. */
  readonly timeZone: string;
  readonly times: readonly string[];
  /** The last day that is counted, perhaps one within the last of the times. */
  readonly until?: string;
  readonly series: readonly TrendSeries[];
  readonly events: readonly TrendEvent[];
  /** The first report from which a change holds. */
  readonly change?: TrendEvent;
  /** Levels on both sides of a change. */
  readonly levels?: readonly TrendLevel[];
  /** The interval that is compared with the one before. */
  readonly judged?: { readonly from: string; readonly to: string };
}

/** Amounts of one metric, one for each label; null is no value, never zero. */
export interface BarSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Ends of the interval of each amount. */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

/** Stands for the name of a group whose name is empty. */
export const NO_NAME = '(none)';

/** Whether a row is of such a group: it stands last and in grey. */
export const isUnnamed = (label: string) => label.split(', ').includes(NO_NAME);

/** Amounts side by side: devices, segments, steps of a funnel, parts of a change. */
export interface BarsSpec {
  readonly kind: 'bars';
  readonly title: string;
  readonly subtitle?: string;
  readonly unit: Unit;
  readonly labels: readonly string[];
  readonly series: readonly BarSeries[];
  /** Labels of the finding: all others are drawn in grey, or paler. */
  readonly accent?: readonly string[];
  /** Words behind the amount of each label where there is one series: a verdict, an interval. */
  readonly notes?: readonly string[];
  /** Pale continuation of the bars of a single series: those who did the step before only. */
  readonly lost?: BarSeries;
}

/** Pages in columns from left to right and how many went from one to the next. */
export interface FlowSpec {
  readonly kind: 'flow';
  readonly title: string;
  readonly subtitle?: string;
  /** The meaning of each column. */
  readonly columns: readonly string[];
  /** `side`: which column, from 0; in order of distance from the start. */
  readonly nodes: readonly { readonly id: string; readonly label: string; readonly side: number; readonly count: number }[];
  /** In colour those between the start and the page of the title. */
  readonly links: readonly { readonly from: string; readonly to: string; readonly count: number; readonly isAccent?: true }[];
  /** The page of the title: all others are grey. */
  readonly accent?: string;
}

/** Cells that darken with their value; null is an empty one. */
export interface GridSpec {
  readonly kind: 'grid';
  readonly title: string;
  readonly subtitle?: string;
  readonly unit: Unit;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** A single picture. */
export type PanelSpec = WaterfallSpec | TrendSpec | BarsSpec | FlowSpec | GridSpec;

/** Pictures below each other that answer one question. */
interface PanelsSpec {
  readonly kind: 'panels';
  readonly panels: readonly PanelSpec[];
}

/** A picture as plain data: what server and view draw from. */
export type ChartSpec = PanelSpec | PanelsSpec;

const KINDS: ReadonlySet<unknown> = new Set<ChartSpec['kind']>(['waterfall', 'trend', 'bars', 'flow', 'grid', 'panels']);

/** Whether a member of an answer is a chart. */
export function isChart(value: unknown): value is ChartSpec {
  return isRecord(value) && KINDS.has(value['kind']);
}

/** The pictures of a chart from top to bottom. */
export function panelsOf(spec: ChartSpec): readonly PanelSpec[] {
  return spec.kind === 'panels' ? spec.panels : [spec];
}

/** Several pictures as one chart, a single one as itself; undefined where there is none. */
export function joined(panels: readonly (PanelSpec | undefined)[]): ChartSpec | undefined {
  const drawn = panels.filter((panel) => panel !== undefined);
  return drawn.length > 1 ? { kind: 'panels', panels: drawn } : drawn[0];
}
