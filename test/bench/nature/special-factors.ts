const DAY_MS = 86_400_000;

/** Gauss's Easter algorithm in the form of Meeus, Jones and Butcher: month and day. */
function easterMs(year: number): number {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1);
}

/** Days after Black Friday (the day after the fourth Thursday of November) and what each does to visits and rates. */
const BLACK = new Map([
  [-4, [1.15, 1.05]],
  [-3, [1.18, 1.05]],
  [-2, [1.25, 1.08]],
  [-1, [1.5, 1.15]],
  [0, [2.4, 1.45]],
  [1, [1.7, 1.25]],
  [2, [1.55, 1.2]],
  [3, [1.8, 1.35]],
]);
const FIXED: Readonly<Record<string, readonly [number, number]>> = {
  '01-01': [0.7, 0.8],
  '05-01': [0.8, 0.9],
  '10-03': [0.85, 0.92],
  '12-23': [0.85, 0.85],
  '12-24': [0.5, 0.6],
  '12-25': [0.55, 0.65],
  '12-26': [0.75, 0.8],
  '12-27': [0.95, 0.9],
  '12-31': [0.65, 0.7],
};
const AFTER_EASTER = new Map([
  [-2, [0.8, 0.9]],
  [0, [0.8, 0.9]],
  [1, [0.85, 0.9]],
  [39, [0.85, 0.93]],
  [50, [0.85, 0.93]],
]);

/** What a day of Black Friday, Christmas or a public holiday of Germany does to visits and to rates; both 1 on others. */
export function specialFactors(ms: number): readonly number[] {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  const november = new Date(Date.UTC(year, 10, 1)).getUTCDay();
  const black = Date.UTC(year, 10, 1 + ((4 - november + 7) % 7) + 21 + 1);
  return (
    BLACK.get(Math.round((ms - black) / DAY_MS)) ??
    AFTER_EASTER.get(Math.round((ms - easterMs(year)) / DAY_MS)) ??
    FIXED[date.toISOString().slice(5, 10)] ?? [1, 1]
  );
}
