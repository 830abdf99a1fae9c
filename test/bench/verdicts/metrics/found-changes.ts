import type { Ask } from '../../../../src/api/client.ts';
import { isoTime } from '../../../../src/lib/clock.ts';
import type { Changes } from '../../../../src/metrics/changes/changes-answer.ts';
import { type FindInput, findChanges } from '../../../../src/metrics/find-changes.ts';
import { discoveryLimit } from '../../../../src/statistics/discoveries.ts';
import { logTail } from '../../../../src/statistics/tails.ts';
import { countTokens, renderText } from '../../../../src/tooling/results.ts';
import { percent, type Table, type Trial } from '../../tables.ts';
import { type Random, seeded } from '../random.ts';
import { referToSlope } from './reference.ts';
import { type Claim, isTrue, meets, referenceClaims, SERIES } from './scanned.ts';
import { HISTORY_DAYS, SITE_NAMES, SITES, seedOf } from './trial.ts';
import { drawWorld, METRIC_NAMES, METRICS, type Planted, plantedEffect, pointsOf, SEGMENTS, type Selection, type World } from './world.ts';

const DAY_MS = 86_400_000;
const DEVICES = new Set(['desktop', 'mobile', 'tablet']);
/** Ids of the segments of a generated project. */
const segmentIdOf = (segment: Selection['segment']) => SEGMENTS.findIndex((each) => each === segment) + 1;

interface MetricsInput {
  readonly startDate: string;
  readonly endDate: string;
  readonly device?: string;
  readonly segmentIds?: readonly number[];
}

/** A service that answers site metrics and lists from a generated world; it counts what it is asked. */
function serviceOf(world: World) {
  const cache = new Map<string, Map<string, Map<string, number | null>>>();
  let requests = 0;

  /** Value of each metric by day. */
  function valuesOf(selection: Selection): Map<string, Map<string, number | null>> {
    const key = `${selection.device}/${selection.segment}`;
    const known = cache.get(key);
    if (known) return known;
    const made = new Map<string, Map<string, number | null>>(
      METRIC_NAMES.map((metric) => {
        const times = METRICS[metric].kind === 'share' ? 100 : 1;
        const values = pointsOf(world, metric, selection).map(({ label, numerator, denominator }) => {
          const value = denominator > 0 ? (times * numerator) / denominator : null;
          return [label, value === null ? null : Math.round(value * 1e4) / 1e4] as const;
        });
        return [metric, new Map(values)] as const;
      }),
    );
    cache.set(key, made);
    return made;
  }

  function metricsOf({ startDate, endDate, device = 'all', segmentIds = [] }: MetricsInput) {
    const known = [...DEVICES].find((each) => each === device) as Selection['device'];
    const segment = SEGMENTS[(segmentIds[0] ?? 0) - 1];
    const byMetric = valuesOf({ ...(known && { device: known }), ...(segment && { segment }) });
    const [startMs, endMs] = [Date.parse(startDate), Date.parse(endDate)];
    const count = Math.ceil((endMs - startMs) / DAY_MS);
    return {
      values: Array.from({ length: count }, (_, index) => {
        const fromMs = startMs + index * DAY_MS;
        const bounds = { startDate: isoTime(fromMs), endDate: isoTime(fromMs + DAY_MS - 1), currency: 'EUR' };
        const label = bounds.startDate.slice(0, 10);
        return [...byMetric].map(([name, days]) => ({ name, value: days.get(label) ?? null, ...bounds }));
      }).flat(),
    };
  }

  const answer = async (operation: { readonly path: string }, input: unknown): Promise<unknown> => {
    requests += 1;
    if (operation.path.endsWith('/segments')) return SEGMENTS.map((name) => ({ id: segmentIdOf(name), name }));
    if (operation.path.endsWith('/goals')) return [{ id: 1, name: 'Purchase', type: 'ECOMMERCE' }];
    return metricsOf(input as MetricsInput);
  };
  return {
    ask: answer as Ask, // each operation here is answered with its own payload
    count: () => void (requests += 1),
    requests: () => requests,
  };
}

/** Runs `find_changes` on a generated world of which the last day is yesterday. */
async function findIn(world: World, input: FindInput) {
  const service = serviceOf(world);
  const notes: string[] = [];
  const nowMs = Date.parse(world.labels.at(-1) ?? '') + 1.5 * DAY_MS;
  const { signal } = new AbortController();
  const named = SEGMENTS.map((name) => ({ id: segmentIdOf(name), path: [name] }));
  const changes = await findChanges(input, {
    ask: service.ask,
    lists: async () => ({
      of: async (kind) => {
        if (kind === 'segment') service.count();
        return kind === 'segment' ? named : [];
      },
      nameOf: (_kind, id) => named.find((each) => each.id === id)?.path[0] ?? String(id),
      ask: service.ask,
    }),
    note: (sentence) => void notes.push(sentence),
    progress: () => undefined,
    signal,
    timeZone: 'UTC',
    nowMs,
    covers: () => undefined,
    calendar: {},
  });
  return { changes, notes, requests: service.requests() };
}

