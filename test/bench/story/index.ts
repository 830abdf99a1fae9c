import { writeFile } from 'node:fs/promises';
import { mapConcurrent } from '../../../src/lib/concurrency.ts';
import type { GateRow } from '../gate-row.ts';
import { openMetricsBench } from '../nature/platforms.ts';
import { numberAfter } from '../tables.ts';
import { isOneStory, isRight, type Judged, judge, lostBy, trueCost, trueSize } from './judge.ts';
import { looksOn } from './looks.ts';
import { ASKED_AFTER, dayPlus, knownAfter, type Planted, plant } from './planted.ts';
import { figuresAgainstRest, plainReader } from './rest.ts';
import { answerShape, claimsOf } from './said.ts';

/** One answer, judged. */
interface Told extends Judged {
  readonly figures: { readonly looked: number; readonly wrong: readonly string[] };
  /** Findings of smaller looks that this one had to keep, and those that it lost. */
  readonly kept: { readonly looked: number; readonly lost: readonly string[] };
}

/** A world as it was told on one day. */
interface ToldDay {
  readonly planted: Planted;
  readonly after: number;
  readonly today: string;
  readonly ways: readonly Told[];
}

/** The ways of a day that look for changes. */
const storyWays = ({ ways }: ToldDay): readonly Told[] => ways.filter(({ look }) => !look.isOfLevels);

/** Whether all ways of a day tell the planted change truly and alike, and no other one. */
function isComplete(day: ToldDay): boolean {
  const ways = storyWays(day);
  return ways.every((way) => isRight(way) && way.invented.length === 0) && isOneStory(ways);
}

/** Asks a world on the morning some whole days after its change began, in one session: in every way, or in those of a turn. */
async function askDay(product: string, planted: Planted, after: number, turn?: number): Promise<ToldDay> {
  const today = dayPlus(planted.from, after);
  const { platform, peer, close } = await openMetricsBench(product, `${today}T09:00:00.000Z`);
  platform.show(knownAfter(planted, after));
  const read = plainReader(platform.url);
  try {
    const judged: (Judged & Pick<Told, 'figures'>)[] = [];
    for (const look of looksOn(planted, today, turn)) {
      const said = answerShape.parse(await peer.answer(look.tool, look.args));
      const claims = claimsOf(said);
      const figures = await figuresAgainstRest(said, claims, look, read);
      judged.push({ ...judge(said, claims, look, { planted, last: dayPlus(today, -1) }), figures });
    }
    return { planted, after, today, ways: judged.map((own) => ({ ...own, kept: lostBy(own, judged) })) };
  } finally {
    await close();
  }
}

/** What is asked: so many worlds, drawn from a seed, each on four days. */
export interface StoryOptions {
  readonly worlds?: number;
  readonly seed?: number;
  /** Each world is asked in every way on every day (four times as long), where ways take turns otherwise. */
  readonly all?: boolean;
}

const DEFAULTS = { worlds: 20, seed: 1, all: false };
/** Processes of the product that are asked at once. */
const AT_ONCE = 2;

/** Asks generated worlds, each on four days, in every way that looks at their change. */
async function tellStories(product: string, options: StoryOptions): Promise<ToldDay[]> {
  const { worlds, seed, all } = { ...DEFAULTS, ...options };
  const asked = Array.from({ length: worlds }, (_, index) => ASKED_AFTER.map((after) => ({ index, after }))).flat();
  const told: ToldDay[] = [];
  await mapConcurrent([...asked.entries()], AT_ONCE, async ([at, { index, after }]) => {
    told[at] = await askDay(product, plant(seed, index), after, all ? undefined : at);
  });
  return told;
}

const shareOf = <T>(all: readonly T[], holds: (each: T) => boolean) =>
  all.length === 0 ? 0 : Math.round((1000 * all.filter(holds).length) / all.length) / 10;
const sumOf = <T>(all: readonly T[], of: (each: T) => number) => all.reduce((sum, each) => sum + of(each), 0);
/** Percent of a count of all. */
const percentOf = (some: number, all: number) => (all === 0 ? 100 : Math.round((10_000 * some) / all) / 100);

/** The figures of asked worlds; an answer may tell a change that none is in one of twenty cases. */
function storyRows(days: readonly ToldDay[]): GateRow[] {
  const all = days.flatMap(({ ways }) => ways);
  const ways = days.flatMap(storyWays);
  const figures = sumOf(all, (way) => way.figures.looked);
  const kept = sumOf(all, (way) => way.kept.looked);
  const share = (what: string, holds: (way: Told) => boolean): GateRow => ({
    what: `one story: ${what}`,
    value: shareOf(ways, holds),
    unit: '% of answers',
    better: 'higher',
  });
  return [
    { what: 'one story complete', value: shareOf(days, isComplete), unit: '% of worlds × days', better: 'higher' },
    share('place, first day, size and cost right', isRight),
    share('place right', (way) => way.place),
    share('first day right', (way) => way.first),
    share('size right', (way) => way.size),
    share('cost right', (way) => way.cost),
    {
      what: 'one story: figures that plain REST gives for their place',
      value: percentOf(figures - sumOf(all, (way) => way.figures.wrong.length), figures),
      unit: '% of figures',
      better: 'higher',
    },
    {
      what: 'one story: findings lost by an added look',
      value: percentOf(
        sumOf(all, (way) => way.kept.lost.length),
        kept,
      ),
      unit: '% of findings',
      better: 'lower',
    },
    { ...share('a change told of what did not change', (way) => way.invented.length > 0), better: 'lower', bound: 5 },
    { ...share('the change denied', (way) => way.isDenied), better: 'lower' },
  ];
}

