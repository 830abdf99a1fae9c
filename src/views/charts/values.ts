import { formatBytes, formatMs, formatNumber, formatPercent, NO_VALUE } from '../../lib/number-text.ts';

/** What a chart's numbers are; `none` for counts, amounts and scores, `points` and `change` with their sign. */
export type Unit = 'ms' | 'bytes' | 'percent' | 'none' | 'points' | 'change';

const formats: Readonly<Record<Unit, (value: number | null | undefined) => string>> = {
  ms: formatMs,
  bytes: formatBytes,
  percent: formatPercent,
  none: (value) => formatNumber(value, { group: true }),
  points: (value) => (drawable(value) === null ? NO_VALUE : `${formatNumber(value, { sign: true })} pp`),
  change: (value) => formatNumber(value, { sign: true, group: true }),
};

/** A value with its unit as charts write it; `–` where there is none. */
export function formatValue(value: number | null | undefined, unit: Unit): string {
  return formats[unit](value);
}

/** The signs of a text that can be seen, on one line. */
function signs(text: string): string[] {
  return Array.from(text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim());
}

/** Text that a picture can hold on one line: control and direction characters dropped, the middle cut beyond `limit` characters. */
export function plainText(text: string, limit = 120): string {
  const line = signs(text);
  if (line.length <= limit) return line.join('');
  const tail = Math.floor(limit / 2);
  return `${line.slice(0, limit - tail - 1).join('')}…${line.slice(-tail).join('')}`;
}

/** The same for sentences; the end is cut, because the beginning says most. */
export function shortText(text: string, limit: number): string {
  const line = signs(text);
  return line.length <= limit
    ? line.join('')
    : `${line
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}

/** A number that can be drawn; anything else is a gap, never a zero. */
export function drawable(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
