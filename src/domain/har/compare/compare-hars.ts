import { hint } from '../../../lib/hint.ts';
import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { BLOCKING_BASIS } from '../requests/blocking.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import { requestRow } from '../requests/request-columns.ts';
import { type HarStudy, studyHar } from '../requests/study-har.ts';
import type { EntityOf } from '../requests/third-parties.ts';
import { groupsOf, hasFailed, tenth, weightOf } from '../requests/totals.ts';
import { someOf } from '../rules/problem.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import { type Culprit, type Effects, effectsOf, judgeTwoRuns, type Sides } from './culprit.ts';
import type { Comparison } from './har-comparison.ts';
import { MATCHING_NOTE, matchRequests, normalisedAddress } from './match-requests.ts';
import {
  durationChanges,
  groupChanges,
  hostRuns,
  medianPairs,
  middle,
  type RequestChange,
  sizeChanges,
  steadyAlone,
} from './request-changes.ts';

/** Rows of each list; the whole lists are behind analyze_har. */
const SHOWN = { added: 6, removed: 3, grown: 3, shrunk: 2, slower: 3, faster: 2, byParty: 5, byType: 5, hosts: 8 };
const NONE = { before: [], after: [] };

/** A run with what the report of its step says of it, where that was read. */
export interface ComparedRun {
  readonly har: Har;
  readonly paints?: PaintTimes | undefined;
}

/** The runs of both sides studied, the first of each typical of it; how many there are of a sample. */
interface Runs {
  readonly earlier: readonly HarStudy[];
  readonly later: readonly HarStudy[];
  readonly was: HarStudy;
  readonly is: HarStudy;
  readonly sampled: { readonly before: number; readonly after: number } | undefined;
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
  neighbours: Sides<Har> = NONE,
  paints?: Sides<PaintTimes>,
): { comparison: Comparison; notes: string[] } {
  const studied = ({ har, paints: own }: ComparedRun) => studyHar(har, entityOf, own);
  const [earlier, later] = [befores.map(studied), afters.map(studied)];
  const [[was], [is]] = [earlier, later];
  if (!was || !is) throw new TypeError('A comparison needs a run on each side.');
  const sampled = earlier.length + later.length > 2 ? { before: earlier.length, after: later.length } : undefined;
  const runs = { earlier, later, was, is, sampled };
  const differences = differencesOf(runs, neighbours, paints ?? NONE);
  const parties = groupChanges(...both(runs, (run) => run.parties.map((party) => [party.name, party] as const)));
  const answer = answerOf(runs, differences, parties, paints);
  const near = neighbours.before.length + neighbours.after.length;
  const compared = { was, is, answer, added: differences.lists.added, sampled, neighbours: near, parties: parties.length };
  const comparison = shortened({ answer: comparisonVerdict(compared), ...answer });
  return { comparison, notes: comparisonNotes({ ...compared, answer: comparison }) };
}

/** All that differs between two sides, whole lists with what matters most first. */
function differencesOf({ earlier, later, was, is, sampled }: Runs, neighbours: Sides<Har>, paints: Sides<PaintTimes>) {
  const matching = matchRequests(was.har.entries, is.har.entries);
  const pairs = sampled ? medianPairs(matching.pairs, earlier, later) : matching.pairs;
  const near = sampled ? { before: earlier.map(({ har }) => har), after: later.map(({ har }) => har) } : neighbours;
  const added = steadyAlone(matching.added, near.after, near.before).toSorted(
    (a, b) => Number(is.blocks.has(b)) - Number(is.blocks.has(a)) || weight(b) - weight(a),
  );
  const removed = steadyAlone(matching.removed, near.before, near.after).toSorted((a, b) => weight(b) - weight(a));
  const judged = sampled ? { ...durationChanges(pairs), culprit: undefined } : judgeTwoRuns(matching, was, is, neighbours, paints);
  const ranked = (changes: readonly RequestChange[]) =>
    changes.map((change) => ({ change, effects: effectsOf(change, was, is) })).toSorted(byEffect);
  return {
    lists: { added, removed, ...sizeChanges(pairs), slower: ranked(judged.slower), faster: ranked(judged.faster) },
    culprit: judged.culprit,
    matched: pairs.length,
    onlyBefore: matching.removed.length - removed.length,
    onlyAfter: matching.added.length - added.length,
  };
}

