import type { Rest } from './rest.ts';
import { type Asked, rounded, shift, type Truth, type Truths } from './truth.ts';

const APP = 1202;
/** Zones of the emulated app: "Add to cart" of the product screen, and those of the home screen. */
const ADD_TO_CART = 8_120_571;
const HOME_ZONES = [8_120_447, 8_120_450, 8_120_463, 8_120_466, 8_120_469];

type Range = readonly [from: string | undefined, to: string | undefined];
type Values = Readonly<Record<string, number>>;

const instants = ([from, to]: Range) => ({ startDate: `${from}T00:00:00.000Z`, endDate: `${to}T23:59:59.999Z` });

async function site(rest: Rest, range: Range, more: Record<string, string | number> = {}): Promise<Values> {
  const { values } = await rest.get('/v1/metrics/site', { ...instants(range), ...more });
  return Object.fromEntries((values as { name: string; value: number }[]).map(({ name, value }) => [name, value]));
}

async function zone(rest: Rest, id: number, path: string, range: Range): Promise<number> {
  const { values } = await rest.get(`/v1/metrics/zone/${id}/${path}`, instants(range), APP);
  return (values as { value: number }[])[0]?.value ?? Number.NaN;
}

const lastWeek = ({ dates }: Asked): Range => [dates['last_monday'], dates['last_sunday']];
const weekBefore = ({ dates }: Asked): Range => [shift(dates['last_monday'], -7), shift(dates['last_sunday'], -7)];
const tillYesterday = ({ dates }: Asked): Range => [shift(dates['today'], -7), dates['yesterday']];
const before = (range: Range, days: number): Range => [shift(range[0], -days), shift(range[0], -1)];
const lastMonth = ({ dates }: Asked): Range => {
  const end = shift(dates['month_start'], -1);
  return [`${end.slice(0, 8)}01`, end];
};
const quarter = ({ dates }: Asked): Range => [dates['quarter_start'], dates['yesterday']];

const rest = (says: string, figures: readonly number[], within: Truth['within'] = 'text'): Truth => ({ by: 'REST', says, figures, within });

/** Two ranges of one metric, as a comparison says them. */
async function pair(asked: Asked, metric: string, [earlier, later]: readonly [Range, Range], more = {}): Promise<Truth> {
  const [was, is] = [(await site(asked.rest, earlier, more))[metric] ?? 0, (await site(asked.rest, later, more))[metric] ?? 0];
  return rest(`${metric} ${rounded(was)} → ${rounded(is)}`, [was, is], 'said');
}

/** The planted fall of conversion, as an answer must name it. */
function plantedFall({ stories }: Asked, names: readonly ('day' | 'device')[]): Truth {
  const { device, startDay, factor } = stories.conversionFall;
  const says = `conversion on ${device} ${Math.round(100 * (factor - 1))}% since ${startDay}`;
  return { by: 'planted', says, texts: names.map((name) => (name === 'day' ? startDay : device)), within: 'said' };
}

const DEVICES = ['desktop', 'mobile', 'tablet'] as const;

async function byDevice(asked: Asked, range: Range): Promise<Values[]> {
  return Promise.all(DEVICES.map((device) => site(asked.rest, range, { device })));
}

/** Marshall–Edgeworth over the devices and what is none of them, in percentage points. */
async function mixAndRate(asked: Asked, earlier: Range, later: Range): Promise<Truth> {
  const parts = await Promise.all(
    [earlier, later].map(async (range) => {
      const all = await site(asked.rest, range);
      const own = (await byDevice(asked, range)).map(({ visits = 0, conversionCount = 0 }) => ({ visits, conversionCount }));
      const named = own.reduce((sum, each) => ({
        visits: sum.visits + each.visits,
        conversionCount: sum.conversionCount + each.conversionCount,
      }));
      const [visits = 0, conversionCount = 0] = [all['visits'], all['conversionCount']];
      return {
        rate: (100 * conversionCount) / visits,
        visits,
        groups: [...own, { visits: visits - named.visits, conversionCount: conversionCount - named.conversionCount }],
      };
    }),
  );
  const [was, is] = parts;
  if (!was || !is) throw new Error('two ranges');
  let [mix, rate] = [0, 0];
  for (const [index, group] of was.groups.entries()) {
    const after = is.groups[index] ?? group;
    const [shareWas, shareIs] = [group.visits / was.visits, after.visits / is.visits];
    const [valueWas, valueIs] = [(100 * group.conversionCount) / group.visits, (100 * after.conversionCount) / after.visits];
    mix += (shareIs - shareWas) * ((valueWas + valueIs) / 2 - (was.rate + is.rate) / 2);
    rate += ((shareWas + shareIs) / 2) * (valueIs - valueWas);
  }
  return rest(`devices: mix ${rounded(mix, 3)} pp, rate ${rounded(rate, 3)} pp`, [rounded(rate, 2)]);
}

