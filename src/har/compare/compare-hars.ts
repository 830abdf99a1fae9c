import { hint } from '../../lib/hint.ts';
import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import { requestRow } from '../requests/request-columns.ts';
import { type HarStudy, studyHar } from '../requests/study-har.ts';
import type { EntityOf } from '../requests/third-parties.ts';
import { groupsOf, hasFailed, hostNames, rounded, weight, weightOf } from '../requests/totals.ts';
import { shortUrl } from '../sanitise-url.ts';
import {
  type Culprit,
  culpritOf,
  type Effects,
  effectsOf,
  FIGURES,
  figuresOf,
  isListed,
  movesBetween,
  movesOf,
  type Sides,
} from './culprit.ts';
import type { Comparison } from './har-comparison.ts';
import { keysOver, MATCHING_NOTE, matchRequests, normalisedAddress } from './match-requests.ts';
import { changeOf, groupChanges, hostRuns, type RequestChange, steadyAlone } from './request-changes.ts';
import { type Grounds, shiftBetween, sizesBetween } from './run-scatter.ts';
import { middle } from './typical-runs.ts';

/** Lists of requests that changed with their rows that are shown; the whole lists are behind analyze_har. */
const CHANGES = { added: 6, removed: 3, grown: 3, shrunk: 2, slower: 3, faster: 2 };
type ListName = keyof typeof CHANGES;
const CHANGE_NAMES = Object.keys(CHANGES) as ListName[]; // its own names
const GROUPS = { byParty: 5, byType: 5 };
const MOST_HOSTS = 8;
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

/** Two sides with their runs studied, the first of each typical of it. */
type Compared = ReturnType<typeof comparedOf>;

/** The median figures of a side by the reports of all its runs, by its files where these do not say. */
function levelOf(files: readonly HarStudy[], reports: readonly PaintTimes[]) {
  const own = files.map(figuresOf);
  const level = (name: keyof PaintTimes) => middle(reports.map((each) => each[name])) ?? middle(own.map((each) => each[name]));
  return Object.fromEntries(FIGURES.map((name) => [name, level(name)])) as Required<PaintTimes>; // one for each
}

function comparedOf(runs: Sides<HarStudy>, neighbours: Sides<Har>, reports: Sides<PaintTimes>, told: SampleTold | undefined) {
  const [was, is] = [runs.before[0], runs.after[0]];
  if (!was || !is) throw new TypeError('A comparison needs a run on each side.');
  const isSample = runs.before.length + runs.after.length > 2;
  const own = both(runs, ({ har }) => har);
  const [before, after] = own;
  /** The runs near each side: its own, of a sample. */
  const near = isSample ? { before, after } : neighbours;
  const levels = [levelOf(runs.before, isSample ? reports.before : []), levelOf(runs.after, isSample ? reports.after : [])] as const;
  // The runs near them are known by their reports.
  const reported = isSample ? levels : ([levelOf([was], [was.paints]), levelOf([is], [is.paints])] as const);
  const moves = movesBetween(reported, reports, isSample);
  const keyOf = keysOver([...before, ...near.before], [...after, ...near.after]);
  const grounds: Grounds = { own, near: [near.before, near.after], keyOf };
  return { runs, was, is, near, reports, isSample, told, levels, reported, moves, grounds };
}

/**
 * Compares the loads of two runs, or of two samples whose first runs are typical of them. Between samples a request that comes and goes is
 * neither new nor gone, and sizes and times are medians; the figures of the page are those of the reports of all runs that the samples
 * stand for. Two runs are compared with the runs near each of them, of which all reports are given. The later side decides how
 * render-blocking is recognised.
 */
export function compareHars(
  befores: readonly ComparedRun[],
  afters: readonly ComparedRun[],
  entityOf: EntityOf,
  neighbours: Sides<Har> = NONE,
  reports: Sides<PaintTimes> = NONE,
  told?: SampleTold,
) {
  const studied = ({ har, paints: own }: ComparedRun) => studyHar(har, entityOf, own);
  const runs = { before: befores.map(studied), after: afters.map(studied) };
  const compared = comparedOf(runs, neighbours, reports, told);
  const { was, is } = compared;
  const { lists, culprit, ...matched } = differencesOf(compared);
  const sizes = Object.fromEntries(CHANGE_NAMES.map((name) => [name, lists[name].length])) as Record<ListName, number>; // one for each
  const counts = { ...sizes, ...matched };
  const parties = groupChanges(...both(runs, (run) => run.parties.map((party) => [party.name, party] as const)));
  const rows = rowsOf(compared, lists, parties);
  const answer = rounded({ samePage: isSamePage(was.har, is.har), ...(culprit && { culprit }), counts, ...rows });
  const comparison = shortened({ answer: comparisonVerdict(compared, answer, lists.added), ...answer });
  return { comparison, notes: comparisonNotes(compared, comparison, parties.length) };
}

