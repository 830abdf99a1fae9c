import type { Mark, WaterfallRow, WaterfallSpec } from '../spec.ts';
import {
  axisLines,
  commonOption,
  type Drawing,
  LEGEND_TOP_PX,
  type Look,
  legendOption,
  sliderOption,
  stagger,
  type TooltipLine,
} from './look.ts';
import { type Phase, phases, type Theme } from './theme.ts';
import { drawable, formatValue, plainText } from './values.ts';

const ROW_PX = 17;
const AXIS_PX = 30;
const MARK_PX = 14;
/** A view is not higher; what is beyond is reached by its zoom. */
const VIEW_PX = 560;
/** Room for the words behind a bar. */
const RIGHT_PX = 118;
const CHARACTER_PX = 6.4;

interface Request {
  readonly label: string;
  readonly status: number;
  readonly bytes: number | null;
  readonly startMs: number;
  readonly totalMs: number | null;
  readonly phasesMs: Readonly<Record<Phase, number | null>>;
}

function readRow([label, status, bytes, startMs, totalMs, ...phasesMs]: WaterfallRow): Request {
  const known = phasesMs.slice(0, phases.length - 1).map(drawable);
  const isSplit = known.some((ms) => ms !== null && ms > 0);
  const split = phases.map((phase, index) => [phase, isSplit ? (known[index] ?? null) : null]);
  return {
    label: plainText(label),
    status,
    bytes: drawable(bytes),
    startMs,
    totalMs: drawable(totalMs),
    phasesMs: { ...Object.fromEntries(split), unsplit: isSplit ? null : drawable(totalMs) },
  };
}

function isFailed({ status }: Request): boolean {
  return status === 0 || status >= 400;
}

function lengthMs({ totalMs, phasesMs }: Request): number {
  const sum = phases.reduce((total, phase) => total + (phasesMs[phase] ?? 0), 0);
  return Math.max(sum, totalMs ?? 0);
}

/** What is written behind a bar. */
function wordsBehind(request: Request): string {
  const amounts = [formatValue(request.totalMs, 'ms'), ...(request.bytes === null ? [] : [formatValue(request.bytes, 'bytes')])];
  return amounts.join(' · ');
}

function tooltipLines(request: Request, theme: Theme): TooltipLine[] {
  const answer = request.status === 0 ? 'no response' : String(request.status);
  return [
    { name: request.label },
    { name: 'Status', value: answer },
    ...(request.bytes === null ? [] : [{ name: 'Over the network', value: formatValue(request.bytes, 'bytes') }]),
    { name: 'Start', value: formatValue(request.startMs, 'ms') },
    { name: 'Duration', value: formatValue(request.totalMs, 'ms') },
    ...phases
      .filter((phase) => phase !== 'unsplit' && request.phasesMs[phase] !== null)
      .map((phase) => ({ name: phase, value: formatValue(request.phasesMs[phase], 'ms'), colour: theme.phases[phase] })),
  ];
}

