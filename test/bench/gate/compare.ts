import type { GateRow } from '../gate-row.ts';

/** Figures of the build that landed last, by what they are of. */
export type Landed = Readonly<Record<string, number>>;

/** A row beside the last landed figure; `gone` is one that landed and is measured no more, whose value is that of then. */
export interface Compared extends GateRow {
  readonly landed?: number;
  readonly state: 'as landed' | 'better' | 'worse' | 'new' | 'gone';
  readonly isBeyond: boolean;
}

/** How far a figure may move between two runs of one build: points of a share, parts of a time and of the rest. */
const POINTS = 1;
const OF_TIME = 0.15;
const OF_OTHERS = 0.02;

const slackOf = ({ unit }: GateRow, landed: number) => {
  if (unit.startsWith('%')) return POINTS;
  return Math.abs(landed) * (['s', 'ms', 'x', 'MB'].includes(unit) ? OF_TIME : OF_OTHERS);
};

function stateOf(row: GateRow, landed: number | undefined): Compared['state'] {
  if (landed === undefined) return 'new';
  const gain = row.better === 'higher' ? row.value - landed : landed - row.value;
  if (Number.isNaN(gain)) return 'worse';
  if (Math.abs(gain) <= slackOf(row, landed)) return 'as landed';
  return gain > 0 ? 'better' : 'worse';
}

/** A figure that is none holds no bound. */
function isBeyond({ value, better, bound }: GateRow): boolean {
  if (bound === undefined) return false;
  return !(better === 'higher' ? value >= bound : value <= bound);
}

/** Holds rows against their bounds and against what landed; what landed and is not among them comes last. */
export function compare(rows: readonly GateRow[], landed: Landed): Compared[] {
  const names = new Set(rows.map(({ what }) => what));
  const own = rows.map((row): Compared => {
    const before = landed[row.what];
    return { ...row, ...(before !== undefined && { landed: before }), state: stateOf(row, before), isBeyond: isBeyond(row) };
  });
  const gone = Object.entries(landed).filter(([what]) => !names.has(what));
  return [
    ...own,
    ...gone.map(([what, value]): Compared => ({ what, value, landed: value, unit: '', better: 'higher', state: 'gone', isBeyond: false })),
  ];
}

const shown = (value: number | undefined) => {
  if (value === undefined) return '';
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
};

/** A table as Markdown, a line for each row. */
export function tableOf(rows: readonly Compared[]): string {
  const lines = rows.map(({ what, value, unit, better, landed, bound, state, isBeyond: beyond }) => {
    const now = state === 'gone' ? '–' : `${shown(value)} ${unit}`;
    const limit = bound === undefined ? '' : `${better === 'higher' ? '≥' : '≤'} ${shown(bound)}`;
    const mark = [state === 'as landed' ? '' : state.replace('worse', 'WORSE'), beyond ? 'BEYOND ITS BOUND' : '']
      .filter(Boolean)
      .join(', ');
    return `| ${what} | ${now} | ${shown(landed)} | ${limit} | ${mark} |\n`;
  });
  return `| what | now | last landed | bound | |\n| --- | --- | --- | --- | --- |\n${lines.join('')}`;
}
