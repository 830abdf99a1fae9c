import { hint } from '../../../lib/hint.ts';
import { BLOCKING_BASIS } from '../analyse/blocking-problems.ts';
import type { PaintTimes } from '../analyse/largest-paint.ts';
import { tenth } from '../analyse/request-rows.ts';
import { type HarStudy, studyHar } from '../analyse/study-har.ts';
import type { EntityOf } from '../analyse/third-parties.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { shortUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { hostRuns, medianPairs, medianParties, medianTypes, middleOf, type Neighbours, steadyAlone } from './compare-runs.ts';
import type { Culprit } from './culprit.ts';
import { type Comparison, comparisonVerdict, netEffect } from './har-comparison.ts';
import { byEffect, type Effects, effectsOf } from './paint-effects.ts';
import {
  durationChanges,
  MATCHING_NOTE,
  matchRequests,
  noiseNote,
  normalisedAddress,
  partyChanges,
  type RequestChange,
  sampleNote,
  sizeChanges,
  typeChanges,
} from './request-changes.ts';
import { judgeTwoRuns } from './two-runs.ts';

/** Rows of each list; the whole lists are behind analyze_har. */
const SHOWN = { added: 6, removed: 3, grown: 3, shrunk: 2, slower: 3, faster: 2, parties: 5, types: 5, hosts: 8 };
const MAX_URL = 70;
const SIDES = ['before', 'after'] as const;

/** A run with what the report of its step says of it, where that was read. */
export interface ComparedRun {
  readonly har: Har;
  readonly paints?: PaintTimes | undefined;
}

/**
 * Compares the loads of two runs, or of two samples whose first runs are typical of them. Between samples a request that comes and goes is
 * neither new nor gone, and sizes and times are medians; paints are those of all runs that the samples stand for. Two runs are compared
 * with the runs near each of them; `paints` are those of all of these. The later side decides how render-blocking is recognised.
 */
export function compareHars(
  befores: readonly ComparedRun[],
  afters: readonly ComparedRun[],
  entityOf: EntityOf,
  neighbours: Neighbours<Har> = { before: [], after: [] },
  paints?: Neighbours<PaintTimes>,
): { comparison: Comparison; notes: string[] } {
  const [earlier, later] = [studied(befores, entityOf), studied(afters, entityOf)];
  const [[was], [is]] = [earlier, later];
  const differences = differencesOf(earlier, later, neighbours, paints);
  const byParty = partyChanges(medianParties(earlier), medianParties(later));
  const listed = shortened(comparisonOf(earlier, later, differences, byParty, paints));
  const runs = { sampled: differences.culprit === undefined, neighbours: neighbours.before.length + neighbours.after.length };
  return { comparison: listed, notes: notesOf(was, is, { listed, parties: byParty.length, ...runs }) };
}

function studied(runs: readonly ComparedRun[], entityOf: EntityOf): Runs {
  const [first, ...rest] = runs.map(({ har, paints }) => studyHar(har, entityOf, paints));
  if (!first) throw new TypeError('A comparison needs a run on each side.');
  return [first, ...rest];
}

/** All that differs between two sides, whole lists with what matters most first. */
interface Differences {
  readonly matched: number;
  /** Requests of one side alone that come and go from run to run, so neither new nor gone. */
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly added: readonly HarEntry[];
  readonly removed: readonly HarEntry[];
  readonly grown: readonly RequestChange[];
  readonly shrunk: readonly RequestChange[];
  readonly slower: readonly (RequestChange & Effects)[];
  readonly faster: readonly (RequestChange & Effects)[];
  /** Of two runs; samples have none. */
  readonly culprit: Culprit | undefined;
}

type Runs = readonly [HarStudy, ...HarStudy[]];

function differencesOf(
  earlier: Runs,
  later: Runs,
  neighbours: Neighbours<Har>,
  paints: Neighbours<PaintTimes> = { before: [], after: [] },
): Differences {
  const [[was], [is]] = [earlier, later];
  const sampled = earlier.length + later.length > 2;
  const matched = matchRequests(was.har.entries, is.har.entries);
  const pairs = sampled ? medianPairs(matched.pairs, earlier, later) : matched.pairs;
  const loaded = (runs: readonly Har[]) => runs.map((har) => ({ har }));
  const [wasNear, isNear] = sampled ? [earlier, later] : [loaded(neighbours.before), loaded(neighbours.after)];
  const added = steadyAlone(matched.added, isNear, wasNear);
  const removed = steadyAlone(matched.removed, wasNear, isNear);
  const blocking = new Set(is.blocking.entries);
  const twoRuns = sampled ? undefined : judgeTwoRuns(pairs, was, is, neighbours, paints);
  return {
    matched: pairs.length,
    onlyBefore: matched.removed.length - removed.length,
    onlyAfter: matched.added.length - added.length,
    added: added.toSorted((a, b) => Number(blocking.has(b)) - Number(blocking.has(a)) || weight(b) - weight(a)),
    removed: removed.toSorted((a, b) => weight(b) - weight(a)),
    ...sizeChanges(pairs),
    ...withEffects(twoRuns ?? durationChanges(pairs), was, is),
    culprit: twoRuns?.culprit,
  };
}