const WINDOW_DAYS = 28;
const DAYS = HISTORY_DAYS + WINDOW_DAYS;
const MOST_PLANTED = 4;
/** Planted changes begin on days that are at least so far from each other. */
const APART = 3;
const PLACES: readonly Selection[] = [{}, {}, { device: 'mobile' }, { device: 'desktop' }, { segment: 'new' }, { segment: 'returning' }];
const SHAPES = ['step', 'episode', 'outlier', 'drift'] as const;

/** A change of a random shape, size and place. */
function plant({ uniform, integer }: Random, planted: readonly Planted[]): Planted {
  const shape = SHAPES[integer(0, SHAPES.length - 1)] ?? 'step';
  const on = (['rate', 'visits', 'rate', 'visits', 'basket'] as const)[integer(0, 4)] ?? 'rate';
  const place = PLACES[integer(0, PLACES.length - 1)];
  const isLess = uniform() < 0.7;
  const factorOf = (size: number) => (isLess ? 1 - size : 1 + size);
  if (shape === 'drift') return { on, from: 0, to: DAYS, factor: factorOf(0.25 + 0.3 * uniform()), isGradual: true, ...place };
  let from = HISTORY_DAYS;
  do from = HISTORY_DAYS + integer(2, WINDOW_DAYS - 3);
  while (planted.some((other) => !other.isGradual && Math.abs(other.from - from) < APART));
  const length = shape === 'step' ? WINDOW_DAYS : shape === 'episode' ? integer(3, 6) : 1;
  const size = (shape === 'outlier' ? 0.35 : 0.18) + 0.15 * uniform();
  return { on, from, to: Math.min(DAYS, from + length), factor: factorOf(size), ...place };
}

/** Up to four changes; two drifts of the same metric would be one. */
function plantAll(random: Random): Planted[] {
  const planted: Planted[] = [];
  const count = random.integer(0, MOST_PLANTED);
  while (planted.length < count) {
    const next = plant(random, planted);
    if (!planted.some(({ isGradual, on }) => isGradual && next.isGradual && on === next.on)) planted.push(next);
  }
  return planted;
}

type Listed = Changes['findings'][number];

/** What a line of the answer says of its first metric; undefined for one that the world does not have. */
function claimOf({ subject, place, when: { from = '', to }, verdict }: Listed, labels: readonly string[]): Claim | undefined {
  const metric = METRIC_NAMES.find((name) => name === subject);
  if (!metric) return undefined;
  const device = (['desktop', 'mobile', 'tablet'] as const).find((each) => each === place.device);
  const segment = SEGMENTS.find((each) => each === place.segment);
  const selection = { ...(device && { device }), ...(segment && { segment }) };
  const last = to === undefined ? DAYS : labels.indexOf(to) + 1;
  return { metric, selection, from: labels.indexOf(from), to: last, sign: verdict === 'higher' ? 1 : -1 };
}

function isAbout(change: Planted, listed: Listed, claim: Claim): boolean {
  if ((listed.when.shape === 'drift') !== (change.isGradual === true)) return false;
  if (!change.isGradual) return meets(change, claim);
  const { metric, selection, sign } = claim;
  return plantedEffect([change], metric, selection, DAYS - 1) * sign > 0.005;
}

/** Whether an answer tells a planted fall of all visits and orders, on its days, as the counting: nothing distinguishes the two. */
function isToldAsCounting(change: Planted, quality: Changes['quality'], labels: World['labels']): boolean {
  const { on, device, segment, factor, isGradual, from, to } = change;
  if (on !== 'visits' || device || segment || isGradual || factor > 1) return false;
  const [first = '', last = ''] = [labels[from], labels[to - 1]];
  return (quality ?? []).some((fault) => fault.metrics.includes('visits') && fault.from <= last && fault.to >= first);
}

/** Planted changes that the reference finds in the same series at a false discovery rate of 5 %. */
function reachableOf(world: World, planted: readonly Planted[]): Set<Planted> {
  const points = SERIES.map(({ metric, selection }) => pointsOf(world, metric, selection));
  const claims = referenceClaims(points, world.holidays, MOST_PLANTED);
  const slopes = points.map((days) => referToSlope(days, world.holidays));
  const limit = discoveryLimit(
    slopes.map((slope) => Math.exp(logTail(slope))),
    0.05,
  );
  const drifts = (change: Planted) =>
    SERIES.some(({ metric, selection }, index) => {
      const slope = slopes[index] ?? 0;
      return Math.exp(logTail(slope)) <= limit && plantedEffect([change], metric, selection, DAYS - 1) * Math.sign(slope) > 0.005;
    });
  return new Set(planted.filter((change) => (change.isGradual ? drifts(change) : claims.some((claim) => meets(change, claim)))));
}

