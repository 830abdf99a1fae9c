import type { FunnelSpec } from '../spec.ts';
import {
  amountLabel,
  axisLines,
  commonOption,
  type Drawing,
  headPx,
  type Look,
  legendOption,
  legendPx,
  rowAxis,
  rowPlace,
  rowWords,
  tooltipOption,
  valueTicks,
} from './look.ts';
import { formatValue, plainText } from './values.ts';

const ROW_PX = 44;
const AXIS_PX = 30;
/** Room for count and shares behind a bar. */
const RIGHT_PX = 190;

const percent = (part: number, whole: number) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : '–');

/** The words behind the bar of a step. */
function wordsBehind({ steps }: FunnelSpec, index: number): string {
  const [count, before, first] = [steps[index]?.count ?? 0, steps[index - 1]?.count, steps[0]?.count ?? 0];
  const shares = before === undefined ? '' : ` · ${percent(count, before)} go on · ${percent(count, first)} of all`;
  return `${formatValue(count, 'none')}${shares}`;
}

/** A bar for each step, those who did not go on to it paler behind it, the shares beside. */
export function drawFunnel(spec: FunnelSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const { steps, unit } = spec;
  const { left, characters, plotPx } = rowPlace(
    steps.map(({ name }) => name),
    widthPx,
    RIGHT_PX,
  );
  const lost = steps.map(({ count }, index) => Math.max(0, (steps[index - 1]?.count ?? count) - count));
  const names = [`${unit} that did the step`, 'did the step before only'];
  const headEndPx = headPx(look, spec);
  const top = headEndPx + legendPx(look, names);
  const heightPx = top + ROW_PX * Math.max(1, steps.length) + AXIS_PX;
  const lines = axisLines(theme);
  const bar = { type: 'bar', stack: 'step', barWidth: '62%', emphasis: { disabled: true } } as const;
  const colour = theme.series[0] ?? theme.text;
  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    legend: legendOption(look, names, headEndPx),
    grid: { left, right: RIGHT_PX, top, bottom: AXIS_PX, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      ...valueTicks(plotPx),
      ...lines,
      axisLabel: { ...lines.axisLabel, formatter: (value: number) => formatValue(value, 'none') },
    },
    yAxis: rowAxis(
      steps.map(({ name }) => rowWords(name, characters)),
      theme,
    ),
    series: [
      { ...bar, name: names[0], itemStyle: { color: colour }, data: steps.map(({ count }) => count) },
      {
        ...bar,
        name: names[1],
        itemStyle: { color: colour, opacity: 0.22 },
        // Not as pale as the bar that it stands behind.
        label: { ...amountLabel(theme, ({ dataIndex }) => wordsBehind(spec, dataIndex)), opacity: 1 },
        data: lost,
      },
    ],
    ...(tooltip && {
      tooltip: {
        ...tooltipOption(theme),
        axisPointer: { type: 'shadow', shadowStyle: { color: theme.shade } },
        formatter: (hovered: readonly { dataIndex: number }[]) => {
          const row = hovered[0]?.dataIndex ?? 0;
          return tooltip([{ name: plainText(steps[row]?.name ?? '') }, { name: unit, value: wordsBehind(spec, row) }]);
        },
      },
    }),
  };
  const words = steps.map(({ name }, index) => `${plainText(name, 60)} ${wordsBehind(spec, index)}`).join('; ');
  return { option, heightPx, words: `${plainText(spec.title)}: ${words}.` };
}