/** The figures of the gate, with the worlds that it always asks. */
export async function gateRows(product: string, options: StoryOptions = {}): Promise<GateRow[]> {
  return storyRows(await tellStories(product, options));
}

const placeText = ({ device = 'all', segment }: { readonly device?: string; readonly segment?: string }) =>
  [device, segment].filter(Boolean).join(', ');

/** Everything of an answer that is not so, each with what was said and what is true. */
function faultsOf({ planted, today }: ToldDay, way: Told): { readonly kind: string; readonly text: string }[] {
  const { look, claim } = way;
  const truth = { planted, last: dayPlus(today, -1) };
  const faults: { kind: string; text: string }[] = [];
  const add = (kind: string, text: string) => faults.push({ kind, text });
  if (!look.isOfLevels && claim) {
    const { place, from, percent, cost } = claim;
    if (!way.place) add('place', `${claim.metric} of ${placeText(place)}; true: ${placeText(planted.place)}`);
    if (!way.first) add('first day', `${from} (${claim.earliest ?? from} to ${claim.latest ?? from}); true: ${planted.from}`);
    if (!way.size) add('size', `${claim.metric} of ${placeText(place)} ${percent?.value}%; true: ${trueSize(claim, truth).toFixed(1)}%`);
    if (!way.cost)
      add('cost', cost ? `${cost.value} of ${cost.of}; true: ${trueCost(claim, truth).toFixed(0)}` : `none with ${claim.metric}`);
  }
  if (!look.isOfLevels && !claim) add(way.isDenied ? 'denied' : 'not located', 'no change is told with its day');
  for (const text of look.isOfLevels ? [] : way.invented) add('invented', text);
  for (const text of way.kept.lost) add('lost', text);
  for (const text of way.figures.wrong) add('wrong figure', text);
  return faults;
}

/** Everything that is not so in the answers of a day, as `[kind, reproducible example]`. */
function examplesOf(day: ToldDay): (readonly [string, string])[] {
  const { planted, after, today } = day;
  const { seed, index, kind: ofKind, on, place, factor, from, to } = planted;
  const change = `${ofKind}: ${on} of ${placeText(place)} × ${factor.toFixed(2)} from ${from} ${to === undefined ? 'on' : `to ${to}`}`;
  return day.ways.flatMap((way) => {
    const { tool, args } = way.look;
    const at = `seed ${seed}, world ${index}, day ${after} (${today}), ${change}; ${tool} ${JSON.stringify(args)}`;
    return faultsOf(day, way).map(({ kind, text }) => [`${kind}, ${tool}`, `${at}: ${text}`] as const);
  });
}

/** The first example of each kind of fault by tool, with how often it is there. */
function faultLines(days: readonly ToldDay[]): string[] {
  const examples = days.flatMap(examplesOf);
  return [...new Map(examples.toReversed())].map(
    ([kind, example]) => `- ${kind} (${examples.filter(([other]) => other === kind).length}): ${example}`,
  );
}

/** The worlds and days whose figures are held by a test, by name: one of each kind of change that lasts. */
export const HELD = {
  'world 0, day 6': { index: 0, after: 6 },
  'world 1, day 13': { index: 1, after: 13 },
  'world 3, day 2': { index: 3, after: 2 },
} as const;
/** Where their figures stand as they landed; the change that betters one renews it. */
const LANDED = 'test/bench/story/landed.json';

/** The figures of a world that a test holds. */
export async function heldRows(product: string, name: keyof typeof HELD): Promise<GateRow[]> {
  const { index, after } = HELD[name];
  return storyRows([await askDay(product, plant(DEFAULTS.seed, index), after, Object.keys(HELD).indexOf(name))]);
}

async function writeLanded(product: string): Promise<void> {
  const figures: Record<string, Record<string, number>> = {};
  for (const name of Object.keys(HELD) as (keyof typeof HELD)[])
    figures[name] = Object.fromEntries((await heldRows(product, name)).map(({ what, value }) => [what, value]));
  await writeFile(LANDED, `${JSON.stringify(figures, undefined, 2)}\n`);
}

/**
 * Prints how the built tools tell one planted change, after the first fault of each kind: `story --worlds 20 --seed 1 --all`; `-u` renews
 * the figures that a test holds instead.
 */
export async function benchStory(product: string, args: readonly string[]): Promise<void> {
  if (args.includes('-u')) return writeLanded(product);
  const options = {
    worlds: numberAfter(args, '--worlds', DEFAULTS.worlds),
    seed: numberAfter(args, '--seed', DEFAULTS.seed),
    all: args.includes('--all'),
  };
  const days = await tellStories(product, options);
  const rows = storyRows(days).map(({ what, value, unit }) => `${what}: ${value} ${unit}`);
  process.stdout.write(`${[...faultLines(days), '', ...rows].join('\n')}\n`);
}