const NO_COUNTS = {
  listed: 0,
  right: 0,
  repeated: 0,
  exactPlace: 0,
  planted: 0,
  reachable: 0,
  reached: 0,
  found: 0,
  /** Of those that the reference finds and no line tells. */
  asCounting: 0,
  requests: 0,
  mostRequests: 0,
  tokens: 0,
  mostTokens: 0,
  elapsedMs: 0,
};
type Counts = typeof NO_COUNTS;

function samePlace(change: Planted, { selection }: Claim): boolean {
  return change.device === selection.device && change.segment === selection.segment;
}

/** The first record of each change: others on its days at its place say how further metrics moved. */
function firstOfEach(findings: readonly Listed[]): Listed[] {
  const idOf = ({ when: { from, to = '' }, place: { device = '', segment = '' } }: Listed) => [from, to, device, segment].join('|');
  return findings.filter((own, at) => own.verdict !== 'measurement' && findings.findIndex((other) => idOf(other) === idOf(own)) === at);
}

/** Holds the findings of an answer against what was planted; each planted change may be reported once. */
function tally(counts: Counts, world: World, planted: readonly Planted[], changes: readonly Listed[], drifts: boolean): Set<Planted> {
  const found = new Set<Planted>();
  for (const listed of changes) {
    const claim = claimOf(listed, world.labels);
    const about = planted.filter((change) => claim && isAbout(change, listed, claim) && (change.isGradual || isTrue(planted, claim)));
    const fresh = about.filter((change) => !found.has(change));
    const [change] = [...fresh.filter((each) => claim && samePlace(each, claim)), ...fresh];
    // Where the world drifts by itself, a drift may be true that was not planted.
    if (drifts && listed.when.shape === 'drift' && !change) continue;
    counts.listed += 1;
    if (change && claim) {
      found.add(change);
      counts.right += 1;
      if (samePlace(change, claim)) counts.exactPlace += 1;
    } else if (about.length > 0) counts.repeated += 1;
  }
  return found;
}

async function measure(drifts: boolean, trial: Trial): Promise<string[]> {
  const worlds = Math.max(1, Math.round(trial.worlds / 6));
  const counts = { ...NO_COUNTS };
  for (let index = 0; index < worlds; index += 1) {
    const seed = seedOf(trial, `find_changes/${drifts}`, index);
    const planted = plantAll(seeded(seed ^ 0x5f5f));
    const site = SITE_NAMES[index % SITE_NAMES.length] ?? 'middle';
    const world = drawWorld({ seed, visitsPerDay: SITES[site], days: DAYS, history: HISTORY_DAYS, planted, drifts });
    const started = performance.now();
    const { changes, notes, requests } = await findIn(world, { days: WINDOW_DAYS, limit: 50 });
    counts.elapsedMs += performance.now() - started;
    const listed = firstOfEach(changes.findings);
    const tokens = countTokens(renderText({ ...changes, notes }));
    counts.requests += requests;
    counts.mostRequests = Math.max(counts.mostRequests, requests);
    counts.tokens += tokens;
    counts.mostTokens = Math.max(counts.mostTokens, tokens);
    const found = tally(counts, world, planted, listed, drifts);
    const reachable = reachableOf(world, planted);
    counts.planted += planted.length;
    counts.reachable += reachable.size;
    counts.reached += [...reachable].filter((change) => found.has(change)).length;
    counts.found += found.size;
    counts.asCounting += [...reachable].filter(
      (change) => !found.has(change) && isToldAsCounting(change, changes.quality, world.labels),
    ).length;
  }
  return [
    drifts ? 'slow drift everywhere' : 'steady',
    String(worlds),
    String(counts.planted),
    percent(counts.right, counts.listed, 1),
    percent(counts.reached, counts.reachable, 1),
    String(counts.asCounting),
    percent(counts.reached + counts.asCounting, counts.reachable, 1),
    percent(counts.found, counts.planted, 1),
    percent(counts.reachable, counts.planted, 1),
    String(counts.listed),
    String(counts.repeated),
    percent(counts.exactPlace, counts.right, 1),
    `${(counts.requests / worlds).toFixed(0)} (${counts.mostRequests})`,
    `${(counts.tokens / worlds).toFixed(0)} (${counts.mostTokens})`,
    `${(counts.elapsedMs / worlds).toFixed(0)} ms`,
  ];
}

/** `find_changes` on generated projects with up to four planted changes. */
export async function foundChanges(trial: Trial): Promise<Table> {
  const cells = [false, true].filter((drifts) => `find_changes/${drifts ? 'slow drift' : 'steady'}`.includes(trial.only ?? ''));
  const lines: { cells: string[] }[] = [];
  for (const drifts of cells) lines.push({ cells: await measure(drifts, trial) });
  return {
    title: 'find_changes',
    columns: [
      'world',
      'worlds',
      'planted',
      'precision (aim ≥ 90 %)',
      'recall of what the reference finds (aim ≥ 85 %)',
      'of the others told as the counting',
      'recall with these',
      'of all planted',
      'reference of all planted',
      'lines',
      'of these a change again',
      'at the exact place',
      'requests (most)',
      'tokens (most)',
      'time',
    ],
    lines,
  };
}
