import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { knownDaysOf } from '../../../src/metrics/calendar/known-days.ts';
import { lastYearOf } from '../../../src/metrics/calendar/last-year.ts';
import { publicHolidaysOf } from '../../../src/metrics/calendar/public-holidays.ts';
import { specialDaysOf } from '../../../src/metrics/calendar/special-days.ts';
import { clearOccasions } from '../../../src/metrics/calendar/special-words.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { countsFrom, isWeekend } from '../points.ts';

const special = specialDaysOf([{ label: '2026-10-03', name: 'German Unity Day' }]);
const nameOf = (label: string) => special(label)?.name;
/** Visits with weekends of 0.7 and shocks of 3 %; `factorOf` says what a day is multiplied by. */
const daysFrom = (first: string, length: number, factorOf: (label: string) => number = () => 1) =>
  countsFrom(first, length, 5, 0.03, (label) => 5_000 * (isWeekend(label) ? 0.7 : 1) * factorOf(label));

it.each(['2022-11-25', '2023-11-24', '2024-11-29', '2025-11-28', '2026-11-27', '2027-11-26'])(
  'special days Black Friday is on %s',
  (day) => {
    expect(nameOf(day)).toBe('Black Friday');
    expect([-5, -4, 1, 3, 4].map((distance) => nameOf(dayAfter(day, distance)))).toEqual([
      undefined,
      'Black Friday week',
      'Black Friday weekend',
      'Cyber Monday',
      undefined,
    ]);
  },
);

it('special days are the days around Christmas, and public holidays; others are none', () => {
  expect(['2026-12-24', '2027-01-01', '2026-10-03', '2026-10-04', '2026-12-21'].map(nameOf)).toEqual([
    'Christmas Eve',
    "New Year's Day",
    'German Unity Day',
    undefined,
    undefined,
  ]);
});

it('special days are the public holidays of the country of a zone, and none of UTC', async () => {
  const labels = async (zone: string) => (await publicHolidaysOf(zone, [2026])).map(({ label }) => label);
  expect(await labels('Europe/Berlin')).toEqual(expect.arrayContaining(['2026-01-01', '2026-04-06', '2026-10-03']));
  expect(await labels('America/New_York')).toContain('2026-11-26');
  expect(await labels('Europe/Berlin')).not.toContain('2026-11-26');
  expect(await labels('UTC')).toEqual([]);
});

it('special days are those of a country or region that is named, whatever the zone', async () => {
  const labels = async (country: string) => (await publicHolidaysOf('UTC', [2026], country)).map(({ label }) => label);
  expect(await labels('FR')).toContain('2026-07-14');
  // Epiphany is a holiday in Bavaria, and not in all of Germany.
  expect(await labels('DE-BY')).toContain('2026-01-06');
  expect(await labels('DE')).not.toContain('2026-01-06');
});

it("special days are a site's own, before all others, by the same day of the same name in each year", () => {
  const own = specialDaysOf(
    [],
    [
      { from: '2025-09-10', to: '2025-09-12', name: 'Sale' },
      { from: '2026-09-15', to: '2026-09-17', name: 'Sale' },
      { from: '2026-11-27', to: '2026-11-27', name: 'Our day' },
    ],
  );
  expect(own('2026-09-16')).toMatchObject({ name: 'Sale', key: own('2025-09-11')?.key });
  expect(own('2026-09-18')).toBeUndefined();
  expect(own('2026-11-27')?.name).toBe('Our day');
  expect(own('2026-11-26')?.name).toBe('Black Friday week');
});