/** The answer, its lists cut to what is shown. */
function comparisonOf(
  earlier: Runs,
  later: Runs,
  found: Differences,
  byParty: Comparison['byParty'],
  paints: Neighbours<PaintTimes> | undefined,
): Comparison {
  const [[was], [is]] = [earlier, later];
  const { added, removed, grown, shrunk, slower, faster, culprit, matched, onlyBefore, onlyAfter } = found;
  const [before, after] = [was.har, is.har];
  const lists = { added, removed, grown, shrunk, slower, faster };
  const counted = Object.entries(lists).map(([name, list]) => [name, list.length]);
  const ofLists = Object.fromEntries(counted) as Record<keyof typeof lists, number>; // the names of the lists
  const counts = { ...ofLists, matched, onlyBefore, onlyAfter };
  const samePage = isSamePage(before, after);
  const levels = paints && !culprit ? levelsOf(paints) : undefined;
  const sides = levels ?? sidesOf(earlier, later);
  const net = withLoad(netEffect(earlier, later), levels);
  const blocking = new Set(is.blocking.entries);
  const runs = culprit ? undefined : { before: earlier.length, after: later.length };
  return {
    verdict: comparisonVerdict({ samePage, net, sides, added, blocking, slower, counts, before, after, culprit, ...(runs && { runs }) }),
    samePage,
    ...(culprit && { culprit }),
    sides,
    net,
    counts,
    added: added.slice(0, SHOWN.added).map((entry) => requestRow(entry, blocking)),
    removed: removed.slice(0, SHOWN.removed).map((entry) => requestRow(entry, new Set(was.blocking.entries))),
    grown: grown.slice(0, SHOWN.grown).map(sizeRow),
    shrunk: shrunk.slice(0, SHOWN.shrunk).map(sizeRow),
    slower: slower.slice(0, SHOWN.slower).map(timeRow),
    faster: faster.slice(0, SHOWN.faster).map(timeRow),
    byParty: byParty.slice(0, SHOWN.parties),
    byType: typeChanges(medianTypes(earlier), medianTypes(later)).slice(0, SHOWN.types),
    ...(runs && { hosts: hostRuns(earlier, later).slice(0, SHOWN.hosts) }),
  };
}

const LISTS = ['added', 'removed', 'grown', 'shrunk', 'slower', 'faster', 'byParty', 'byType'] as const;
/** With its notes, an answer of this many characters stays under 1,500 tokens. */
const MAX_CHARACTERS = 4700;

/** Drops rows of the longest list until the answer is short enough; each list keeps a row. */
function shortened(comparison: Comparison): Comparison {
  const short = { ...comparison };
  while (JSON.stringify(short).length > MAX_CHARACTERS) {
    const [longest] = LISTS.filter((name) => short[name].length > 1).toSorted((a, b) => sizeOf(short[b]) - sizeOf(short[a]));
    if (!longest) break;
    Object.assign(short, { [longest]: short[longest].slice(0, -1) });
  }
  return short;
}

function sizeOf(rows: readonly unknown[]): number {
  return JSON.stringify(rows).length;
}

function weight(entry: HarEntry): number {
  return weightOf(entry) ?? 0;
}

/** The same document, hashes and ids in its address aside. */
function isSamePage({ document: before }: Har, { document: after }: Har): boolean {
  if (!before || !after) return before === after;
  return normalisedAddress(before) === normalisedAddress(after);
}

function requestRow(entry: HarEntry, blocking: ReadonlySet<HarEntry>): Comparison['added'][number] {
  const { index, url, type, durationMs, transferBytes, contentBytes } = entry;
  const sizes = { transferBytes, contentBytes };
  return { index, url: shortUrl(url, MAX_URL), type, durationMs: tenth(durationMs), ...sizes, blocksRendering: blocking.has(entry) };
}

function sizeRow({ after: { index, url }, from, to }: RequestChange): Comparison['grown'][number] {
  return { index, url: shortUrl(url, MAX_URL), beforeBytes: from, afterBytes: to };
}