/** The comparison without its first paragraph, its lists cut to what is shown. */
function answerOf(
  runs: Runs,
  { lists, culprit, ...matched }: ReturnType<typeof differencesOf>,
  parties: Comparison['byParty'],
  paints: Sides<PaintTimes> | undefined,
): Omit<Comparison, 'answer'> {
  const { was, is, earlier, later, sampled } = runs;
  const sides = sidesOf(runs, sampled && paints);
  const types = both(runs, ({ har }) => groupsOf(har.entries, ({ type }) => type).map(({ key, totals }) => [key, totals] as const));
  const names = ['index', 'url', 'type', 'durationMs', 'transferBytes', 'contentBytes', 'blocksRendering'] as const;
  const sizeRow = ({ after, from, to }: RequestChange) => ({
    ...requestRow(after, ['index', 'url'], is),
    beforeBytes: from,
    afterBytes: to,
  });
  const timeRow = ({ change: { after, from, to }, effects }: Timed) => ({
    ...requestRow(after, ['index', 'url'], is),
    beforeMs: tenth(from),
    afterMs: tenth(to),
    ...effects,
  });
  return {
    samePage: isSamePage(was.har, is.har),
    ...(culprit && { culprit }),
    sides,
    net: netEffect(runs, sides),
    counts: { ...countsOf(lists), ...matched },
    added: lists.added.slice(0, SHOWN.added).map((entry) => requestRow(entry, names, is)),
    removed: lists.removed.slice(0, SHOWN.removed).map((entry) => requestRow(entry, names, was)),
    grown: lists.grown.slice(0, SHOWN.grown).map(sizeRow),
    shrunk: lists.shrunk.slice(0, SHOWN.shrunk).map(sizeRow),
    slower: lists.slower.slice(0, SHOWN.slower).map(timeRow),
    faster: lists.faster.slice(0, SHOWN.faster).map(timeRow),
    byParty: parties.slice(0, SHOWN.byParty),
    byType: groupChanges(...types).slice(0, SHOWN.byType),
    ...(sampled && { hosts: hostRuns(earlier, later).slice(0, SHOWN.hosts) }),
  };
}

/** A value of each run of both sides. */
function both<Value>({ earlier, later }: Runs, valueOf: (run: HarStudy) => Value) {
  return [earlier.map(valueOf), later.map(valueOf)] as const;
}

const weight = (entry: HarEntry) => weightOf(entry) ?? 0;

/** The lengths of these lists. */
function countsOf<Name extends string>(lists: Readonly<Record<Name, readonly unknown[]>>): Record<Name, number> {
  const counts = Object.entries<readonly unknown[]>(lists).map(([name, list]) => [name, list.length]);
  return Object.fromEntries(counts) as Record<Name, number>; // the same names
}

/** The same document, hashes and ids in its address aside. */
function isSamePage({ document: before }: Har, { document: after }: Har): boolean {
  return before && after ? normalisedAddress(before) === normalisedAddress(after) : before === after;
}

/** A changed duration with what it did to the paints and the load at most. */
interface Timed {
  readonly change: RequestChange;
  readonly effects: Effects;
}

/** Largest effect on a paint first, then on the load, then by duration. */
function byEffect(a: Timed, b: Timed): number {
  const paint = ({ effects: { fcpMs = 0, lcpMs = 0 } }: Timed) => Math.abs(lcpMs) + Math.abs(fcpMs);
  const load = ({ effects: { loadMs = 0 } }: Timed) => Math.abs(loadMs);
  const ms = ({ change: { from, to } }: Timed) => Math.abs(to - from);
  return paint(b) - paint(a) || load(b) - load(a) || ms(b) - ms(a);
}

/** Paints and load of both sides; of samples their medians, over all runs of the side where their reports were read. */
function sidesOf(runs: Runs, paints: Sides<PaintTimes> | undefined): Comparison['sides'] {
  const own = both(runs, (run) => ({ ...run.paints, loadMs: run.totals.onLoadMs ?? run.paints.loadMs }));
  return (['before', 'after'] as const).map((side, index) => {
    const read = paints?.[side] ?? own[index] ?? [];
    const level = (name: keyof PaintTimes) => tenth(middle(read, (times) => times[name]));
    const times = { fcpMs: level('fcpMs'), lcpMs: level('lcpMs'), tbtMs: level('tbtMs'), onLoadMs: level('loadMs') };
    return { side, ...times, ...(paints && { runs: read.length }) };
  });
}

/** Measures of the page as a whole. */
const MEASURES: Readonly<Record<string, (study: HarStudy) => number | null>> = {
  requests: ({ totals }) => totals.requests,
  transferBytes: ({ totals }) => totals.transferBytes,
  contentBytes: ({ totals }) => totals.contentBytes,
  redirectMs: ({ document }) => document?.redirectMs ?? null,
  ttfbMs: ({ document }) => document?.ttfbMs ?? null,
  renderBlockedUntilMs: ({ blocking }) => blocking.untilMs,
  onLoadMs: ({ totals }) => totals.onLoadMs,
  durationMs: ({ totals }) => totals.durationMs,
  errors: ({ har }) => har.entries.filter(hasFailed).length,
};