function phaseSeries(requests: readonly Request[], theme: Theme) {
  const used = phases.filter((phase) => requests.some(({ phasesMs }) => (phasesMs[phase] ?? 0) > 0));
  return used.map((phase) => ({
    id: phase,
    name: phase === 'unsplit' ? 'duration (phases unknown)' : phase,
    type: 'bar',
    stack: 'request',
    barWidth: '66%',
    itemStyle: { color: theme.phases[phase] },
    emphasis: { disabled: true },
    data: requests.map(({ phasesMs }) => phasesMs[phase]),
  }));
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

function markWords({ name, atMs }: Mark): string {
  return `${plainText(name, 20)} ${formatValue(atMs, 'ms')}`;
}

/** Bars per request, with the phases it went through; errors in red, moments of the page as dashed lines. */
export function drawWaterfall(spec: WaterfallSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const requests = spec.rows.map(readRow);
  const marks = spec.marks.filter(({ atMs }) => drawable(atMs) !== null);
  const endMs = Math.max(1, ...requests.map((request) => request.startMs + lengthMs(request)), ...marks.map(({ atMs }) => atMs));

  const labelPx = Math.round(Math.min(300, widthPx * 0.36));
  const plotPx = Math.max(80, widthPx - labelPx - RIGHT_PX);
  const levels = stagger(
    marks.map((mark) => ({ atPx: (mark.atMs / endMs) * plotPx, widthPx: markWords(mark).length * CHARACTER_PX })),
    3,
  );
  const topPx = LEGEND_TOP_PX + 24 + (marks.length > 0 ? MARK_PX * (1 + Math.max(...levels)) : 0);
  const bottomPx = AXIS_PX + (tooltip ? 26 : 0);
  const wantedPx = topPx + ROW_PX * Math.max(1, requests.length) + bottomPx;
  const heightPx = look.heightPx ?? (tooltip ? Math.min(VIEW_PX, wantedPx) : wantedPx);
  const visibleRows = Math.max(1, Math.floor((heightPx - topPx - bottomPx) / ROW_PX));
  const series = phaseSeries(requests, theme);

  const zoom = [
    { ...sliderOption(theme), id: 'time', xAxisIndex: 0, left: labelPx + 8, right: RIGHT_PX, bottom: 8, height: 14 },
    { type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false },
    ...(visibleRows >= requests.length
      ? []
      : [
          { ...sliderOption(theme), id: 'rows', yAxisIndex: 0, right: 6, width: 12, top: topPx, bottom: bottomPx, startValue: 0, endValue: visibleRows - 1 },
          { type: 'inside', yAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: false, moveOnMouseWheel: true, moveOnMouseMove: false, startValue: 0, endValue: visibleRows - 1 },
        ]),
  ]; // biome-ignore format: one thought a line

  const option = {
    ...commonOption(look, spec.title, spec.subtitle),
    legend: legendOption(look, series.map(({ name }) => name)), // biome-ignore format: one thought
    grid: { left: labelPx + 8, right: RIGHT_PX, top: topPx, bottom: bottomPx, outerBoundsMode: 'none' },
    xAxis: { type: 'value', min: 0, max: endMs, ...axisLines(theme), axisLabel: { ...axisLines(theme).axisLabel, formatter: (ms: number) => formatValue(ms, 'ms') } },
    yAxis: {
      type: 'category',
      inverse: true,
      data: requests.map(({ label }) => label),
      axisLine: { lineStyle: { color: theme.line } },
      axisTick: { show: false },
      axisLabel: {
        interval: 0,
        fontSize: 11,
        margin: 8,
        color: (_: string, index: number) => (requests[index] && isFailed(requests[index]) ? theme.error : theme.text),
        formatter: (_: string, index: number) => rowLabel(requests[index], Math.floor(labelPx / CHARACTER_PX)),
      },
    },
    series: [
      {
        id: 'start',
        type: 'bar',
        stack: 'request',
        silent: true,
        itemStyle: { color: 'transparent' },
        tooltip: { show: false },
        emphasis: { disabled: true },
        data: requests.map(({ startMs }) => startMs),
        ...(marks.length > 0 && { markLine: markLine(marks, levels, theme) }),
      },
      ...series,
      {
        id: 'words',
        type: 'bar',
        stack: 'request',
        silent: true,
        itemStyle: { color: 'transparent' },
        label: {
          show: true,
          position: 'right',
          fontSize: 10,
          color: theme.faintText,
          formatter: ({ dataIndex }: { dataIndex: number }) => (requests[dataIndex] ? wordsBehind(requests[dataIndex]) : ''),
        },
        data: requests.map(() => 0),
      },
    ],
    ...(tooltip && {
      dataZoom: zoom,
      tooltip: {
        trigger: 'axis',
        axisPointer: { type: 'shadow', shadowStyle: { color: theme.shade } },
        confine: true,
        backgroundColor: theme.tooltip,
        borderColor: theme.line,
        textStyle: { color: theme.text, fontSize: 12 },
        formatter: (hovered: readonly { dataIndex: number }[]) => {
          const request = requests[hovered[0]?.dataIndex ?? -1];
          return tooltip(request ? tooltipLines(request, theme) : []);
        },
      },
    }),
  }; // biome-ignore format: one thought a line
  return { option, heightPx, words: wordsOf(spec, requests, marks) };
}

function rowLabel(request: Request | undefined, limit: number): string {
  if (!request) return '';
  return isFailed(request)
    ? plainText(`${request.status === 0 ? 'failed' : request.status} ${request.label}`, limit)
    : plainText(request.label, limit);
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
