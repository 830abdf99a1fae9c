/** Stands for "no value" wherever a number is shown; a missing number is never 0. */
export const NO_VALUE = '–';

type MaybeNumber = number | null | undefined;

/** Digits, sign and grouping of a number's text. */
export interface NumberStyle {
  /** Exactly this many decimals; by default integers stay exact and others are rounded by their size. */
  digits?: number;
  /** 1,234,567: for sentences that a person reads; it costs a model two tokens more. */
  group?: boolean;
  /** Puts + before a rise, for changes. */
  sign?: boolean;
}

function isNumber(value: MaybeNumber): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Three significant digits, and never fewer than the integer part has. */
function threeDigits(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

function roundedBySize(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) return String(value);
  if (size < 1) return String(Number(value.toPrecision(3)));
  if (size >= 1000) return String(Number(value.toFixed(0)));
  return String(Number(value.toFixed(size >= 100 ? 1 : 2)));
}

/** A number as text: 12345 · 93.01 · 0.0412; `–` where there is none. */
export function formatNumber(value: MaybeNumber, { digits, group = false, sign = false }: NumberStyle = {}): string {
  if (!isNumber(value)) return NO_VALUE;
  const plain = digits === undefined ? roundedBySize(value) : value.toFixed(digits);
  const text = Number(plain) === 0 ? plain.replace('-', '') : plain;
  const [integer = '', ...fraction] = text.split('.');
  const grouped = group ? [integer.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.') : text;
  return sign && Number(text) > 0 ? `+${grouped}` : grouped;
}

/** The same in groups of three digits, for sentences that a person reads. */
export const inGroups = (value: MaybeNumber): string => formatNumber(value, { group: true });

/** A value that is already in percent, as the interface gives rates: 93.0079 → `93.01%`. */
export function formatPercent(value: MaybeNumber, style: NumberStyle = {}): string {
  return isNumber(value) ? `${formatNumber(value, style)}%` : NO_VALUE;
}

/** Bytes in decimal units to three digits: 2612345 → `2.61 MB`. */
export function formatBytes(bytes: MaybeNumber): string {
  if (!isNumber(bytes)) return NO_VALUE;
  let amount = bytes;
  for (const unit of ['B', 'kB', 'MB', 'GB']) {
    if (Math.abs(threeDigits(amount)) < 1000) return `${threeDigits(amount)} ${unit}`;
    amount /= 1000;
  }
  return `${threeDigits(amount)} TB`;
}

function inTwoUnits(count: number, smallerInLarger: number, larger: string, smaller: string): string {
  const rest = count % smallerInLarger;
  return rest === 0 ? `${count / smallerInLarger} ${larger}` : `${Math.floor(count / smallerInLarger)} ${larger} ${rest} ${smaller}`;
}

/** A duration in the two units that a person would say: `312 ms`, `2.43 s`, `2 min 5 s`, `10 h`. */
export function formatMs(ms: MaybeNumber): string {
  if (!isNumber(ms)) return NO_VALUE;
  if (ms < 0) return `-${formatMs(-ms)}`;
  if (threeDigits(ms) < 1000) return `${threeDigits(ms)} ms`;
  if (threeDigits(ms / 1000) < 60) return `${threeDigits(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 3600 ? inTwoUnits(seconds, 60, 'min', 's') : inTwoUnits(Math.round(ms / 60_000), 60, 'h', 'min');
}

/** `1 request`, `2 requests`. */
export function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`;
}
