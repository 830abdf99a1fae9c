import { beforeAll, describe, expect, test } from 'vitest';
import { app, content, type Project, shop } from '../../src/emulator/credentials.ts';
import { appEventsOf } from '../../src/emulator/world/exports/fields.ts';
import { browserOf, type SessionRow, sessionRow } from '../../src/emulator/world/exports/session-row.ts';
import { fullyLoadedMs, type ViewRow, viewsOf } from '../../src/emulator/world/exports/view-row.ts';
import { createWorld } from '../../src/emulator/world/index.ts';
import { type Cost, costsOf, dayNumberOf, goalsOf, LATE_MESSAGE, OLD_BROWSER_MESSAGE } from '../../src/emulator/world/sessions/index.ts';
import { someOf } from '../support/sample-size.ts';
import { times } from '../support/times.ts';

interface Visit {
  readonly session: SessionRow;
  readonly views: readonly ViewRow[];
  readonly buys: boolean;
}

const DAYS = 12;
const origins = [
  { seed: 1, startMs: Date.parse('2026-11-20T10:00:00.000Z') },
  { seed: 42, startMs: Date.parse('2027-01-01T00:00:00.000Z') },
  { seed: 9_901, startMs: Date.parse('2026-07-15T06:30:00.000Z') },
];

/** The sessions of whole days with their views: the last ones before fewer buy on one device, which would blur how devices differ. */
function visitsOf(project: Project, { seed, startMs }: { seed: number; startMs: number }, days = DAYS): Visit[] {
  const { sessions } = createWorld({ seed, startMs });
  const end = dayNumberOf(Date.parse(sessions.stories.conversionFall.startDay));
  return times(days, (back) => sessions.day(project.id, end - 1 - back, startMs)).flatMap((day) =>
    times(day.count, (index) => {
      const session = sessionRow(project, day, index);
      return { session, views: viewsOf(session), buys: session.transactions > 0 };
    }),
  );
}

/** How much rarer, or more often, those buy that something happened to; the logarithm of the ratio over its standard error, too. */
function ratioOf(visits: readonly Visit[], happened: (visit: Visit) => boolean | undefined) {
  const sums = { with: { all: 0, buys: 0 }, without: { all: 0, buys: 0 } };
  for (const visit of visits) {
    const answer = happened(visit);
    if (answer === undefined) continue;
    const sum = sums[answer ? 'with' : 'without'];
    sum.all += 1;
    if (visit.buys) sum.buys += 1;
  }
  const { with: those, without: others } = sums;
  const ratio = those.buys / those.all / (others.buys / others.all);
  const error = Math.sqrt(1 / those.buys - 1 / those.all + 1 / others.buys - 1 / others.all);
  return { ratio, error, distance: Math.log(ratio) / error };
}

function isMet(cost: Cost, view: ViewRow): boolean {
  if (cost.what === 'rage_click') return view.rageClick;
  if (cost.what === 'api_error') return view.apiError;
  if (cost.what === 'slow_page') return (fullyLoadedMs(view) ?? 0) > 1000 * (cost.overSeconds ?? Number.NaN);
  return view.errors.some(({ message }) => message === cost.message);
}

/** Whether a cost is met on the first view of its page; undefined in a visit without that page. */
function meets(cost: Cost): (visit: Visit) => boolean | undefined {
  return ({ views }) => {
    const first = views.find(({ path }) => path === cost.page);
    return first && isMet(cost, first);
  };
}

/** What chance alone does not reach in the comparisons of this file. */
const CHANCE = 4;

const worlds = someOf(origins, 1).map((origin) => ({ seed: origin.seed, inShop: visitsOf(shop, origin), inApp: visitsOf(app, origin) }));

describe.each(worlds)('the visits of seed $seed', ({ seed, inShop, inApp }) => {
  const costs = costsOf(seed);

  test.each(costs)('$what on $page costs what the story says', (cost) => {
    const { ratio, error, distance } = ratioOf(cost.projectId === shop.id ? inShop : inApp, meets(cost));
    expect(distance).toBeLessThan(-CHANCE);
    expect(Math.abs(Math.log(ratio / cost.factor))).toBeLessThan(CHANCE * error);
  });

  test('the cart is seen by those who reach the goal of it', { tags: 'nightly' }, () => {
    const steps = inShop.filter(({ views }) => views.some(({ path }) => path === '/cart')).length;
    const carts = goalsOf(shop.id).findIndex(({ name }) => name === 'Add to cart');
    expect(steps).toBe(inShop.filter(({ session: { day, index } }) => ((day.goals[index] ?? 0) & (1 << carts)) !== 0).length);
  });
});

