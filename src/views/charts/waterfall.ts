import { present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { Mark, WaterfallRow, WaterfallSpec } from '../spec.ts';
import { axisLines, type Drawing, decalOf, isNarrow, type Look, sliderOption, type TooltipLine } from './look.ts';
import { AXIS_PX, amountLabel, EDGE_PX, rowsOf, rowTooltip } from './rows.ts';
import { phaseLines, phases, type Theme } from './theme.ts';
import { drawable, formatValue, markAt, plainText } from './values.ts';

/** A row of a waterfall, ready to be drawn; null where the file does not say. */
export interface Request {
  readonly label: string;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly startMs: number;
  readonly totalMs: number | null;
  /** In their order. */
  readonly phasesMs: readonly (number | null)[];
  readonly isFinding: boolean;
  readonly blocks: boolean;
  readonly isThird: boolean;
}

/** Reads a row; a duration without phases becomes one phase that is called unsplit, which no row has a column for. */
function readRow([label, status, bytes, startMs, totalMs, ...phasesMs]: WaterfallRow, position: number, spec: WaterfallSpec): Request {
  const known = phasesMs.map(drawable);
  const isSplit = known.some((ms) => markAt(ms) > 0);
  const isIn = (rows: readonly number[] = []) => rows.includes(position);
  return {
    label: plainText(label),
    status,
    bytes: drawable(bytes),
    startMs: markAt(startMs),
    totalMs: drawable(totalMs),
    phasesMs: isSplit ? known : [...known.map(() => null), drawable(totalMs)],
    isFinding: isIn(spec.finding?.rows),
    blocks: isIn(spec.blocking),
    isThird: isIn(spec.thirdParty),
  };
}

/** No response, or one that says error. */
function isFailed({ status }: Request): boolean {
  return status === 0 || (status ?? 0) >= 400;
}

function colourOf(request: Request, theme: Theme): string {
  if (isFailed(request)) return theme.error;
  return request.isFinding ? theme.accent : theme.text;
}

/** From the start to the end of the bar. */
function lengthMs({ totalMs, phasesMs }: Request): number {
  return Math.max(sumOfKnown(phasesMs, markAt), totalMs ?? 0);
}

/** Signs before the names of requests, so that no colour is needed. */
const SIGNS = [
  ['isFinding', '◆', 'what the title is about'],
  ['blocks', '■', 'blocks rendering'],
  ['isThird', '↗', 'third party'],
] as const;

/** The meanings of the signs that occur, and how often each does. */
function signWords({ finding }: WaterfallSpec, requests: readonly Request[]) {
  const probably = finding?.isInferred ? 'probably ' : '';
  return SIGNS.flatMap(([member, sign, meaning]) => {
    const count = requests.filter((request) => request[member]).length;
    return count > 0 ? [{ count, words: `${sign} ${member === 'isFinding' ? probably : ''}${meaning}` }] : [];
  });
}

/** The words before a bar, in at most `limit` characters. */
function wordsBefore(request: Request, limit: number): string {
  const signs = SIGNS.map(([member, sign]) => (request[member] ? `${sign} ` : '')).join('');
  const failed = request.status === 0 ? 'failed ' : `${request.status ?? 'unknown'} `;
  // Signs are wider than letters.
  const room = limit - 1.5 * signs.length;
  const words = (label: string) => `${isFailed(request) ? failed : ''}${label}`;
  const whole = words(request.label);
  if (whole.length <= room) return signs + whole;
  // Of an address that is too long the last part says most, of a third party its host.
  const short = request.isThird ? request.label.replace(/\/.*/, '') : request.label.replace(/^.+(\/[^/]+\/?)$/, '…$1');
  return signs + plainText(words(short), room);
}

/** The words behind a bar. */
function wordsBehind({ totalMs, bytes }: Request, isShort: boolean): string {
  return present(formatValue(totalMs, 'ms'), bytes !== null && !isShort && formatValue(bytes, 'bytes')).join(' · ');
}

/** All that is known of a request. */
function requestTooltip(request: Request, theme: Theme): TooltipLine[] {
  const { label, status, bytes, startMs, totalMs, phasesMs } = request;
  return present<TooltipLine>(
    { name: label },
    { name: 'Status', value: status === 0 ? 'no response' : String(status ?? 'unknown') },
    bytes !== null && { name: 'Over the network', value: formatValue(bytes, 'bytes') },
    ...SIGNS.map(([member, sign, meaning]) => request[member] && { name: sign, value: meaning }),
    { name: 'Start', value: formatValue(startMs, 'ms') },
    { name: 'Duration', value: formatValue(totalMs, 'ms') },
    ...phases
      .slice(0, -1)
      .map((name, at) => phasesMs[at] != null && { name, value: formatValue(phasesMs[at], 'ms'), colour: theme.phases[name] }),
  );
}

const ROW_PX = 17;
const SLIDER_PX = 26;
/** Room for the text behind a bar. */
const RIGHT_PX = 118;
/** A narrow view shows the duration alone behind a bar, so that the bars keep their room. */
const NARROW_RIGHT_PX = 56;

/** Members that all bars share: one behind the other, the same on hover. */
const BAR = { type: 'bar', stack: 'request', emphasis: { disabled: true } } as const;
const UNSEEN = { ...BAR, silent: true, itemStyle: { color: 'transparent' } } as const;
const BAR_PX = 11;

function phaseSeries(requests: readonly Request[], theme: Theme) {
  return phases.flatMap((phase, at) => {
    const data = requests.map(({ phasesMs }) => phasesMs[at] ?? null);
    if (!data.some((ms) => markAt(ms) > 0)) return [];
    const itemStyle = { color: theme.phases[phase], ...decalOf(phaseLines[phase], theme) };
    return [{ ...BAR, id: phase, name: phase === 'unsplit' ? 'duration (phases unknown)' : phase, itemStyle, data }];
  });
}

function markWords({ name, atMs }: Mark): string {
  return `${plainText(name, 20)} ${formatValue(atMs, 'ms')}`;
}

/** Unseen bars up to the start, a bar for each phase, and behind it the words. */
function bars(requests: readonly Request[], phasesOf: ReturnType<typeof phaseSeries>, marks: readonly object[], { theme, widthPx }: Look) {
  const label = amountLabel(theme, ({ dataIndex }) => (requests[dataIndex] ? wordsBehind(requests[dataIndex], isNarrow(widthPx)) : ''));
  // Behind the bars and what is written at them.
  const markLine = { silent: true, z: 1, symbol: 'none', data: marks };
  return [
    { ...UNSEEN, id: 'start', barWidth: BAR_PX, barGap: 0, data: requests.map(({ startMs }) => startMs), markLine },
    ...phasesOf,
    { ...UNSEEN, id: 'words', label, data: requests.map(() => 0) },
  ];
}

/** Bars per request, with the phases it went through; errors in red, moments of the page as dashed lines. As high as it has rows. */
export function drawWaterfall(spec: WaterfallSpec, look: Look): Drawing {
  const { theme, widthPx, tooltip } = look;
  const requests = spec.rows.map((row, index) => readRow(row, index, spec));
  const marks = spec.marks.filter(({ atMs }) => drawable(atMs) !== null);
  const endMs = Math.max(1, ...requests.map((request) => request.startMs + lengthMs(request)), ...marks.map(({ atMs }) => atMs));

  const isAbove = isNarrow(widthPx);
  const rightPx = isAbove ? NARROW_RIGHT_PX : RIGHT_PX;
  const used = phaseSeries(requests, theme);
  const {
    option,
    series,
    marks: lines,
    heightPx,
    left,
  } = rowsOf(look, {
    title: spec.title,
    subtitle: present(spec.subtitle, ...signWords(spec, requests).map(({ words }) => words)).join(' · '),
    names: used.map(({ name }) => name),
    words: (characters) =>
      requests.map((request) => {
        const bytes = isAbove && request.bytes !== null ? ` · ${formatValue(request.bytes, 'bytes')}` : '';
        return [wordsBefore(request, characters - bytes.length) + bytes];
      }),
    colourOf: (row) => (requests[row] ? colourOf(requests[row], theme) : theme.text),
    barsPx: ROW_PX,
    leftPx: EDGE_PX,
    rightPx,
    marks: marks.map((mark) => ({ name: markWords(mark), at: mark.atMs })),
    max: endMs,
    belowPx: AXIS_PX + (tooltip ? SLIDER_PX : 0),
  });
  return {
    option: {
      ...option,
      xAxis: { type: 'value', min: 0, max: endMs, ...axisLines(theme, (ms: number) => formatValue(ms, 'ms')) },
      series: [...series, ...bars(requests, used, lines, look)],
      ...(tooltip && { dataZoom: sliderOption(theme, { left, right: rightPx }) }),
      ...rowTooltip(look, (row) => (requests[row] ? requestTooltip(requests[row], theme) : [])),
    },
    heightPx,
    words: wordsOf(spec, requests, marks),
  };
}

function wordsOf(spec: WaterfallSpec, requests: readonly Request[], marks: readonly Mark[]): string {
  const slowest = requests.toSorted((a, b) => lengthMs(b) - lengthMs(a))[0];
  const parts = present(
    `${plainText(spec.title)}: waterfall of ${requests.length} requests`,
    slowest && `the longest ${plainText(slowest.label, 60)} with ${formatValue(slowest.totalMs, 'ms')}`,
    ...signWords(spec, requests).map(({ count, words }) => `${words}: ${count}`),
    ...marks.map(markWords),
  );
  return `${parts.join('; ')}.`;
}