function timeRow({ after: { index, url }, from, to, fcpMs, lcpMs, loadMs }: RequestChange & Effects): Comparison['slower'][number] {
  const effects = Object.fromEntries(Object.entries({ fcpMs, lcpMs, loadMs }).filter(([, ms]) => ms !== undefined));
  return { index, url: shortUrl(url, MAX_URL), beforeMs: tenth(from), afterMs: tenth(to), ...effects };
}

/** Changed durations with what they did to the paints at most, what mattered most first. */
function withEffects(
  { slower, faster }: { slower: readonly RequestChange[]; faster: readonly RequestChange[] },
  was: HarStudy,
  is: HarStudy,
) {
  const ranked = (changes: readonly RequestChange[]) =>
    changes.map((change) => ({ ...change, ...effectsOf(change, was, is) })).toSorted(byEffect);
  return { slower: ranked(slower), faster: ranked(faster) };
}

function middle<Run>(runs: readonly Run[], valueOf: (run: Run) => number | null): number | null {
  return tenth(middleOf(runs.map(valueOf).filter((value) => value !== null)) ?? null);
}

/** Paints of both sides, of samples their medians. */
function sidesOf(earlier: readonly HarStudy[], later: readonly HarStudy[]): Comparison['sides'] {
  return SIDES.map((side, index) => {
    const runs = [earlier, later][index] ?? [];
    return {
      side,
      fcpMs: middle(runs, ({ paints }) => paints.fcpMs),
      lcpMs: middle(runs, ({ paints }) => paints.lcpMs),
      tbtMs: middle(runs, ({ paints }) => paints.tbtMs),
      onLoadMs: middle(runs, ({ paints, summary }) => summary.totals.onLoadMs ?? paints.loadMs),
    };
  });
}

/** The levels of both sides over all of their runs: four files say little of what scatters as blocking time does. */
function levelsOf(paints: Neighbours<PaintTimes>): Comparison['sides'] {
  return SIDES.map((side) => ({
    side,
    fcpMs: middle(paints[side], ({ fcpMs }) => fcpMs),
    lcpMs: middle(paints[side], ({ lcpMs }) => lcpMs),
    tbtMs: middle(paints[side], ({ tbtMs }) => tbtMs),
    onLoadMs: middle(paints[side], ({ loadMs }) => loadMs),
    runs: paints[side].length,
  }));
}

/** The net effect with the load time of these sides, where both know it. */
function withLoad(net: Comparison['net'], sides: Comparison['sides'] | undefined): Comparison['net'] {
  const [before, after] = sides?.map(({ onLoadMs }) => onLoadMs) ?? [];
  if (before == null || after == null) return net;
  return net.map((row) => (row.measure === 'onLoadMs' ? { ...row, before, after, change: tenth(after - before) } : row));
}

interface Listed {
  readonly listed: Comparison;
  readonly parties: number;
  readonly sampled: boolean;
  readonly neighbours: number;
}

function notesOf(was: HarStudy, is: HarStudy, { listed, parties, sampled, neighbours }: Listed): string[] {
  const { counts, samePage } = listed;
  const cut = (['added', 'removed', 'grown', 'shrunk', 'slower', 'faster'] as const)
    .filter((name) => counts[name] > listed[name].length)
    .map((name) => `${listed[name].length} of ${counts[name]} ${name}`);
  const reversed = was.har.startedMs !== null && is.har.startedMs !== null && was.har.startedMs > is.har.startedMs;
  const parts = is.blocking.basis === was.blocking.basis ? [] : ['Render-blocking was recognised differently in the two files.'];
  return [
    ...(samePage ? [] : ['The two files are not of the same page: what is added and removed says little.']),
    ...(reversed ? ['The run given as before is the later one.'] : []),
    ...(cut.length > 0 ? [`Shown: ${cut.join(', ')}${hint('analyze_har', '; analyze_har with domain or url lists the rest')}.`] : []),
    ...(parties > listed.byParty.length ? [`${parties - listed.byParty.length} more parties changed.`] : []),
    MATCHING_NOTE,
    sampled ? sampleNote(listed.sides) : noiseNote(neighbours),
    BLOCKING_BASIS[is.blocking.basis],
    ...parts,
    ...fileNotes(was.har.notes, is.har.notes),
  ];
}

/** Notes of the two files; those of both appear once. */
function fileNotes(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((note) => after.includes(note)),
    ...before.filter((note) => !after.includes(note)).map((note) => `In before: ${note}`),
    ...after.filter((note) => !before.includes(note)).map((note) => `In after: ${note}`),
  ];
}
