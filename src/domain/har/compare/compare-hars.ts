import { hint } from '../../../lib/hint.ts';
import { BLOCKING_BASIS } from '../analyse/blocking-problems.ts';
import { tenth } from '../analyse/request-rows.ts';
import { type HarStudy, studyHar } from '../analyse/study-har.ts';
import type { EntityOf } from '../analyse/third-parties.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { shortUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { hostRuns, medianPairs, medianParties, medianTypes, ofMostRunsAlone } from './compare-runs.ts';
import { type Comparison, comparisonVerdict, netEffect } from './har-comparison.ts';
import {
  durationChanges,
  MATCHING_NOTE,
  matchRequests,
  NOISE_NOTE,
  normalisedAddress,
  partyChanges,
  type RequestChange,
  SAMPLE_NOTE,
  sizeChanges,
  typeChanges,
} from './request-changes.ts';

/** Rows of each list; the whole lists are behind analyze_har. */
const SHOWN = { added: 6, removed: 3, grown: 3, shrunk: 2, slower: 3, faster: 2, parties: 5, types: 5, hosts: 8 };
const MAX_URL = 70;

/**
 * Compares the loads of two runs, or of two samples whose first runs are typical of them: then what comes and goes from run to run is
 * neither new nor gone, and sizes and times are medians. The later side decides how render-blocking is recognised.
 */
export function compareHars(
  befores: readonly Har[],
  afters: readonly Har[],
  entityOf: EntityOf,
): { comparison: Comparison; notes: string[] } {
  const [earlier, later] = [befores, afters].map((hars) => hars.map((har) => studyHar(har, entityOf)));
  const [was, is] = [earlier?.[0], later?.[0]];
  if (!earlier || !later || !was || !is) throw new TypeError('A comparison needs a run on each side.');
  const [before, after] = [was.har, is.har];
  const sampled = earlier.length + later.length > 2;
  const matched = matchRequests(before.entries, after.entries);
  const pairs = sampled ? medianPairs(matched.pairs, earlier, later) : matched.pairs;
  const added = sampled ? ofMostRunsAlone(matched.added, later, earlier) : matched.added;
  const removed = sampled ? ofMostRunsAlone(matched.removed, earlier, later) : matched.removed;
  const { grown, shrunk } = sizeChanges(pairs);
  const { slower, faster } = durationChanges(pairs);
  const blocking = new Set(is.blocking.entries);
  const newcomers = [...added].toSorted((a, b) => Number(blocking.has(b)) - Number(blocking.has(a)) || weight(b) - weight(a));
  const gone = [...removed].toSorted((a, b) => weight(b) - weight(a));
  const counts = {
    added: added.length,
    removed: removed.length,
    grown: grown.length,
    shrunk: shrunk.length,
    slower: slower.length,
    faster: faster.length,
    matched: pairs.length,
  };
  const samePage = isSamePage(before, after);
  const net = netEffect(earlier, later);
  const byParty = partyChanges(medianParties(earlier), medianParties(later));
  const hosts = sampled && hostRuns(earlier, later);
  const comparison: Comparison = {
    verdict: comparisonVerdict({
      samePage,
      net,
      added: newcomers,
      blocking,
      slower,
      counts,
      before,
      after,
      ...(sampled && { runs: { before: earlier.length, after: later.length } }),
    }),
    samePage,
    net,
    counts,
    added: newcomers.slice(0, SHOWN.added).map((entry) => requestRow(entry, blocking)),
    removed: gone.slice(0, SHOWN.removed).map((entry) => requestRow(entry, new Set(was.blocking.entries))),
    grown: grown.slice(0, SHOWN.grown).map(sizeRow),
    shrunk: shrunk.slice(0, SHOWN.shrunk).map(sizeRow),
    slower: slower.slice(0, SHOWN.slower).map(timeRow),
    faster: faster.slice(0, SHOWN.faster).map(timeRow),
    byParty: byParty.slice(0, SHOWN.parties),
    byType: typeChanges(medianTypes(earlier), medianTypes(later)).slice(0, SHOWN.types),
    ...(hosts && { hosts: hosts.slice(0, SHOWN.hosts) }),
  };
  const listed = shortened(comparison);
  return { comparison: listed, notes: notesOf(was, is, { listed, parties: byParty.length, sampled }) };
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

function timeRow({ after: { index, url }, from, to }: RequestChange): Comparison['slower'][number] {
  return { index, url: shortUrl(url, MAX_URL), beforeMs: tenth(from), afterMs: tenth(to) };
}

interface Listed {
  readonly listed: Comparison;
  readonly parties: number;
  readonly sampled: boolean;
}

function notesOf(was: HarStudy, is: HarStudy, { listed, parties, sampled }: Listed): string[] {
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
    sampled ? SAMPLE_NOTE : NOISE_NOTE,
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