describe('harmless troubles look like costs, or like sales, until like is compared with like', { tags: 'nightly' }, () => {
  let visits: Visit[] = [];
  beforeAll(() => {
    visits = origins.flatMap((origin) => visitsOf(shop, origin));
  });
  const on = (device: number) => visits.filter(({ session: { day, index } }) => day.deviceId[index] === device);

  test('a home page that is slow on phones, which buy less', () => {
    const slowHome = ({ views }: Visit) => {
      const home = views.find(({ path }) => path === '/');
      return home && (fullyLoadedMs(home) ?? 0) > 4000;
    };
    expect(ratioOf(visits, slowHome).distance).toBeLessThan(-CHANCE);
    expect(Math.abs(ratioOf(on(2), slowHome).distance)).toBeLessThan(CHANCE);
  });

  test('an error that only long visits meet', () => {
    const isLate = ({ errors }: ViewRow) => errors.some(({ message }) => message === LATE_MESSAGE);
    expect(ratioOf(visits, ({ views }) => views.some(isLate)).distance).toBeGreaterThan(CHANCE);
    expect(Math.abs(ratioOf(visits, ({ views }) => views[6] && isLate(views[6])).distance)).toBeLessThan(CHANCE);
  });

  test('the errors of an old browser, whose users buy less', () => {
    const isOld = ({ session }: Visit) => browserOf(session).name === 'Internet Explorer';
    const isBroken = ({ errors }: ViewRow) => errors.some(({ message }) => message === OLD_BROWSER_MESSAGE);
    const broken = ({ views: [first] }: Visit) => first && isBroken(first);
    expect(ratioOf(on(1), isOld).distance).toBeLessThan(-CHANCE);
    expect(ratioOf(on(1), broken).distance).toBeLessThan(-CHANCE);
    expect(Math.abs(ratioOf(on(1).filter(isOld), broken).distance)).toBeLessThan(CHANCE);
  });
});

describe('a walk', { tags: 'nightly' }, () => {
  const origin = { seed: 5, startMs: Date.parse('2026-11-20T10:00:00.000Z') };

  test.each([
    [shop, ['/cart', '/checkout/address', '/checkout/payment', '/checkout/confirmation']],
    [app, ['/screen/cart', '/screen/checkout', '/screen/thanks']],
    [content, ['/subscribe', '/subscribe/welcome']],
  ])('of $name comes to no page of the way before the one that leads there', (project, way) => {
    const visits = visitsOf(project, origin, 4);
    const isWrong = visits.filter(({ views }) => {
      const first = way.map((page) => views.findIndex(({ path }) => path === page));
      return first.some((at, step) => at >= 0 && step > 0 && ((first[step - 1] ?? -1) < 0 || (first[step - 1] ?? 0) > at));
    });
    expect(isWrong).toEqual([]);
    const confirmed = visits.filter(({ views }) => views.some(({ path }) => path === way.at(-1)));
    expect(confirmed.length).toBeGreaterThan(10);
    expect(confirmed.filter(({ buys }) => buys)).toEqual(visits.filter(({ buys }) => buys));
    expect(project === content || confirmed.every(({ buys }) => buys)).toBe(true);
  });

  test('has a memory: a search without result leads to another search far more often than a product does', () => {
    const next = new Map<string, { all: number; search: number }>();
    for (const { views } of visitsOf(shop, origin, 4)) {
      for (const [at, { path }] of views.slice(0, -1).entries()) {
        const page = path.startsWith('/p/') ? 'product' : path;
        const sum = next.get(page) ?? { all: 0, search: 0 };
        next.set(page, { all: sum.all + 1, search: sum.search + (views[at + 1]?.path === '/search' ? 1 : 0) });
      }
    }
    const share = (page: string) => (next.get(page)?.search ?? 0) / (next.get(page)?.all ?? 0);
    expect(share('/search/no-results')).toBeGreaterThan(3 * share('product'));
  });

  test('of an app reports what its screens show', () => {
    for (const { session, views } of visitsOf(app, origin, 2)) {
      const names = appEventsOf(session).map(({ name }) => name);
      const seen = (path: string) => views.filter((view) => view.path === path).length;
      expect(names[0]).toBe('app_opened');
      expect(names.filter((name) => name === 'product_viewed')).toHaveLength(seen('/screen/product'));
      expect(names.includes('added_to_cart')).toBe(seen('/screen/cart') > 0);
      expect(names.includes('order_completed')).toBe(session.transactions > 0);
    }
  });
});

test('costs differ from seed to seed: one or two a world, at least one in the shop', () => {
  const many = times(60, (seed) => costsOf(seed));
  expect(new Set(many.map(({ length }) => length))).toEqual(new Set([1, 2]));
  expect(many.every((costs) => costs[0]?.projectId === shop.id)).toBe(true);
  const all = many.flat();
  expect(new Set(all.map(({ what }) => what))).toEqual(new Set(['js_error', 'api_error', 'rage_click', 'slow_page']));
  expect(new Set(all.map(({ page }) => page)).size).toBe(4);
  expect(many.filter((costs) => new Set(costs.map(({ page }) => page)).size < costs.length)).toEqual([]);
});
