import { hint } from '../../../lib/hint.ts';
import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import { requestRow } from '../requests/request-columns.ts';
import { type HarStudy, studyHar } from '../requests/study-har.ts';
import type { EntityOf } from '../requests/third-parties.ts';
import { groupsOf, hasFailed, hostNames, rounded, weight, weightOf } from '../requests/totals.ts';
import { shortUrl } from '../sanitise-url.ts';
import { type Culprit, culpritOf, type Effects, effectsOf, isListed, paintsOf, type Sides } from './culprit.ts';
import type { Comparison } from './har-comparison.ts';
import { MATCHING_NOTE, matchRequests, normalisedAddress } from './match-requests.ts';
import { comparedPairs, groupChanges, hostRuns, type RequestChange, sizeChanges, steadyAlone } from './request-changes.ts';
import { shiftBetween } from './run-scatter.ts';
import { middle } from './typical-runs.ts';

/** Rows of each list; the whole lists are behind analyze_har. */
const SHOWN = { added: 6, removed: 3, grown: 3, shrunk: 2, slower: 3, faster: 2, byParty: 5, byType: 5, hosts: 8 };
const NONE = { before: [], after: [] };

/** A run with what the report of its step says of it, where that was read. */
export interface ComparedRun {
  readonly har: Har;
  readonly paints?: PaintTimes | undefined;
}

/** Whether the step of two samples changed between them, by the reports of all runs, in a sentence. */
export interface SampleTold {
  readonly sentence: string;
  readonly isMoved: boolean;
}

/** The runs of both sides studied, the first of each typical of it, and all paints that the reports of a side gave. */
interface Runs {
  readonly earlier: readonly HarStudy[];
  readonly later: readonly HarStudy[];
  readonly was: HarStudy;
  readonly is: HarStudy;
  readonly paints: Sides<PaintTimes> | undefined;
  readonly isSample: boolean;
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
  told?: SampleTold,
): { comparison: Comparison; notes: string[] } {
  const studied = ({ har, paints: own }: ComparedRun) => studyHar(har, entityOf, own);
  const [earlier, later] = [befores.map(studied), afters.map(studied)];
  const [[was], [is]] = [earlier, later];
  if (!was || !is) throw new TypeError('A comparison needs a run on each side.');
  const runs = { earlier, later, was, is, paints, isSample: earlier.length + later.length > 2 };
  const differences = differencesOf(runs, neighbours);
  const { lists, culprit, ...matched } = differences;
  const sizes = Object.fromEntries(CHANGES.map((name) => [name, lists[name].length])) as Record<ListName, number>; // one for each
  const counts = { ...sizes, ...matched };
  const parties = groupChanges(...both(runs, (run) => run.parties.map((party) => [party.name, party] as const)));
  const answer = rounded({ samePage: isSamePage(was.har, is.har), ...(culprit && { culprit }), counts, ...rowsOf(runs, lists, parties) });
  const near = neighbours.before.length + neighbours.after.length;
  const compared = { ...runs, told, answer, added: lists.added, neighbours: near, parties: parties.length };
  const comparison = shortened({ answer: comparisonVerdict(compared), ...answer });
  return { comparison, notes: comparisonNotes({ ...compared, answer: comparison }) };
}

/** All that differs between two sides, whole lists with what matters most first. */
function differencesOf({ earlier, later, was, is, paints, isSample }: Runs, neighbours: Sides<Har>) {
  const matching = matchRequests(was.entries, is.entries);
  const pairs = comparedPairs(matching.pairs, earlier, later);
  const near = isSample ? { before: earlier.map(({ har }) => har), after: later.map(({ har }) => har) } : neighbours;
  const groups = [near.before, near.after];
  const shift = shiftBetween(pairs, was, groups, [earlier.length, later.length]);
  const timed = shift.requests
    .filter(isListed)
    .map((change) => ({ change, effects: effectsOf(change, was, is) }))
    .toSorted(byEffect);
  const added = steadyAlone(matching.added, near.after, near.before).toSorted(
    (a, b) => Number(is.blocks.has(b)) - Number(is.blocks.has(a)) || weight(b) - weight(a),
  );
  const removed = steadyAlone(matching.removed, near.before, near.after).toSorted((a, b) => weight(b) - weight(a));
  return {
    lists: {
      added,
      removed,
      ...sizeChanges(pairs),
      slower: timed.filter(({ change: { from, to } }) => to > from),
      faster: timed.filter(({ change: { from, to } }) => to < from),
    },
    culprit: isSample ? undefined : culpritOf({ was, is, shift, near: groups }, paints ?? NONE, matching),
    matched: pairs.length,
    onlyBefore: matching.removed.length - removed.length,
    onlyAfter: matching.added.length - added.length,
  };
}

