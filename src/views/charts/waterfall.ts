import type { Mark, WaterfallSpec } from '../spec.ts';
import {
  axisLines,
  CHARACTER_PX,
  commonOption,
  type Drawing,
  LEGEND_TOP_PX,
  type Look,
  legendOption,
  MARK_PX,
  sliderOption,
  stagger,
  tooltipOption,
} from './look.ts';
import { isFailed, lengthMs, type Request, readRow, requestTooltip, wordsBefore, wordsBehind } from './request.ts';
import { rowAxis, rowPlace } from './rows.ts';
import { phases, type Theme } from './theme.ts';
import { drawable, formatValue, plainText } from './values.ts';

const ROW_PX = 17;
const AXIS_PX = 30;
const SLIDER_PX = 26;
/** Room for the words behind a bar. */
const RIGHT_PX = 118;
const LEVELS = 3;

/** What all bars have: one behind the other, the same on hover. */
const BAR = { type: 'bar', stack: 'request', barWidth: '66%', emphasis: { disabled: true } } as const;
const UNSEEN = { ...BAR, silent: true, itemStyle: { color: 'transparent' } } as const;

function phaseSeries(requests: readonly Request[], theme: Theme) {
  const used = phases.filter((phase) => requests.some(({ phasesMs }) => (phasesMs[phase] ?? 0) > 0));
  return used.map((phase) => ({
    ...BAR,
    id: phase,
    name: phase === 'unsplit' ? 'duration (phases unknown)' : phase,
    itemStyle: { color: theme.phases[phase] },
    data: requests.map(({ phasesMs }) => phasesMs[phase]),
  }));
}

function markWords({ name, atMs }: Mark): string {
  return `${plainText(name, 20)} ${formatValue(atMs, 'ms')}`;
}

function markLine(marks: readonly Mark[], levels: readonly number[], theme: Theme) {
  return {
    silent: true,
    symbol: 'none',
    lineStyle: { color: theme.mark, type: 'dashed', width: 1 },
    data: marks.map((mark, index) => ({
      name: mark.name,
      xAxis: mark.atMs,
      label: {
        position: 'start', // the top, since the axis runs downwards
        formatter: () => markWords(mark),
        color: theme.mark,
        fontSize: 11,
        offset: [0, -MARK_PX * (levels[index] ?? 0)],
      },
    })),
  };
}

/** Unseen bars up to the start, a bar for each phase, and behind it the words. */
function bars(requests: readonly Request[], marks: ReturnType<typeof markLine>, theme: Theme) {
  const label = {
    show: true,
    position: 'right',
    fontSize: 10,
    color: theme.faintText,
    formatter: ({ dataIndex }: { dataIndex: number }) => (requests[dataIndex] ? wordsBehind(requests[dataIndex]) : ''),
  };
  return [
    { ...UNSEEN, id: 'start', data: requests.map(({ startMs }) => startMs), markLine: marks },
    ...phaseSeries(requests, theme),
    { ...UNSEEN, id: 'words', label, data: requests.map(() => 0) },
  ];
}

/** Bars per request, with the phases it went through; errors in red, moments of the page as dashed lines. As high as it has rows. */
export function drawWaterfall(spec: WaterfallSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const requests = spec.rows.map(readRow);
  const marks = spec.marks.filter(({ atMs }) => drawable(atMs) !== null);
  const endMs = Math.max(1, ...requests.map((request) => request.startMs + lengthMs(request)), ...marks.map(({ atMs }) => atMs));

  const { left, characters, plotPx } = rowPlace(widthPx, RIGHT_PX);
  const places = marks.map((mark) => ({ atPx: (mark.atMs / endMs) * plotPx, widthPx: markWords(mark).length * CHARACTER_PX }));
  const levels = stagger(places, LEVELS);
  const top = LEGEND_TOP_PX + 24 + (marks.length > 0 ? MARK_PX * (1 + Math.max(...levels)) : 0);
  const bottom = AXIS_PX + (tooltip ? SLIDER_PX : 0);
  const heightPx = top + ROW_PX * Math.max(1, requests.length) + bottom;
  const lines = axisLines(theme);
  const series = bars(requests, markLine(marks, levels, theme), theme);

  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    legend: legendOption(
      look,
      series.flatMap((each) => ('name' in each ? [each.name] : [])),
    ),
    grid: { left, right: RIGHT_PX, top, bottom, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: 0,
      max: endMs,
      ...lines,
      axisLabel: { ...lines.axisLabel, formatter: (ms: number) => formatValue(ms, 'ms') },
    },
    yAxis: rowAxis(
      requests.map((request) => wordsBefore(request, characters)),
      theme,
      (row) => (requests[row] && isFailed(requests[row]) ? theme.error : theme.text),
    ),
    series,
    ...(tooltip && {
      dataZoom: sliderOption(theme, { left, right: RIGHT_PX, showDataShadow: false }),
      tooltip: {
        ...tooltipOption(theme),
        axisPointer: { type: 'shadow', shadowStyle: { color: theme.shade } },
        formatter(hovered: readonly { dataIndex: number }[]) {
          const request = requests[hovered[0]?.dataIndex ?? -1];
          return tooltip(request ? requestTooltip(request, theme) : []);
        },
      },
    }),
  };
  return { option, heightPx, words: wordsOf(spec, requests, marks) };
}

function wordsOf(spec: WaterfallSpec, requests: readonly Request[], marks: readonly Mark[]): string {
  const slowest = requests.toSorted((a, b) => lengthMs(b) - lengthMs(a))[0];
  const parts = [
    `${plainText(spec.title)}: waterfall of ${requests.length} requests`,
    ...(slowest ? [`the longest ${plainText(slowest.label, 60)} with ${formatValue(slowest.totalMs, 'ms')}`] : []),
    ...marks.map(markWords),
  ];
  return `${parts.join('; ')}.`;
}