describe('last year', () => {
  const FIRST = '2025-06-01';
  const byBlackFriday = daysFrom(FIRST, 240, (label) => (nameOf(label) === 'Black Friday' ? 2.4 : 1));

  it('says what a special day did against ordinary days of its weekday', () => {
    const day = special('2026-11-27');
    const effect = day && lastYearOf(byBlackFriday, special).effectOf(day, true, { mean: 0, sd: day.totals });
    expect(Math.exp(effect?.mean ?? 0)).toBeCloseTo(2.4, 0);
    expect(effect?.sd).toBeGreaterThan(0);
  });

  it('says little by a special day of few events, and is less sure of it', () => {
    const day = special('2026-11-27');
    const effectOf = (share: number) => {
      const few = byBlackFriday.map((point) => ({ ...point, numerator: Math.max(1, Math.round(point.numerator * share)) }));
      return day && lastYearOf(few, special).effectOf(day, false, { mean: 0, sd: day.rates });
    };
    const [many, few] = [effectOf(1), effectOf(10 / (byBlackFriday[0]?.numerator ?? 1))];
    expect(few?.mean).toBeLessThan(0.75 * (many?.mean ?? 0));
    expect(few?.sd).toBeGreaterThan(1.5 * (many?.sd ?? 1));
  });

  it('takes few orders of a special day to follow its visits, and each weekday as all days where so few differ by chance', () => {
    const visits = daysFrom(FIRST, 240, (label) => (nameOf(label) === 'Black Friday' ? 1.1 : 1));
    const random = seeded(5);
    const at = visits.findIndex(({ label }) => nameOf(label) === 'Black Friday');
    const orders = visits.slice(at - 14, at + 15).map((point, index) => {
      const ofFridays = index === 14 ? 72 : 29;
      return { ...point, numerator: index % 7 === 0 ? ofFridays : random.poisson(36) };
    });
    const effectOf = (metric: string) =>
      knownDaysOf(special, (asked) => (asked === 'visits' ? visits : orders)).of(metric, '2026-11-27').special;
    // Black Friday had 2.5 times the orders of the Fridays around it, twice those of all days, and 1.1 times the visits.
    expect(Math.exp(effectOf('conversionCount')?.mean ?? 0)).toBeLessThan(1.9);
    expect(Math.exp(effectOf('visits')?.mean ?? 0)).toBeCloseTo(1.1, 1);
  });

  it('lets totals of zones, of which no year is known, follow the visits of the site', () => {
    const known = knownDaysOf(special, (metric) => (metric === 'visits' ? byBlackFriday : []));
    const effectOf = (metric: string) => known.of(metric, '2026-11-27').special?.mean;
    expect(effectOf('visits')).toBeGreaterThan(0.2);
    expect(effectOf('totalRevenueWithTap')).toBe(effectOf('visits'));
    expect(effectOf('tapRate')).toBe(0);
  });

  it('has the smooth level of the day 364 days before, without weekdays and special days', () => {
    const rising = daysFrom(FIRST, 240, (label) =>
      nameOf(label) === undefined ? Math.exp((Date.parse(label) - Date.parse(FIRST)) / DAY_MS / 400) : 3,
    );
    const { seasonOf } = lastYearOf(rising, special);
    const [early, late] = [seasonOf(dayAfter(FIRST, 364 + 60)), seasonOf(dayAfter(FIRST, 364 + 180))];
    expect((late ?? 0) - (early ?? 0)).toBeCloseTo(120 / 400, 1);
    expect(seasonOf(dayAfter(FIRST, 364 + 300))).toBeUndefined();
  });

  it('takes pay days that fall on special days for no fall of the season, and for no part of what these did', () => {
    const isPayDay = (label: string) => Number(label.slice(8)) >= 26 || Number(label.slice(8)) <= 3;
    const paid = daysFrom(FIRST, 240, (label) => (isPayDay(label) ? 1.2 : 1) * (nameOf(label) === 'Black Friday' ? 2 : 1));
    const { seasonOf, effectOf } = lastYearOf(paid, special);
    const [october, november] = [seasonOf('2026-10-20'), seasonOf('2026-11-20')];
    // Shocks of 3 % leave a mean of 21 days known to 0.7 %; the pay days that are missing in November made 4.6 %.
    expect(Math.abs((november ?? 1) - (october ?? 0))).toBeLessThan(0.02);
    const day = special('2026-11-27');
    expect(Math.exp((day && effectOf(day, true, { mean: 0, sd: day.totals })?.mean) ?? 0)).toBeCloseTo(2, 1);
  });
});

describe('special days that moved a metric', () => {
  const days = daysFrom('2026-09-01', 100, (label) => (nameOf(label) === 'Black Friday' ? 2 : 1));
  const named = (points: typeof days, labels: readonly string[], changes: Parameters<typeof clearOccasions>[3] = []) =>
    clearOccasions(points, new Set(labels), special, changes);

  it('are named, those that follow each other as one, and none that did little', () => {
    expect([named(days, ['2026-10-03']), named(days, ['2026-09-20', '2026-09-21'])]).toEqual([[], []]);
    expect(named(days, ['2026-11-26', '2026-11-27'])).toEqual(['Black Friday (+92%)']);
    const week = daysFrom('2026-09-01', 100, (label) => (label >= '2026-11-23' && label <= '2026-11-30' ? 1.6 : 1));
    expect(named(week, ['2026-11-26', '2026-11-27', '2026-11-28'])).toEqual(['Black Friday week to Black Friday weekend (+54% to +66%)']);
  });

  it('own no day of a change', () => {
    const halved = { from: '2026-11-09', relative: -0.5 };
    const broken = daysFrom('2026-09-01', 100, (label) => (label >= '2026-11-09' ? 0.5 : 1));
    const week = ['2026-11-23', '2026-11-24'];
    expect(named(broken, week, [halved])).toEqual([]);
    const both = broken.map((day) => (week.includes(day.label) ? { ...day, numerator: day.numerator * 1.3 } : day));
    expect(named(both, week, [halved])).toEqual(['Black Friday week (+37% to +41%)']);
    // A campaign on nothing but special days is no effect of theirs.
    const peak = daysFrom('2026-09-01', 100, (label) => (label >= '2026-11-23' && label <= '2026-11-30' ? 1.6 : 1));
    expect(named(peak, ['2026-11-27'], [{ from: '2026-11-23', to: '2026-11-30', relative: 0.6 }])).toEqual([]);
  });

  it('take no fall that the days before show too, and no year before, for their effect', () => {
    const fallen = daysFrom('2026-09-01', 84, (label) => (label >= '2026-11-12' ? 0.5 : 1));
    expect(named(fallen, ['2026-11-23'])).toEqual([]);
    const yearBefore = daysFrom('2025-11-28', 1, () => 2);
    expect(named([...yearBefore, ...days], ['2025-11-28', '2026-11-27'])).toEqual(['Black Friday (+92%)']);
  });

  it('are none where usual days scatter as much, and where the level had changed before', () => {
    const random = seeded(9);
    const noisy = daysFrom('2026-09-01', 100, () => Math.exp(0.15 * random.normal()));
    const at = noisy.find(({ label }) => label === '2026-11-27');
    const scattered = noisy.map((day) => (day === at ? { ...day, numerator: 5_000 * Math.exp(0.2) } : day));
    expect(named(scattered, ['2026-11-27'])).toEqual([]);
    expect(named(days, ['2026-11-27'], [{ from: '2026-11-26', relative: 1 }])).toEqual([]);
    // After the change a tenth of the visits is left, which scatter as few do.
    const few = daysFrom('2026-09-01', 100, (label) => (label >= '2026-11-09' ? 0.002 * Math.exp(0.5 * random.normal()) : 1));
    const high = few.map((day) => (day.label === '2026-11-24' ? { ...day, numerator: 16 } : day));
    expect(named(high, ['2026-11-24'], [{ from: '2026-11-09', relative: -0.998 }])).toEqual([]);
  });
});
