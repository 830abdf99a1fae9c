import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { content, type Project, projects, shop } from '../credentials.ts';
import { COMPUTE_MS, type ExportJob } from './exports/schedule.ts';
import { hash, type Origin, oneOf } from './random.ts';
import { dayNumberOf, FIRST_ID, goalsOf, type Mapping, mappingsOf, type PageGroup, pageGroupsOf, segmentsOf } from './sessions/index.ts';
import { cloneScenario, type Scenario, scenariosOf } from './speed/scenarios.ts';

/** How large the account is, what is always there included; projects apart, all of it lies in the shop. */
export interface Size {
  readonly projects: number;
  readonly scenarios: number;
  readonly segments: number;
  readonly goals: number;
  readonly mappings: number;
  readonly pageGroupsAMapping: number;
  /** On as many page groups. */
  readonly zonings: number;
  readonly zonesAZoning: number;
  readonly jobs: number;
  /** Of recurring jobs; one in ten runs once. */
  readonly runsAJob: number;
  /** How long each answer takes at least. */
  readonly latencyMs: number;
}

/** The account that `--size big` stands for. */
export const bigSize: Size = {
  projects: 60,
  scenarios: 400,
  segments: 600,
  goals: 300,
  mappings: 40,
  pageGroupsAMapping: 100,
  zonings: 50,
  zonesAZoning: 100,
  jobs: 5_000,
  runsAJob: 20,
  latencyMs: 60,
};

/** The objects and scenarios of one project, as lists of them show. */
type ProjectLists = ReturnType<typeof usualLists>;

/** The lists of one account. */
export interface Account {
  readonly projects: readonly Project[];
  lists(projectId: number): ProjectLists;
  /** Jobs beside the seeded ones, in the order of their ids. */
  readonly jobs: readonly ExportJob[];
  readonly latencyMs: number;
}

const brands = ['Nordlicht', 'Fjord', 'Alpin', 'Küste', 'Tundra', 'Polar', 'Heide', 'Watt'] as const;
const markets = ['DE', 'AT', 'CH', 'FR', 'NL', 'GB', 'US', 'ES', 'IT', 'PL', 'SE', 'DK'] as const;
const subjects = ['Home', 'Category', 'Product', 'Cart', 'Checkout', 'Search', 'Account', 'Stores', 'Magazine', 'Help'] as const;
const groups = ['Loyal buyers', 'Newsletter readers', 'Paid search', 'App users', 'Cart leavers', 'Size advisor', 'Voucher users'] as const;
const aims = ['Wish list', 'Store finder', 'Size chart', 'Gift card', 'Reviews read', 'Chat opened', 'Alert set'] as const;
const elements = ['Hero', 'Teaser', 'Filter', 'Button', 'Gallery', 'Footer link', 'Banner', 'Tile', 'Form', 'Tab'] as const;

const from = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: Math.max(0, count) }, (_, at) => make(at));
const number = (at: number) => String(at + 1).padStart(3, '0');
const aged = (at: number) => ({ createdDaysAgo: 30 + (at % 300), updatedDaysAgo: 5 + (at % 25) });

const FIRST_JOB = 10_001;

function projectsOf(size: Size): Project[] {
  const more = from(size.projects - projects.length, (at): Project => {
    const name = `${oneOf(brands, at)} ${oneOf(markets, Math.floor(at / brands.length))}`;
    return { ...content, id: 1301 + at, name };
  });
  return [...projects, ...more];
}

/** The objects of the shop, and copies of them with ids and names of their own up to the wanted number. */
function grown<T>(known: readonly T[], count: number, names: readonly string[], more: object = {}): T[] {
  const copies = from(count - known.length, (at) => ({
    ...oneOf(known, at),
    ...aged(at),
    ...more,
    id: FIRST_ID + at,
    name: `${oneOf(names, at)} ${oneOf(markets, Math.floor(at / names.length))} ${number(at)}`,
  }));
  return [...known, ...copies];
}