/** All that differs between two sides, whole lists with what matters most first. */
function differencesOf({ was, is, near, isSample, reported, moves, grounds }: Compared) {
  const matching = matchRequests(was.entries, is.entries, grounds.keyOf);
  const { pairs } = matching;
  const shift = shiftBetween(pairs, grounds);
  const timed = shift.requests
    .filter(isListed('ms'))
    .map((change) => ({ ...change, effects: effectsOf(change, was, is) }))
    .toSorted(byEffect);
  const heaviest = byMost<HarEntry>((entry) => is.blocks.has(entry), weight);
  const steady = steadyAlone(matching, near, grounds.keyOf);
  const [added, removed] = [steady.added.toSorted(heaviest), steady.removed.toSorted(heaviest)];
  const [grown, shrunk] = parted(sizesBetween(pairs, grounds).filter(isListed('bytes')).toSorted(byMost(changeOf)));
  const [slower, faster] = parted(timed);
  return {
    lists: { added, removed, grown, shrunk, slower, faster },
    // Two pages take as long as they do.
    culprit: isSample || !isSamePage(was.har, is.har) ? undefined : culpritOf({ was, is, shift, grounds, moves, reported }, matching),
    matched: pairs.length,
    onlyBefore: matching.removed.length - removed.length,
    onlyAfter: matching.added.length - added.length,
  };
}

/** Changes to more and to less. */
const parted = <Change extends RequestChange>(changes: readonly Change[]) =>
  [changes.filter(({ from, to }) => to > from), changes.filter(({ from, to }) => to < from)] as const;

/** The rows that are shown of the lists, and both sides as a whole. */
function rowsOf(compared: Compared, lists: ReturnType<typeof differencesOf>['lists'], parties: Comparison['byParty']) {
  const { was, is, runs, isSample } = compared;
  const types = both(runs, ({ entries }) => groupsOf(entries, ({ type }) => type).map(({ key, totals }) => [key, totals] as const));
  const names = ['index', 'url', 'type', 'durationMs', 'transferBytes', 'contentBytes', 'blocksRendering'] as const;
  const place = ({ after }: RequestChange) => requestRow(after, ['index', 'url'], is);
  const sizeRow = (change: RequestChange) => ({ ...place(change), beforeBytes: change.from, afterBytes: change.to });
  const timeRow = (change: Timed) => ({ ...place(change), beforeMs: change.from, afterMs: change.to, ...change.effects });
  return {
    sides: sidesOf(compared),
    net: netEffect(compared),
    added: lists.added.slice(0, CHANGES.added).map((entry) => requestRow(entry, names, is)),
    removed: lists.removed.slice(0, CHANGES.removed).map((entry) => requestRow(entry, names, was)),
    grown: lists.grown.slice(0, CHANGES.grown).map(sizeRow),
    shrunk: lists.shrunk.slice(0, CHANGES.shrunk).map(sizeRow),
    slower: lists.slower.slice(0, CHANGES.slower).map(timeRow),
    faster: lists.faster.slice(0, CHANGES.faster).map(timeRow),
    byParty: parties.slice(0, GROUPS.byParty),
    byType: groupChanges(...types).slice(0, GROUPS.byType),
    ...(isSample && { hosts: hostRuns(runs.before, runs.after).slice(0, MOST_HOSTS) }),
  };
}

/** A value of each run of both sides. */
const both = <Value>({ before, after }: Sides<HarStudy>, valueOf: (run: HarStudy) => Value) =>
  [before.map(valueOf), after.map(valueOf)] as const;

/** The same document, hashes and ids in its address aside. */
function isSamePage({ document: before }: Har, { document: after }: Har): boolean {
  return before && after ? normalisedAddress(before) === normalisedAddress(after) : before === after;
}

/** A changed duration with what it did to the paints and the load at most. */
type Timed = RequestChange & { readonly effects: Effects };

