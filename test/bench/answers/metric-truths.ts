import type { Finding } from '../../../src/findings/finding.ts';
import { times } from '../../support/times.ts';
import type { Claim } from './claim.ts';
import type { Rest } from './rest.ts';
import { type Asked, CHANGE, IS, shift, type Truths, WAS } from './truth.ts';

const APP = 1202;
/** Zones of the emulated app: "Add to cart" of the product screen, and those of the home screen. */
const ADD_TO_CART = 8_120_571;
const HOME_ZONES = [8_120_447, 8_120_450, 8_120_463, 8_120_466, 8_120_469];
const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
const KPIS = [
  'conversionRate',
  'visits',
  'revenueSum',
  'bounceRate',
  'cartAverage',
  'conversionCount',
  'pageviewAverage',
  'sessionTimeAverage',
];

type Range = readonly [from: string | undefined, to: string | undefined];
type Values = Readonly<Record<string, number>>;

const instants = ([from, to]: Range) => ({ startDate: `${from}T00:00:00.000Z`, endDate: `${to}T23:59:59.999Z` });

async function site(rest: Rest, range: Range, more: Record<string, string | number> = {}): Promise<Values> {
  const { values } = await rest.get('/v1/metrics/site', { ...instants(range), ...more });
  return Object.fromEntries((values as { name: string; value: number }[]).map(({ name, value }) => [name, value]));
}

async function zone({ rest, dates }: Asked, id: number, path: string): Promise<number> {
  const { values } = await rest.get(`/v1/metrics/zone/${id}/${path}`, instants([dates['last_monday'], dates['last_sunday']]), APP);
  return (values as { value: number }[])[0]?.value ?? Number.NaN;
}

const lastWeek = ({ dates }: Asked): Range => [dates['last_monday'], dates['last_sunday']];
const thisWeek = ({ dates }: Asked): Range => [dates['this_monday'], dates['yesterday']];
const tillYesterday = ({ dates }: Asked, days = 7): Range => [shift(dates['today'], -days), dates['yesterday']];
const earlier = ([from, to]: Range, days: number): Range => [shift(from, -days), shift(to, -days)];
const quarter = ({ dates }: Asked): Range => [dates['quarter_start'], dates['yesterday']];
const lastMonth = ({ dates }: Asked): Range => {
  const end = shift(dates['month_start'], -1);
  return [`${end.slice(0, 8)}01`, end];
};

/** A row of a table: figures in the columns of their names. */
const row = (at: Claim['at'], figures: Values): Claim => ({
  by: 'REST',
  ...(at && { at }),
  has: Object.entries(figures).map(([name, is]) => ({ as: [name, ...IS], is })),
});

const only = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? Number.NaN]));

/** A metric in a range and days before it, as a comparison shows them. */
async function pairs(asked: Asked, metrics: readonly string[], range: Range, daysBefore: number, device?: string): Promise<Claim[]> {
  const more = device === undefined ? {} : { device };
  const [was, is] = [await site(asked.rest, earlier(range, daysBefore), more), await site(asked.rest, range, more)];
  return metrics.map((metric) => ({
    by: 'REST',
    metric,
    says: `${metric} ${was[metric]} → ${is[metric]}`,
    ...(device !== undefined && { may: [device] }),
    has: [
      { as: WAS, is: was[metric] ?? Number.NaN },
      { as: IS, is: is[metric] ?? Number.NaN },
    ],
  }));
}

/** Of an estimate from counts: three standard errors, so that sound estimates over other days before it, or freed of weekdays, agree. */
const ERRORS = 3;

/** The planted fall of conversion on a device: its first day, its size over all its days, and what it cost in a range. */
async function fall(asked: Asked, cost?: { readonly of: 'conversionCount' | 'revenueSum'; readonly range: Range }) {
  const { device, startDay } = asked.stories.conversionFall;
  const before = await site(asked.rest, [shift(startDay, -28), shift(startDay, -1)], { device });
  const within = async ([from = startDay, until]: Range) => {
    const {
      visits = 0,
      conversionCount: had = 0,
      cartAverage: basket = 0,
    } = await site(asked.rest, [from > startDay ? from : startDay, until], { device });
    const expected = (visits * (before['conversionCount'] ?? 0)) / (before['visits'] ?? 1);
    const error = ERRORS * expected * (had / expected) * Math.sqrt(1 / had + 1 / (before['conversionCount'] ?? 0));
    return { had, expected, error, basket };
  };
  const { had, expected, error } = await within([startDay, asked.dates['yesterday']]);
  const [percent, percentOff] = [100 * (had / expected - 1), (100 * error) / expected];
  const place = { by: 'planted', at: [device] } as const;
  const first = { as: CHANGE.from, is: startDay };
  const size = { as: CHANGE.percent, is: percent, within: percentOff };
  const [told] = (asked.structured?.['findings'] ?? []) as readonly Finding[];
  const isFirst = told?.subject === 'conversionRate' && told.place.device === device && told.when.from === startDay;
  const claims: Claim[] = [
    { ...place, metric: 'conversionRate', has: [first, size] },
    { ...place, says: 'the fall comes first', has: [first], done: isFirst },
  ];
  if (!cost) return claims;
  const lost = await within(cost.range);
  // A lost purchase is worth what one of these days was.
  const worth = cost.of === 'revenueSum' ? lost.basket : 1;
  const off = ERRORS * Math.hypot(Math.sqrt(lost.had), lost.expected / Math.sqrt(before['conversionCount'] ?? 1));
  return [...claims, { ...place, has: [first, { as: CHANGE.cost, is: worth * (lost.had - lost.expected), within: worth * off }] }];
}