async function months(asked: Asked): Promise<Truth> {
  const start = new Date(`${asked.dates['today']}T00:00:00Z`);
  start.setUTCFullYear(start.getUTCFullYear() - 1);
  const figures: number[] = [];
  for (let day = start.toISOString().slice(0, 10); day < (asked.dates['month_start'] ?? ''); ) {
    const next = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
    figures.push((await site(asked.rest, [day, shift(next, -1)]))['visits'] ?? 0);
    day = next;
  }
  return rest(`visits of ${figures.length} months, the last ${figures.at(-1)}`, figures);
}

async function halfYear(asked: Asked): Promise<Truth> {
  const start = new Date(`${asked.dates['today']}T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() - 6);
  const from = start.toISOString().slice(0, 10);
  const middle = shift(from, 91);
  const halves = await Promise.all([site(asked.rest, [from, middle]), site(asked.rest, [shift(middle, 1), asked.dates['yesterday']])]);
  const sum = (name: string) => halves.reduce((total, values) => total + (values[name] ?? 0), 0);
  const figure = (100 * sum('conversionCount')) / sum('visits');
  return rest(`${rounded(figure)} % of ${sum('visits')} visits`, [rounded(figure)]);
}

async function weekdays(asked: Asked): Promise<Truth> {
  const sums = new Map<number, { visits: number; conversions: number }>();
  const [from = '', to = ''] = quarter(asked);
  for (let day = from; day <= to; day = shift(day, 1)) {
    const { visits = 0, conversionCount = 0 } = await site(asked.rest, [day, day]);
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    const sum = sums.get(weekday) ?? { visits: 0, conversions: 0 };
    sums.set(weekday, { visits: sum.visits + visits, conversions: sum.conversions + conversionCount });
  }
  const rates = [...sums].map(([weekday, { visits, conversions }]) => ({ weekday, rate: (100 * conversions) / visits }));
  const [best] = rates.toSorted((a, b) => b.rate - a.rate);
  const name = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'][best?.weekday ?? 0] ?? '';
  return {
    ...rest(
      `best ${name} with ${rounded(best?.rate ?? 0)} %`,
      rates.map(({ rate }) => rate),
    ),
    texts: [name],
  };
}

async function mobileShare(asked: Asked): Promise<Truth> {
  const [all, mobile] = [await site(asked.rest, quarter(asked)), await site(asked.rest, quarter(asked), { device: 'mobile' })];
  const [visits, revenue] = ['visits', 'revenueSum'].map((name) => (100 * (mobile[name] ?? 0)) / (all[name] ?? 1)) as [number, number];
  return rest(`mobile: ${rounded(visits)} % of visits, ${rounded(revenue)} % of revenue`, [visits, revenue]);
}

async function segmentId(asked: Asked, wanted: string): Promise<number> {
  const segments = (await asked.rest.get('/v1/segments')) as unknown as { id: number; name: string }[];
  return segments.find(({ name }) => name === wanted)?.id ?? 0;
}

async function ofSegments(asked: Asked, range: Range, names: readonly string[], metrics: readonly string[]): Promise<Truth> {
  const rows = await Promise.all(
    names.map(async (name) => site(asked.rest, range, name === '' ? {} : { segmentIds: await segmentId(asked, name) })),
  );
  const figures = rows.flatMap((row) => metrics.map((metric) => row[metric] ?? 0));
  return rest(`${metrics.join(', ')}: ${figures.map((figure) => rounded(figure)).join(', ')}`, figures);
}

/** Truths about metrics. */
export const metricTruths: Truths = {
  '1': async (asked) => [await pair(asked, 'conversionRate', [weekBefore(asked), lastWeek(asked)]), plantedFall(asked, ['day', 'device'])],
  '2': async (asked) => [
    await pair(asked, 'conversionRate', [before(tillYesterday(asked), 7), tillYesterday(asked)]),
    plantedFall(asked, ['day']),
  ],
  '3': async (asked) => {
    const rates = (await byDevice(asked, tillYesterday(asked))).map(({ conversionRate = 0 }) => conversionRate);
    return rest(`desktop, mobile, tablet ${rates.map((rate) => rounded(rate)).join(', ')} %`, rates, 'said');
  },
  '4': async (asked) => [await mixAndRate(asked, weekBefore(asked), lastWeek(asked)), plantedFall(asked, ['day'])],
  '5': (asked) => {
    const week: Range = [asked.dates['this_monday'], asked.dates['yesterday']];
    // A week so far is compared with the same weekdays of the week before.
    return pair(asked, 'revenueSum', [[shift(week[0], -7), shift(week[1], -7)], week]);
  },
  '6': async (asked) => {
    const rates = (await byDevice(asked, lastMonth(asked))).map(({ conversionRate = 0 }) => conversionRate);
    return rest(`desktop, mobile, tablet ${rates.map((rate) => rounded(rate)).join(', ')} %`, rates);
  },
  '7': (asked) =>
    ofSegments(asked, lastMonth(asked), ['New visitors', 'Returning visitors'], ['conversionRate', 'revenueSum', 'sessionTimeAverage']),
  '8': async (asked) => {
    const [was, is] = [await site(asked.rest, weekBefore(asked)), await site(asked.rest, lastWeek(asked))];
    const names = [
      'conversionRate',
      'visits',
      'revenueSum',
      'bounceRate',
      'cartAverage',
      'conversionCount',
      'pageviewAverage',
      'sessionTimeAverage',
    ];
    return rest(
      'the eight metrics of both weeks',
      names.flatMap((name) => [was[name] ?? 0, is[name] ?? 0]),
    );
  },
  '9': months,
  '10': halfYear,
  '11': (asked) => {
    const week: Range = [asked.dates['this_monday'], asked.dates['yesterday']];
    return pair(asked, 'visits', [[shift(week[0], -364), shift(week[1], -364)], week]);
  },
  '12': async ({ dates }) => ({
    by: 'REST',
    says: 'the day is not over',
    texts: [`Today is incomplete (${dates['today']})`],
    within: 'text',
  }),
  '13': async (asked) => {
    const rate = await zone(asked.rest, ADD_TO_CART, 'tap-rate', lastWeek(asked));
    return rest(`${rounded(rate)} %`, [rate]);
  },
  '14': async (asked) => {
    const figures = await Promise.all(HOME_ZONES.map((id) => zone(asked.rest, id, 'revenue-per-tap', lastWeek(asked))));
    return rest(`${figures.map((figure) => rounded(figure)).join(', ')} EUR`, figures);
  },
  '29': async (asked) => ({ ...plantedFall(asked, ['day', 'device']), within: 'text' }),
  '30/0': weekdays,
  '30/1': mobileShare,
  '31': async (asked) => ({ ...plantedFall(asked, ['day', 'device']), within: 'text' }),
  '35': (asked) =>
    ofSegments(asked, [asked.dates['four_weeks_start'], asked.dates['last_sunday']], ['Paid search', ''], ['conversionRate']),
  '36/0': async (asked) => {
    const day = asked.dates['black_friday'];
    const { visits = 0, revenueSum = 0 } = await site(asked.rest, [day, day]);
    return rest(`${visits} visits, ${rounded(revenueSum)} EUR on ${day}`, [visits, revenueSum]);
  },
  '36/1': async (asked) => {
    const mondays = Array.from({ length: 10 }, (_, week) => shift(asked.dates['ten_weeks_start'], 7 * week));
    const figures = await Promise.all(mondays.map(async (day) => (await site(asked.rest, [day, shift(day, 6)]))['visits'] ?? 0));
    return rest(`visits of ten weeks, the last ${figures.at(-1)}`, figures);
  },
  '38': async (asked) => {
    const range = tillYesterday(asked);
    const [was, is] = [await site(asked.rest, before(range, 7)), await site(asked.rest, range)];
    return rest(`conversions ${was['conversionCount']} → ${is['conversionCount']}`, [
      was['conversionCount'] ?? 0,
      is['conversionCount'] ?? 0,
    ]);
  },
  '39': async (asked) => {
    const range: Range = [shift(asked.dates['today'], -14), asked.dates['yesterday']];
    return [await pair(asked, 'conversionRate', [before(range, 14), range], { device: 'mobile' }), plantedFall(asked, ['day', 'device'])];
  },
  '40': async (asked) => pair(asked, 'conversionRate', [before(tillYesterday(asked), 7), tillYesterday(asked)]),
  '47': async (asked) => [await pair(asked, 'conversionRate', [weekBefore(asked), lastWeek(asked)]), plantedFall(asked, ['day', 'device'])],
  '65': async (asked) => {
    const days = Array.from({ length: 28 }, (_, day) => shift(asked.dates['today'], day - 28));
    const figures = await Promise.all(days.map(async (day) => (await site(asked.rest, [day, day]))['visits'] ?? 0));
    return rest(`visits of 28 days, ${figures.reduce((sum, figure) => sum + figure, 0)} in all`, figures);
  },
  ...Object.fromEntries(
    [
      ['66', 'no heatmaps'],
      ['67', 'not of visitors'],
      ['68', 'visitors are not counted'],
    ].map(([number, words = '']) => [
      number,
      async (): Promise<Truth> => ({ by: 'planted', says: 'the interface has no such figure', texts: [words], within: 'text' }),
    ]),
  ),
};