/** Largest effect on a paint first, then on the load, then by duration. */
const byEffect = byMost<Timed>(
  ({ effects: { fcpMs = 0, lcpMs = 0 } }) => Math.abs(lcpMs) + Math.abs(fcpMs),
  ({ effects: { loadMs = 0 } }) => Math.abs(loadMs),
  changeOf,
);

/** Paints and load of both sides, with how many reports they are medians of. */
function sidesOf({ levels, reports, isSample }: Compared): Comparison['sides'] {
  return (['before', 'after'] as const).flatMap((side, at) => {
    const { loadMs: onLoadMs = null, fcpMs = null, lcpMs = null, tbtMs = null } = levels[at] ?? {};
    return [{ side, fcpMs, lcpMs, tbtMs, onLoadMs, ...(isSample && reports[side].length > 0 && { runs: reports[side].length }) }];
  });
}

/** Measures of the page as a whole that are not in the reports. */
const MEASURES: Readonly<Record<string, (study: HarStudy) => number | null | undefined>> = {
  contentBytes: ({ totals }) => totals.contentBytes,
  redirectMs: ({ document }) => document?.redirectMs,
  ttfbMs: ({ document }) => document?.ttfbMs,
  renderBlockedUntilMs: ({ blocking: { entries, untilMs } }) => (entries.length > 0 ? untilMs : null),
  durationMs: ({ totals }) => totals.durationMs,
  errors: ({ entries }) => entries.filter(hasFailed).length,
};

/** The median measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
function netEffect({ runs, levels }: Compared): Comparison['net'] {
  const reported = (measure: string, name: keyof PaintTimes) => [measure, levels.map((level) => level[name])] as const;
  const known = [
    reported('requests', 'requests'),
    reported('transferBytes', 'transferBytes'),
    ...Object.entries(MEASURES).map(([measure, valueOf]) => [measure, both(runs, valueOf).map(middle)] as const),
    reported('onLoadMs', 'loadMs'),
  ];
  return known.flatMap(([measure, [before = null, after = null]]) =>
    before || after ? [{ measure, before, after, change: before === null || after === null ? null : after - before }] : [],
  );
}

const LISTS = [...CHANGE_NAMES, 'byParty', 'byType'] as const;
/** With its notes, an answer of this many characters stays under 1,500 tokens. */
const MAX_CHARACTERS = 4700;

/** Drops rows of the longest list until the answer is short enough; each list keeps a row. */
function shortened(comparison: Comparison): Comparison {
  const short = { ...comparison };
  const sizeOf = (value: unknown) => JSON.stringify(value).length;
  while (sizeOf(short) > MAX_CHARACTERS) {
    const [longest] = LISTS.filter((name) => short[name].length > 1).toSorted(byMost((each) => sizeOf(short[each])));
    if (!longest) break;
    Object.assign(short, { [longest]: short[longest].slice(0, -1) });
  }
  return short;
}

const signOf = (value: number) => (value < 0 ? '−' : '+');

/** The words for a measure that changed. */
const MEASURE_WORDS: Record<string, (value: number) => string> = {
  requests: (value) => `${signOf(value)}${counted(Math.abs(value), 'request')}`,
  transferBytes: (value) => `${signOf(value)}${formatBytes(Math.abs(value))} transferred`,
  renderBlockedUntilMs: (value) => `rendering blocked ${formatMs(Math.abs(value))} ${value < 0 ? 'shorter' : 'longer'}`,
  onLoadMs: (value) => `onLoad ${formatMs(Math.abs(value))} ${value < 0 ? 'earlier' : 'later'}`,
};

/**
 * `After: +6 requests`: what the page does otherwise beyond the scatter of its runs; of times where a paint or the load moved, and how long
 * rendering was blocked where more requests block it.
 */
function netWords({ is, isSample, runs, reports, told, moves }: Compared, net: Comparison['net'], added: readonly HarEntry[]): string {
  const isMoved = told?.isMoved ?? movesOf(moves).length > 0;
  const changes = net.flatMap(({ measure, change }) => {
    const isCaused = measure === 'renderBlockedUntilMs' && added.some((entry) => is.blocks.has(entry));
    const isTold = measure.endsWith('Ms') ? isMoved || isCaused : Object.hasOwn(moves, measure);
    return (change && isTold && MEASURE_WORDS[measure]?.(change)) || [];
  });
  const { before, after } = reports.after.length > 0 ? reports : runs;
  const side = isSample ? `After (${counted(after.length, 'run')} against ${before.length} before)` : 'After';
  return `${side}: ${changes.join(', ') || 'requests and bytes as before'}.`;
}