function treeOf(size: Size, known: ProjectLists): Pick<ProjectLists, 'mappings' | 'pageGroups'> {
  const mappings = from(size.mappings - known.mappings.length, (at): Mapping => {
    return { id: FIRST_ID + at, name: `${oneOf(brands, at)} ${oneOf(markets, at)} pages ${number(at)}`, description: null, ...aged(at) };
  });
  const all = mappings.length * size.pageGroupsAMapping;
  const zoned = size.zonings - known.pageGroups.reduce((sum, { zonings }) => sum + zonings.length, 0);
  const every = Math.max(1, Math.floor(all / Math.max(1, zoned)));
  const pageGroups = mappings.flatMap((mapping, nth) =>
    from(size.pageGroupsAMapping, (at): PageGroup => {
      const place = nth * size.pageGroupsAMapping + at;
      const zoning = place % every === 0 ? Math.floor(place / every) : zoned;
      return {
        id: FIRST_ID + place,
        name: `${oneOf(subjects, at)} ${oneOf(markets, nth)} ${number(at)}`,
        category: oneOf(subjects, at),
        mappingIds: [mapping.id],
        zonings: zoning < zoned ? [zoningOf(size, zoning)] : [],
      };
    }),
  );
  return { mappings: [...known.mappings, ...mappings], pageGroups: [...known.pageGroups, ...pageGroups] };
}

function zoningOf({ zonesAZoning }: Size, at: number): PageGroup['zonings'][number] {
  const zones = from(zonesAZoning, (nth) => ({ id: FIRST_ID + at * zonesAZoning + nth, name: `${oneOf(elements, nth)} ${number(nth)}` }));
  return { id: FIRST_ID + at, name: `Redesign ${oneOf(brands, at)} ${number(at)}`, ...aged(at), zones };
}

function grownScenarios(known: readonly Scenario[], size: Size): Scenario[] {
  return [...known, ...from(size.scenarios - known.length, (at) => cloneScenario(known, at, `${oneOf(markets, at)} ${number(at)}`))];
}

/** Midnight UTC, `daysAgo` days before the clock's start. */
function dayOf(startMs: number, daysAgo: number): number {
  return (dayNumberOf(startMs) - daysAgo) * DAY_MS;
}

/** Jobs of years: each ran for as many days as it has runs, one after the other, and was suspended then; the last ones are active. */
function jobsIn(size: Size, { seed, startMs }: Origin): ExportJob[] {
  const count = size.jobs;
  return from(count, (at): ExportJob => {
    const isOnce = at % 10 === 9;
    const daysAgo = size.runsAJob + 1 + Math.floor(((count - 1 - at) * 340) / count);
    const createdMs = dayOf(startMs, daysAgo) + 8 * HOUR_MS + at * 1000;
    const isActive = at >= count - 5;
    return {
      jobId: FIRST_JOB + at,
      projectId: shop.id,
      name: `${isOnce ? 'Backfill' : 'Feed'} ${oneOf(brands, at)} ${oneOf(markets, Math.floor(at / 8))} ${number(at)}`,
      ownerId: 7001 + (hash(seed, at) % 9),
      createdMs,
      format: at % 3 === 0 ? 'CSV' : 'JSONL',
      scope: at % 4 === 3 ? 'views' : 'sessions',
      frequency: isOnce ? 'once' : 'daily',
      ...(isOnce && { range: { fromMs: dayOf(startMs, daysAgo + 5), toMs: dayOf(startMs, daysAgo + 2) } }),
      fields: ['session_id', 'user_id', 'session_number'].map((fieldName) => ({ fieldName })),
      device: 'all',
      computeMs: COMPUTE_MS,
      ...(!isOnce && !isActive && { suspendedMs: createdMs + size.runsAJob * DAY_MS }),
    };
  });
}

function usualLists(projectId: number) {
  return {
    segments: segmentsOf(projectId),
    goals: goalsOf(projectId),
    mappings: mappingsOf(projectId),
    pageGroups: pageGroupsOf(projectId),
    scenarios: scenariosOf(projectId),
  };
}

/** The lists of an account of this size; without one, those that every seed has. */
export function accountOf(origin: Origin, size: Size | undefined): Account {
  if (!size) return { projects, lists: usualLists, jobs: [], latencyMs: 0 };
  const usual = usualLists(shop.id);
  const inShop = {
    segments: grown(usual.segments, size.segments, groups),
    goals: grown(usual.goals, size.goals, aims, { type: 'EVENT' }),
    ...treeOf(size, usual),
    scenarios: grownScenarios(usual.scenarios, size),
  };
  return {
    projects: projectsOf(size),
    lists: (projectId) => (projectId === shop.id ? inShop : usualLists(projectId)),
    jobs: jobsIn(size, origin),
    latencyMs: size.latencyMs,
  };
}