/** Marshall–Edgeworth over the devices and what is none of them, in percentage points. */
async function mixAndRate({ rest }: Asked, range: Range): Promise<Claim> {
  const [was, is] = await Promise.all(
    [earlier(range, 7), range].map(async (days) => {
      const all = await site(rest, days);
      const named = await Promise.all(DEVICES.map((device) => site(rest, days, { device })));
      const less = (name: string) => named.reduce((sum, own) => sum - (own[name] ?? 0), all[name] ?? 0);
      const groups: Values[] = [...named, { visits: less('visits'), conversionCount: less('conversionCount') }];
      const rateOf = ({ visits = 0, conversionCount = 0 }: Values) => (100 * conversionCount) / visits;
      return {
        rate: rateOf(all),
        groups: groups.map((group) => ({ rate: rateOf(group), share: (group['visits'] ?? 0) / (all['visits'] ?? 1) })),
      };
    }),
  );
  if (!was || !is) throw new Error('two ranges');
  let [mix, rate] = [0, 0];
  for (const [index, group] of was.groups.entries()) {
    const after = is.groups[index] ?? group;
    mix += (after.share - group.share) * ((group.rate + after.rate) / 2 - (was.rate + is.rate) / 2);
    rate += ((group.share + after.share) / 2) * (after.rate - group.rate);
  }
  // Sums of four parts that are shown to the fourth decimal.
  const within = 2.5e-4;
  const has = [
    { as: ['mix'], is: mix, within },
    { as: ['rate'], is: rate, within },
  ];
  return { by: 'REST', at: ['devices'], metric: 'conversionRate', has };
}

async function months({ rest, dates }: Asked): Promise<Claim[]> {
  const claims: Claim[] = [];
  const start = new Date(`${dates['today']}T00:00:00Z`);
  start.setUTCFullYear(start.getUTCFullYear() - 1);
  for (let day = start.toISOString().slice(0, 10); day < (dates['month_start'] ?? ''); ) {
    const next = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
    claims.push(row([day.slice(0, 7)], only(await site(rest, [day, shift(next, -1)]), ['visits'])));
    day = next;
  }
  return claims;
}