/** `LCP 2.7 s → 4.5 s, FCP …`; nothing where no paint is known on both sides. */
function paintWords([was, is]: Comparison['sides']): string {
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

function newcomers(added: readonly HarEntry[], { is: { blocks }, isSample }: Compared): string {
  if (added.length === 0) return '';
  const blocking = added.filter((entry) => blocks.has(entry));
  const verb = `of them ${blocking.length === 1 ? 'blocks' : 'block'} rendering`;
  const blocked = blocking.length === 0 ? 'none blocks rendering' : `${blocking.length} ${verb} (${hostNames(blocking, 2)})`;
  const words = isSample ? 'New in most runs after and in none before' : 'New';
  const asked = `${counted(added.length, 'request')} to ${hostNames(added, 3)}`;
  return `${words}: ${asked}, ${formatBytes(sumOfKnown(added, weightOf))}; ${blocked}.`;
}

const addressOf = ({ document }: Har) => (document ? shortUrl(document.url, 70) : 'no document');

/** Sums the changes up in a few sentences: culprit, paints, net effect, new hosts, new blockers of rendering, slower requests. */
function comparisonVerdict(compared: Compared, answer: Omit<Comparison, 'answer'>, added: readonly HarEntry[]): string {
  const { was, is, told } = compared;
  const { samePage, net, counts, sides, culprit, slower } = answer;
  const cause = culprit && culpritWords(culprit, counts);
  const [slowest] = culprit ? [] : slower;
  return present(
    !samePage && `Not the same page: ${addressOf(was.har)} against ${addressOf(is.har)}.`,
    culprit?.slower && cause,
    told?.sentence ?? paintWords(sides),
    netWords(compared, net, added),
    newcomers(added, compared),
    slowest && `Slower: ${slowest.url}, ${formatMs(slowest.beforeMs)} before, ${formatMs(slowest.afterMs)} after.`,
    CHANGE_NAMES.every((name) => counts[name] === 0) && 'No request was added, removed or changed beyond noise.',
    culprit?.slower === null && cause,
  ).join(' ');
}

/** The rule by which a request counts as slower. */
function noiseNote({ near, isSample, reports }: Compared): string {
  if (isSample) {
    const rest = reports.before.length > 0 ? ', requests, bytes, paints and load of the page those of all runs near the instant' : '';
    return (
      `Durations and sizes of requests are medians of the typical runs read on each side${rest}; new is what no run read before has and ` +
      'most runs read after have, gone the reverse.'
    );
  }
  const neighbours = near.before.length + near.after.length;
  const against =
    neighbours > 0
      ? `${counted(neighbours, 'run')} near them`
      : 'what requests usually differ by: no run near them could be read, so less is certain (scenarioId beside before and after names ' +
        'where they are)';
  return (
    `One run on each side, judged against ${against}. Of a slower or faster request fcpMs, lcpMs and loadMs say how much of each it ` +
    'explains at most.'
  );
}

/** How the comparison is to be read, and what the two files say of themselves; a note of both appears once. */
function comparisonNotes(compared: Compared, comparison: Comparison, parties: number): string[] {
  const { was, is } = compared;
  const { counts, byParty } = comparison;
  const cut = CHANGE_NAMES.flatMap((name) => {
    const shown = comparison[name].length;
    return counts[name] > shown ? [`${shown} of ${counts[name]} ${name}`] : [];
  });
  const [before, after] = [was.har.notes, is.har.notes];
  return present(
    (was.har.startedMs ?? 0) > (is.har.startedMs ?? Number.POSITIVE_INFINITY) && 'The run given as before is the later one.',
    cut.length > 0 && `Shown: ${cut.join(', ')}${hint('analyze_har', '; analyze_har with domain or url lists the rest')}.`,
    parties > byParty.length && `${parties - byParty.length} more parties changed.`,
    MATCHING_NOTE,
    noiseNote(compared),
    is.blocking.says,
    is.blocking.basis !== was.blocking.basis && 'Render-blocking was recognised differently in the two files.',
    ...before.map((note) => (after.includes(note) ? note : `In before: ${note}`)),
    ...after.map((note) => !before.includes(note) && `In after: ${note}`),
  );
}
