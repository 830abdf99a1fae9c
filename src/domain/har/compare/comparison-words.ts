import { hint } from '../../../lib/hint.ts';
import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { BLOCKING_BASIS } from '../requests/blocking.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { weightOf } from '../requests/totals.ts';
import { someOf } from '../rules/problem.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import type { Culprit } from './culprit.ts';
import type { Comparison } from './har-comparison.ts';
import { MATCHING_NOTE } from './match-requests.ts';

/** Two sides with what differs, as the sentences need it. */
export interface Compared {
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
const MEASURES: Record<string, (value: number) => string> = {
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
export function comparisonVerdict(compared: Compared): string {
  const { was, is, answer, sampled } = compared;
  const { samePage, net, counts, sides, culprit, slower } = answer;
  const changes = net.flatMap(({ measure, change }) => (change && MEASURES[measure] ? [MEASURES[measure](change)] : []));
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

const LISTS = ['added', 'removed', 'grown', 'shrunk', 'slower', 'faster'] as const;

/** How the comparison is to be read, and what the two files say of themselves; a note of both appears once. */
export function comparisonNotes(compared: Compared): string[] {
  const { was, is, answer, parties } = compared;
  const { counts, samePage, byParty } = answer;
  const cut = LISTS.filter((name) => counts[name] > answer[name].length).map((name) => `${answer[name].length} of ${counts[name]} ${name}`);
  const isReversed = was.har.startedMs !== null && is.har.startedMs !== null && was.har.startedMs > is.har.startedMs;
  const [before, after] = [was.har.notes, is.har.notes];
  const notes: [boolean, string][] = [
    [!samePage, 'The two files are not of the same page: what is added and removed says little.'],
    [isReversed, 'The run given as before is the later one.'],
    [cut.length > 0, `Shown: ${cut.join(', ')}${hint('analyze_har', '; analyze_har with domain or url lists the rest')}.`],
    [parties > byParty.length, `${parties - byParty.length} more parties changed.`],
    [true, MATCHING_NOTE],
    [true, noiseNote(compared)],
    [true, BLOCKING_BASIS[is.blocking.basis]],
    [is.blocking.basis !== was.blocking.basis, 'Render-blocking was recognised differently in the two files.'],
  ];
  return [
    ...notes.flatMap(([holds, note]) => (holds ? [note] : [])),
    ...before.filter((note) => after.includes(note)),
    ...before.filter((note) => !after.includes(note)).map((note) => `In before: ${note}`),
    ...after.filter((note) => !before.includes(note)).map((note) => `In after: ${note}`),
  ];
}
