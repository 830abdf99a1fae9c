import type { WaterfallRow } from '../spec.ts';
import type { TooltipLine } from './look.ts';
import { type Phase, phases, type Theme } from './theme.ts';
import { drawable, formatValue, plainText } from './values.ts';

/** A row of a waterfall, ready to be drawn; null where the file does not say. */
export interface Request {
  readonly label: string;
  readonly status: number;
  readonly bytes: number | null;
  readonly startMs: number;
  readonly totalMs: number | null;
  readonly phasesMs: Readonly<Record<Phase, number | null>>;
}

/** Reads a row; a duration without phases becomes one phase that is called unsplit. */
export function readRow([label, status, bytes, startMs, totalMs, ...phasesMs]: WaterfallRow): Request {
  const known = phasesMs.map(drawable);
  const isSplit = known.some((ms) => ms !== null && ms > 0);
  const unsplit = isSplit ? null : drawable(totalMs);
  return {
    label: plainText(label),
    status,
    bytes: drawable(bytes),
    startMs: drawable(startMs) ?? 0,
    totalMs: drawable(totalMs),
    // The last phase is the unsplit one, which no row has a column for.
    phasesMs: Object.fromEntries(
      phases.map((phase, index) => [phase, phase === 'unsplit' ? unsplit : isSplit ? (known[index] ?? null) : null]),
    ) as Request['phasesMs'],
  };
}

/** No response, or one that says error. */
export function isFailed({ status }: Request): boolean {
  return status === 0 || status >= 400;
}

/** From the start to the end of the bar. */
export function lengthMs({ totalMs, phasesMs }: Request): number {
  const sum = phases.reduce((total, phase) => total + (phasesMs[phase] ?? 0), 0);
  return Math.max(sum, totalMs ?? 0);
}

/** What stands before a bar, in at most `limit` characters. */
export function wordsBefore(request: Request, limit: number): string {
  if (!isFailed(request)) return plainText(request.label, limit);
  return plainText(`${request.status === 0 ? 'failed' : request.status} ${request.label}`, limit);
}

/** What stands behind a bar. */
export function wordsBehind({ totalMs, bytes }: Request): string {
  return [formatValue(totalMs, 'ms'), ...(bytes === null ? [] : [formatValue(bytes, 'bytes')])].join(' · ');
}

/** All that is known of a request. */
export function requestTooltip(request: Request, theme: Theme): TooltipLine[] {
  const { label, status, bytes, startMs, totalMs, phasesMs } = request;
  return [
    { name: label },
    { name: 'Status', value: status === 0 ? 'no response' : String(status) },
    ...(bytes === null ? [] : [{ name: 'Over the network', value: formatValue(bytes, 'bytes') }]),
    { name: 'Start', value: formatValue(startMs, 'ms') },
    { name: 'Duration', value: formatValue(totalMs, 'ms') },
    ...phases
      .filter((phase) => phase !== 'unsplit' && phasesMs[phase] !== null)
      .map((phase) => ({ name: phase, value: formatValue(phasesMs[phase], 'ms'), colour: theme.phases[phase] })),
  ];
}
