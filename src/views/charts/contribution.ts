import type { ContributionSpec, ContributionStep, StepKind } from '../spec.ts';
import type { Drawing, Look, TooltipLine } from './look.ts';
import {
  amountLabel,
  axisLines,
  commonOption,
  headPx,
  legendOption,
  legendPx,
  rowAxis,
  rowPlace,
  rowWords,
  tooltipOption,
  valueTicks,
} from './look.ts';
import type { Theme } from './theme.ts';
import { formatValue, markAt, plainText } from './values.ts';

const ROW_PX = 21;
const AXIS_PX = 30;
/** Room for the amount behind a bar. */
const RIGHT_PX = 92;

const LEGEND: Readonly<Record<StepKind | 'change', string>> = {
  rate: 'own rate',
  mix: 'traffic mix',
  others: 'rate of all others',
  amount: 'contribution',
  rest: 'all others',
  small: 'smaller parts',
  remainder: 'remainder',
  change: 'whole change',
};

/** One row: from where to where its bar runs, in the unit of the change. */
interface BarRow {
  readonly words: string;
  readonly part: StepKind | 'change';
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

function wordsOfStep({ group, part }: ContributionStep, isAlone: boolean): string {
  if (part === 'small') return group;
  if (part === 'remainder') return isAlone ? `${group}: remainder` : 'remainder';
  return part === 'amount' ? group : `${group}: ${LEGEND[part]}`;
}

/** Each bar begins where the one before ends; where groups overlap, each group begins at zero. */
function rowsOf({ steps, change, overlap: overlaps }: ContributionSpec): BarRow[] {
  const overlap = overlaps ?? false;
  let at = 0;
  const rows = steps.map((step, index): BarRow => {
    if (overlap && step.group !== steps[index - 1]?.group) at = 0;
    const from = at;
    const value = markAt(step.value);
    at += value;
    return { words: wordsOfStep(step, overlap), part: step.part, value, from, to: at };
  });
  const whole = markAt(change);
  return overlap ? rows : [...rows, { words: LEGEND.change, part: 'change', value: whole, from: 0, to: whole }];
}

function colourOf(part: BarRow['part'], theme: Theme): string {
  const series = { rate: 0, mix: 1, others: 2, amount: 0, rest: 2 } as const;
  if (part === 'change') return theme.text;
  return part === 'remainder' || part === 'small' ? theme.faintText : (theme.series[series[part]] ?? theme.text);
}

/** Unseen bars up to the lower end, a bar for each part, and behind it the amount. */
function bars(rows: readonly BarRow[], parts: readonly BarRow['part'][], { theme, unit, change }: { theme: Theme } & ContributionSpec) {
  // All signs are stacked alike, so that a bar may run across zero.
  const bar = { type: 'bar', stack: 'change', stackStrategy: 'all', barWidth: '62%', emphasis: { disabled: true } } as const;
  const unseen = { ...bar, silent: true, itemStyle: { color: 'transparent' } } as const;
  const low = ({ from, to }: BarRow) => Math.min(from, to);
  const label = amountLabel(theme, ({ dataIndex }) => formatValue(rows[dataIndex]?.value, unit));
  const mark = {
    silent: true,
    z: 1, // behind the bars and what is written at them
    symbol: 'none',
    label: { show: false },
    lineStyle: { color: theme.faintText, type: 'dashed', width: 1 },
    data: [{ xAxis: markAt(change) }],
  };
  return [
    { ...unseen, id: 'start', data: rows.map(low), markLine: mark },
    ...parts.map((part) => ({
      ...bar,
      id: part,
      name: LEGEND[part],
      itemStyle: { color: colourOf(part, theme) },
      // Nothing instead of no value, which would break the stack.
      data: rows.map((row) => (row.part === part ? Math.abs(row.to - row.from) : 0)),
    })),
    { ...unseen, id: 'words', label, data: rows.map(() => 0) },
  ];
}

/**
 * Bars that lead from no change to the whole change, one for each step, each beginning where the one before ends; the dashed line is the
 * whole change.
 */
export function drawContribution(spec: ContributionSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const rows = rowsOf(spec);
  const parts = [...new Set(rows.map(({ part }) => part))];
  const { left, characters, plotPx } = rowPlace(
    rows.map(({ words }) => words),
    widthPx,
    RIGHT_PX,
  );
  const headEndPx = headPx(look, spec);
  const names = parts.map((part) => LEGEND[part]);
  const top = headEndPx + legendPx(look, names);
  const lines = axisLines(theme);
  const tooltipLines = (row: BarRow | undefined): TooltipLine[] =>
    row
      ? [
          { name: plainText(row.words) },
          { name: LEGEND[row.part], value: formatValue(row.value, spec.unit), colour: colourOf(row.part, theme) },
        ]
      : [];
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    legend: legendOption(look, names, headEndPx),
    grid: { left, right: RIGHT_PX, top, bottom: AXIS_PX, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      ...valueTicks(plotPx),
      ...lines,
      axisLabel: { ...lines.axisLabel, formatter: (value: number) => formatValue(value, spec.unit) },
    },
    yAxis: rowAxis(
      rows.map(({ words }) => rowWords(words, characters)),
      theme,
    ),
    series: bars(rows, parts, { ...spec, theme }),
    ...(tooltip && {
      tooltip: {
        ...tooltipOption(theme),
        axisPointer: { type: 'shadow', shadowStyle: { color: theme.shade } },
        formatter: (hovered: readonly { dataIndex: number }[]) => tooltip(tooltipLines(rows[hovered[0]?.dataIndex ?? -1])),
      },
    }),
  };
  const texts = rows.map(({ words, value }) => `${plainText(words, 60)} ${formatValue(value, spec.unit)}`);
  return { option, heightPx: top + ROW_PX * Math.max(1, rows.length) + AXIS_PX, words: `${plainText(spec.title)}: ${texts.join('; ')}.` };
}