/** The rows that are shown of the lists, and both sides as a whole. */
function rowsOf(runs: Runs, lists: ReturnType<typeof differencesOf>['lists'], parties: Comparison['byParty']) {
  const { was, is, earlier, later, isSample } = runs;
  const sides = sidesOf(runs);
  const types = both(runs, ({ entries }) => groupsOf(entries, ({ type }) => type).map(({ key, totals }) => [key, totals] as const));
  const names = ['index', 'url', 'type', 'durationMs', 'transferBytes', 'contentBytes', 'blocksRendering'] as const;
  const place = ({ after }: RequestChange) => requestRow(after, ['index', 'url'], is);
  const sizeRow = (change: RequestChange) => ({ ...place(change), beforeBytes: change.from, afterBytes: change.to });
  const timeRow = ({ change, effects }: Timed) => ({
    ...place(change),
    beforeMs: change.from,
    afterMs: change.to,
    ...effects,
  });
  return {
    sides,
    net: netEffect(runs, sides),
    added: lists.added.slice(0, SHOWN.added).map((entry) => requestRow(entry, names, is)),
    removed: lists.removed.slice(0, SHOWN.removed).map((entry) => requestRow(entry, names, was)),
    grown: lists.grown.slice(0, SHOWN.grown).map(sizeRow),
    shrunk: lists.shrunk.slice(0, SHOWN.shrunk).map(sizeRow),
    slower: lists.slower.slice(0, SHOWN.slower).map(timeRow),
    faster: lists.faster.slice(0, SHOWN.faster).map(timeRow),
    byParty: parties.slice(0, SHOWN.byParty),
    byType: groupChanges(...types).slice(0, SHOWN.byType),
    ...(isSample && { hosts: hostRuns(earlier, later).slice(0, SHOWN.hosts) }),
  };
}