/** The median measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
function netEffect(runs: Runs, sides: Comparison['sides']): Comparison['net'] {
  return Object.entries(MEASURES).flatMap(([measure, valueOf]) => {
    // The load of a sample is that of all runs of its side.
    const isOfAll = measure === 'onLoadMs' && sides.every((side) => side.runs !== undefined && side.onLoadMs !== null);
    const [before = null, after = null] = isOfAll
      ? sides.map(({ onLoadMs }) => onLoadMs)
      : both(runs, valueOf).map((values) => middle(values, (value) => value));
    if (!before && !after) return [];
    return [
      { measure, before: tenth(before), after: tenth(after), change: before === null || after === null ? null : tenth(after - before) },
    ];
  });
}

const CHANGES = ['added', 'removed', 'grown', 'shrunk', 'slower', 'faster'] as const;
const LISTS = [...CHANGES, 'byParty', 'byType'] as const;
/** With its notes, an answer of this many characters stays under 1,500 tokens. */
const MAX_CHARACTERS = 4700;

/** Drops rows of the longest list until the answer is short enough; each list keeps a row. */
function shortened(comparison: Comparison): Comparison {
  const short = { ...comparison };
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  while (sizeOf(short) > MAX_CHARACTERS) {
    const [longest] = LISTS.filter((name) => short[name].length > 1).toSorted((a, b) => sizeOf(short[b]) - sizeOf(short[a]));
    if (!longest) break;
    Object.assign(short, { [longest]: short[longest].slice(0, -1) });
  }
  return short;
}

/** Two sides with what differs, as the sentences need it. */
interface Compared {
  readonly was: HarStudy;
  readonly is: HarStudy;
  /** The comparison without its first paragraph, its lists cut. */
  readonly answer: Omit<Comparison, 'answer'>;
  /** Those that block rendering first. */
  readonly added: readonly HarEntry[];
  /** How many runs each side has, where it is a sample; runs near them, and parties that changed. */
  readonly sampled: { readonly before: number; readonly after: number } | undefined;
  readonly neighbours: number;
  readonly parties: number;
}

const signOf = (value: number) => (value < 0 ? '−' : '+');

/** The words for a measure that changed. */
const MEASURE_WORDS: Record<string, (value: number) => string> = {
  requests: (value) => `${signOf(value)}${counted(Math.abs(value), 'request')}`,
  transferBytes: (value) => `${signOf(value)}${formatBytes(Math.abs(value))} transferred`,
  renderBlockedUntilMs: (value) => `rendering blocked ${formatMs(Math.abs(value))} ${value < 0 ? 'shorter' : 'longer'}`,
  onLoadMs: (value) => `onLoad ${formatMs(Math.abs(value))} ${value < 0 ? 'earlier' : 'later'}`,
};

/** `LCP 4.5 s (2.7 s before), FCP …`; nothing where no paint is known on both sides. */
function paintWords(sides: Comparison['sides']): string {
  const [was, is] = sides;
  const words = (['lcpMs', 'fcpMs', 'tbtMs'] as const).flatMap((name) => {
    const [before, after] = [was?.[name] ?? null, is?.[name] ?? null];
    return before === null || after === null ? [] : [`${name.slice(0, 3).toUpperCase()} ${formatMs(before)} → ${formatMs(after)}`];
  });
  const runs = was?.runs === undefined || is?.runs === undefined ? '' : `, medians of ${was.runs} and ${counted(is.runs, 'run')}`;
  return words.length > 0 ? `${words.join(', ')}${runs}.` : '';
}

/** The sentence on why one run is slower, which comes first, or that no cause stands out, which comes last. */
function culpritWords({ kind, slower, says }: Culprit, { slower: slow, faster }: Comparison['counts']): string {
  if (slower !== null) return `Slower is the run ${slower}: ${says}.`;
  if (kind === 'nothing' && slow + faster > 0)
    return 'No cause stands out: what is listed as slower or faster held up neither a paint nor the load by more than chance does.';
  return 'What both runs requested took as long as runs differ by anyway.';
}

/** Hosts of requests in their order, each once. */
function hostsOf(entries: readonly HarEntry[], shown: number): string {
  return someOf([...new Set(entries.map(({ host }) => (host === null ? 'no host' : sanitiseHost(host))))], shown);
}