async function halfYear({ rest, dates }: Asked): Promise<Claim> {
  const start = new Date(`${dates['today']}T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() - 6);
  const middle = shift(start.toISOString().slice(0, 10), 91);
  const halves = [await site(rest, [shift(middle, -91), middle]), await site(rest, [shift(middle, 1), dates['yesterday']])];
  const sum = (name: string) => halves.reduce((total, values) => total + (values[name] ?? 0), 0);
  return row([], { conversionRate: (100 * sum('conversionCount')) / sum('visits'), visits: sum('visits') });
}

async function weekdays({ rest, ...asked }: Asked): Promise<Claim[]> {
  const sums = new Map<string, { visits: number; conversions: number }>();
  const [from = '', to = ''] = quarter({ rest, ...asked });
  for (let day = from; day <= to; day = shift(day, 1)) {
    const { visits = 0, conversionCount = 0 } = await site(rest, [day, day]);
    const weekday = new Date(`${day}T00:00:00Z`).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    const sum = sums.get(weekday) ?? { visits: 0, conversions: 0 };
    sums.set(weekday, { visits: sum.visits + visits, conversions: sum.conversions + conversionCount });
  }
  return [...sums].map(([weekday, { visits, conversions }]) => row([weekday], { conversionRate: (100 * conversions) / visits, visits }));
}

async function mobileShare({ rest, ...asked }: Asked): Promise<Claim> {
  const range = quarter({ rest, ...asked });
  const [all, mobile] = [await site(rest, range), await site(rest, range, { device: 'mobile' })];
  const share = (name: string) => (100 * (mobile[name] ?? 0)) / (all[name] ?? 1);
  return row(['mobile'], { visitsShare: share('visits'), revenueSumShare: share('revenueSum') });
}

async function bySegment({ rest }: Asked, range: Range, names: readonly string[], metrics: readonly string[]): Promise<Claim[]> {
  const segments = (await rest.get('/v1/segments')) as unknown as { id: number; name: string }[];
  return Promise.all(
    names.map(async (name) => {
      const id = segments.find((segment) => segment.name === name)?.id;
      return row([name], only(await site(rest, range, id === undefined ? {} : { segmentIds: id }), metrics));
    }),
  );
}

const byDevice = async ({ rest }: Asked, range: Range): Promise<Claim[]> =>
  Promise.all(DEVICES.map(async (device) => row([device], only(await site(rest, range, { device }), ['conversionRate']))));

/** Visits of days or weeks, each row named by its first day. */
const visitsFrom = async ({ rest }: Asked, firsts: readonly string[], days: number): Promise<Claim[]> =>
  Promise.all(firsts.map(async (day) => row([day], only(await site(rest, [day, shift(day, days - 1)]), ['visits']))));

/** Visits of today until the instant that the answer says it ends at, which must be now. */
async function unfinished({ rest, dates, nowMs, structured }: Asked): Promise<Claim[]> {
  const end = String((structured?.['range'] as { end?: string } | undefined)?.end);
  const isNow = Math.abs(Date.parse(end) - nowMs) < 60_000;
  const { values } = await rest.get('/v1/metrics/site', { startDate: `${dates['today']}T00:00:00.000Z`, endDate: isNow ? end : '' });
  const visits = (values as { name: string; value: number }[]).find(({ name }) => name === 'visits')?.value ?? Number.NaN;
  return [
    { by: 'REST', says: 'the range ends now', has: [{ as: ['range.end'], is: dates['today'] ?? '' }], done: isNow },
    row([], { visits }),
  ];
}

const RATE = ['conversionRate'];
const refused = async (): Promise<Claim> => ({ by: 'planted', refused: true });
const cost = (range: Range) => ({ of: 'revenueSum' as const, range });

/** Truths about metrics. */
export const metricTruths: Truths = {
  '1': async (asked) => [...(await pairs(asked, RATE, lastWeek(asked), 7)), ...(await fall(asked))],
  '2': async (asked) => [...(await pairs(asked, RATE, tillYesterday(asked), 7)), ...(await fall(asked))],
  '3': async (asked) => [...(await byDevice(asked, tillYesterday(asked))), ...(await fall(asked))],
  '4': async (asked) => [await mixAndRate(asked, lastWeek(asked)), ...(await fall(asked))],
  // A week so far is compared with the same weekdays of the week before.
  '5': async (asked) => [...(await pairs(asked, ['revenueSum'], thisWeek(asked), 7)), ...(await fall(asked))],
  '6': (asked) => byDevice(asked, lastMonth(asked)),
  '7': (asked) =>
    bySegment(asked, lastMonth(asked), ['New visitors', 'Returning visitors'], ['conversionRate', 'revenueSum', 'sessionTimeAverage']),
  '8': (asked) => pairs(asked, KPIS, lastWeek(asked), 7),
  '9': months,
  '10': halfYear,
  '11': (asked) => pairs(asked, ['visits'], thisWeek(asked), 364),
  '12': unfinished,
  '13': async (asked) => row([], { tapRate: await zone(asked, ADD_TO_CART, 'tap-rate') }),
  '14': (asked) => Promise.all(HOME_ZONES.map(async (id) => row([id], { revenuePerTap: await zone(asked, id, 'revenue-per-tap') }))),
  '29': async (asked) => fall(asked, cost(tillYesterday(asked, 28))),
  '30/0': weekdays,
  '30/1': mobileShare,
  '31': async (asked) => fall(asked, cost(tillYesterday(asked, 61))),
  '35': (asked) => bySegment(asked, [asked.dates['four_weeks_start'], asked.dates['last_sunday']], ['Paid search', 'all visitors'], RATE),
  '36/0': async ({ rest, dates }) => {
    const day = dates['black_friday'];
    return row([], only(await site(rest, [day, day]), ['visits', 'revenueSum']));
  },
  '36/1': (asked) =>
    visitsFrom(
      asked,
      times(10, (week) => shift(asked.dates['ten_weeks_start'], 7 * week)),
      7,
    ),
  '38': async (asked) => [...(await pairs(asked, ['visits', 'conversionCount'], tillYesterday(asked), 7)), ...(await fall(asked))],
  '39': async (asked) => {
    const range = tillYesterday(asked, 14);
    const { device } = asked.stories.conversionFall;
    const mobile = await pairs(asked, RATE, range, 14, 'mobile');
    return device === 'mobile' ? [...mobile, ...(await fall(asked, cost(range)))] : mobile;
  },
  '40': async (asked) => [...(await pairs(asked, RATE, tillYesterday(asked), 7)), ...(await fall(asked))],
  '47': async (asked) => [...(await pairs(asked, RATE, lastWeek(asked), 7)), ...(await fall(asked, cost(lastWeek(asked))))],
  '65': (asked) =>
    visitsFrom(
      asked,
      times(28, (day) => shift(asked.dates['today'], day - 28)),
      1,
    ),
  '66': refused,
  '67': refused,
  '68': refused,
};