/** A value of each run of both sides. */
function both<Value>({ earlier, later }: Runs, valueOf: (run: HarStudy) => Value) {
  return [earlier.map(valueOf), later.map(valueOf)] as const;
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
function sidesOf(runs: Runs): Comparison['sides'] {
  const own = both(runs, paintsOf);
  return (['before', 'after'] as const).map((side, index) => {
    const ofAll = runs.isSample ? runs.paints?.[side] : undefined;
    const level = (name: keyof PaintTimes) => middle((ofAll ?? own[index] ?? []).map((times) => times[name]));
    const times = { fcpMs: level('fcpMs'), lcpMs: level('lcpMs'), tbtMs: level('tbtMs'), onLoadMs: level('loadMs') };
    return { side, ...times, ...(ofAll && { runs: ofAll.length }) };
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
  onLoadMs: (study) => paintsOf(study).loadMs,
  durationMs: ({ totals }) => totals.durationMs,
  errors: ({ entries }) => entries.filter(hasFailed).length,
};

/** The median measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
function netEffect(runs: Runs, sides: Comparison['sides']): Comparison['net'] {
  return Object.entries(MEASURES).flatMap(([measure, valueOf]) => {
    // The load of a sample is that of all runs of its side.
    const isOfAll = measure === 'onLoadMs' && sides.every(({ onLoadMs }) => onLoadMs !== null);
    const [before = null, after = null] = isOfAll ? sides.map(({ onLoadMs }) => onLoadMs) : both(runs, valueOf).map(middle);
    if (!before && !after) return [];
    return [{ measure, before, after, change: before === null || after === null ? null : after - before }];
  });
}

const CHANGES = ['added', 'removed', 'grown', 'shrunk', 'slower', 'faster'] as const;
type ListName = (typeof CHANGES)[number];
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
interface Compared extends Runs {
  /** The comparison without its first paragraph, its lists cut. */
  readonly answer: Omit<Comparison, 'answer'>;
  readonly told: SampleTold | undefined;
  /** Those that block rendering first. */
  readonly added: readonly HarEntry[];
  /** Runs near two given ones, and parties that changed. */
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
  return words.length > 0 ? `${words.join(', ')}.` : '';
}

/** The sentence on why one run is slower, which comes first, or that no cause stands out, which comes last. */
function culpritWords({ kind, slower, says }: Culprit, { slower: slow, faster }: Comparison['counts']): string {
  if (slower !== null) return `Slower is the run ${slower}: ${says}.`;
  if (kind === 'nothing' && slow + faster > 0)
    return 'No cause stands out: what is listed as slower or faster held up neither a paint nor the load by more than chance does.';
  return 'What both runs requested took as long as runs differ by anyway.';
}

function newcomers({ added, is: { blocks }, isSample }: Compared): string {
  if (added.length === 0) return '';
  const blocking = added.filter((entry) => blocks.has(entry));
  const blocked =
    blocking.length === 0
      ? 'none blocks rendering'
      : `${blocking.length} of them ${blocking.length === 1 ? 'blocks' : 'block'} rendering (${hostNames(blocking, 2)})`;
  const words = isSample ? 'New in most runs after and in none before' : 'New';
  const asked = `${counted(added.length, 'request')} to ${hostNames(added, 3)}`;
  return `${words}: ${asked}, ${formatBytes(sumOfKnown(added, weightOf))}; ${blocked}.`;
}

const addressOf = ({ document }: Har) => (document ? shortUrl(document.url, 70) : 'no document');

/** Sums the changes up in a few sentences: culprit, paints, net effect, new hosts, new blockers of rendering, slower requests. */
function comparisonVerdict(compared: Compared): string {
  const { was, is, answer, isSample, earlier, later, told } = compared;
  const { samePage, net, counts, sides, culprit, slower } = answer;
  const isTold = (measure: string) => told?.isMoved !== false || !measure.endsWith('Ms');
  const changes = net.flatMap(({ measure, change }) =>
    change && isTold(measure) && MEASURE_WORDS[measure] ? [MEASURE_WORDS[measure](change)] : [],
  );
  const side = isSample ? `After (${counted(later.length, 'run')} against ${earlier.length} before)` : 'After';
  const cause = culprit ? culpritWords(culprit, counts) : '';
  const [slowest] = culprit ? [] : slower;
  return [
    samePage ? '' : `Not the same page: ${addressOf(was.har)} against ${addressOf(is.har)}.`,
    culprit?.slower == null ? '' : cause,
    told?.sentence ?? paintWords(sides),
    `${side}: ${changes.length > 0 ? changes.join(', ') : 'requests and bytes as before'}.`,
    newcomers(compared),
    slowest ? `Slower: ${slowest.url}, ${formatMs(slowest.beforeMs)} before, ${formatMs(slowest.afterMs)} after.` : '',
    CHANGES.some((name) => counts[name] > 0) ? '' : 'No request was added, removed or changed beyond noise.',
    culprit?.slower === null ? cause : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The rule by which a request counts as slower. */
function noiseNote({ neighbours, isSample, answer }: Compared): string {
  if (isSample) {
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
    is.blocking.says,
    is.blocking.basis !== was.blocking.basis && 'Render-blocking was recognised differently in the two files.',
  ];
  return [
    ...own.filter((note) => note !== false),
    ...before.filter((note) => after.includes(note)),
    ...before.filter((note) => !after.includes(note)).map((note) => `In before: ${note}`),
    ...after.filter((note) => !before.includes(note)).map((note) => `In after: ${note}`),
  ];
}