function newcomers({ added, is: { blocks }, sampled }: Compared): string {
  if (added.length === 0) return '';
  const blocking = added.filter((entry) => blocks.has(entry));
  const blocked =
    blocking.length === 0
      ? 'none blocks rendering'
      : `${blocking.length} of them ${blocking.length === 1 ? 'blocks' : 'block'} rendering (${hostsOf(blocking, 2)})`;
  const words = sampled ? 'New in most runs after and in none before' : 'New';
  return `${words}: ${counted(added.length, 'request')} to ${hostsOf(added, 3)}, ${formatBytes(sumOfKnown(added, weightOf))}; ${blocked}.`;
}

const addressOf = ({ document }: Har) => (document ? shortUrl(document.url, 70) : 'no document');

/** Sums the changes up in a few sentences: culprit, paints, net effect, new hosts, new blockers of rendering, slower requests. */
function comparisonVerdict(compared: Compared): string {
  const { was, is, answer, sampled } = compared;
  const { samePage, net, counts, sides, culprit, slower } = answer;
  const changes = net.flatMap(({ measure, change }) => (change && MEASURE_WORDS[measure] ? [MEASURE_WORDS[measure](change)] : []));
  const side = sampled ? `After (${counted(sampled.after, 'run')} against ${sampled.before} before)` : 'After';
  const { added, removed, grown, shrunk, slower: slow, faster } = counts;
  const cause = culprit ? culpritWords(culprit, counts) : '';
  const [slowest] = culprit ? [] : slower;
  return [
    samePage ? '' : `Not the same page: ${addressOf(was.har)} against ${addressOf(is.har)}.`,
    culprit?.slower == null ? '' : cause,
    paintWords(sides),
    `${side}: ${changes.length > 0 ? changes.join(', ') : 'requests and bytes as before'}.`,
    newcomers(compared),
    slowest ? `Slower: ${slowest.url}, ${formatMs(slowest.beforeMs)} before, ${formatMs(slowest.afterMs)} after.` : '',
    added + removed + grown + shrunk + slow + faster > 0 ? '' : 'No request was added, removed or changed beyond noise.',
    culprit?.slower === null ? cause : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The rule by which a request counts as slower. */
function noiseNote({ neighbours, sampled, answer }: Compared): string {
  if (sampled) {
    const paints = answer.sides.some(({ runs }) => runs !== undefined) ? ', paints and load those of all runs near the instant' : '';
    return (
      `Durations and sizes are medians of the typical runs read on each side${paints}; new is what no run read before has and most ` +
      'runs read after have, gone the reverse.'
    );
  }
  const against =
    neighbours > 0
      ? `${counted(neighbours, 'run')} near them, which ${neighbours === 1 ? 'says' : 'say'} how much each request differs by itself`
      : 'what requests usually differ by: no run near them could be read, so less is certain (scenarioId beside before and after names ' +
        'where they are)';
  return (
    `One run on each side, judged against ${against}. Of a slower or faster request fcpMs, lcpMs and loadMs say how much of each it ` +
    'explains at most.'
  );
}

/** How the comparison is to be read, and what the two files say of themselves; a note of both appears once. */
function comparisonNotes(compared: Compared): string[] {
  const { was, is, answer, parties } = compared;
  const { counts, samePage, byParty } = answer;
  const cut = CHANGES.filter((name) => counts[name] > answer[name].length).map(
    (name) => `${answer[name].length} of ${counts[name]} ${name}`,
  );
  const isReversed = was.har.startedMs !== null && is.har.startedMs !== null && was.har.startedMs > is.har.startedMs;
  const [before, after] = [was.har.notes, is.har.notes];
  const own = [
    !samePage && 'The two files are not of the same page: what is added and removed says little.',
    isReversed && 'The run given as before is the later one.',
    cut.length > 0 && `Shown: ${cut.join(', ')}${hint('analyze_har', '; analyze_har with domain or url lists the rest')}.`,
    parties > byParty.length && `${parties - byParty.length} more parties changed.`,
    MATCHING_NOTE,
    noiseNote(compared),
    BLOCKING_BASIS[is.blocking.basis],
    is.blocking.basis !== was.blocking.basis && 'Render-blocking was recognised differently in the two files.',
  ];
  return [
    ...own.filter((note) => note !== false),
    ...before.filter((note) => after.includes(note)),
    ...before.filter((note) => !after.includes(note)).map((note) => `In before: ${note}`),
    ...after.filter((note) => !before.includes(note)).map((note) => `In after: ${note}`),
  ];
}
