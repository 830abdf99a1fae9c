import * as z from 'zod';
import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import { someOf } from '../analyse/problem.ts';
import { tenth } from '../analyse/request-rows.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { middleOf } from './compare-runs.ts';
import type { Culprit } from './culprit.ts';
import type { RequestChange } from './request-changes.ts';

const number = z.number().nullable();
const request = z.object({
  index: z.number(),
  url: z.string(),
  type: z.string(),
  durationMs: number,
  transferBytes: number,
  contentBytes: number,
  blocksRendering: z.boolean(),
});
const sized = z.object({ index: z.number(), url: z.string(), beforeBytes: z.number(), afterBytes: z.number() });
const timed = z.object({
  index: z.number(),
  url: z.string(),
  beforeMs: z.number(),
  afterMs: z.number(),
  fcpMs: z.number().optional(),
  lcpMs: z.number().optional(),
  loadMs: z.number().optional(),
});
const group = z.object({
  name: z.string(),
  requestsBefore: z.number(),
  requestsAfter: z.number(),
  transferBytesBefore: number,
  transferBytesAfter: number,
  contentBytesBefore: number,
  contentBytesAfter: number,
});

/** Changes between two HAR files: `index` is that of the later file, for removed requests that of the earlier one. */
export const comparisonShape = z.object({
  verdict: z.string(),
  samePage: z.boolean(),
  /** Of two given runs: what made one of them slower. */
  culprit: z
    .object({
      kind: z.enum(['whole run', 'document', 'host', 'request', 'page', 'nothing']),
      name: z.string().nullable(),
      slower: z.enum(['before', 'after']).nullable(),
      times: number,
      says: z.string(),
    })
    .optional(),
  sides: z.array(
    z.object({
      side: z.enum(['before', 'after']),
      fcpMs: number,
      lcpMs: number,
      tbtMs: number,
      onLoadMs: number,
      unusual: z.string().optional(),
      runs: z.number().optional().describe('Runs that these are medians of'),
    }),
  ),
  net: z.array(z.object({ measure: z.string(), before: number, after: number, change: number })),
  counts: z.object({
    added: z.number(),
    removed: z.number(),
    grown: z.number(),
    shrunk: z.number(),
    slower: z.number(),
    faster: z.number(),
    matched: z.number(),
    onlyBefore: z.number().describe('Come and go from run to run: in before only, not gone'),
    onlyAfter: z.number().describe('Come and go: in after only, not new'),
  }),
  added: z.array(request),
  removed: z.array(request),
  grown: z.array(sized),
  shrunk: z.array(sized),
  slower: z.array(timed),
  faster: z.array(timed),
  byParty: z.array(group),
  byType: z.array(group),
  hosts: z
    .array(
      z.object({
        host: z.string(),
        presence: z.enum(['new', 'gone', 'comes and goes']),
        party: z.string().nullable(),
        runsBefore: z.number(),
        runsAfter: z.number(),
        requests: z.number(),
        transferBytes: z.number(),
        blocksRendering: z.boolean(),
      }),
    )
    .optional(),
});

/** The answer of a comparison of two files. */
export type Comparison = z.input<typeof comparisonShape>;

/** Differences of the whole page: bytes, requests, times. */
export type NetEffect = Comparison['net'];

/** Measures of the page as a whole. */
function measuresOf({ summary: { totals, document, errors }, blocking }: HarStudy): Record<string, number | null> {
  return {
    requests: totals.requests,
    transferBytes: totals.transferBytes,
    contentBytes: totals.contentBytes,
    redirectMs: document?.redirectMs ?? null,
    ttfbMs: document?.ttfbMs ?? null,
    renderBlockedUntilMs: blocking.untilMs,
    onLoadMs: totals.onLoadMs,
    durationMs: totals.durationMs,
    errors: errors.requests,
  };
}

/** Median of each measure over the runs that know it. */
function medianMeasures(runs: readonly HarStudy[]): Record<string, number | null> {
  const measured = runs.map(measuresOf);
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, middleOf(measured.map((run) => run[name] ?? null).filter((value) => value !== null)) ?? null]),
  );
}

/** The median measures of both sides with their change; those that neither side knows, or that are 0 on both, are left out. */
export function netEffect(was: readonly HarStudy[], is: readonly HarStudy[]): NetEffect {
  const after = medianMeasures(is);
  return Object.entries(medianMeasures(was)).flatMap(([measure, before]) => {
    const now = after[measure] ?? null;
    if (!before && !now) return [];
    const change = before === null || now === null ? null : tenth(now - before);
    return [{ measure, before: tenth(before), after: tenth(now), change }];
  });
}

/** Two files side by side, as the sentences need them. */
export interface Compared {
  readonly samePage: boolean;
  readonly net: NetEffect;
  /** Those that block rendering first. */
  readonly added: readonly HarEntry[];
  readonly blocking: ReadonlySet<HarEntry>;
  readonly slower: readonly RequestChange[];
  readonly counts: Comparison['counts'];
  readonly before: Har;
  readonly after: Har;
  /** The requests that made one of two runs slower. */
  readonly culprit?: Culprit | undefined;
  readonly sides: Comparison['sides'];
  /** How many runs each side has, where it is a sample. */
  readonly runs?: { readonly before: number; readonly after: number };
}

const UNITS: Record<string, (value: number) => string> = {
  requests: (value) => `${signOf(value)}${Math.abs(value)} ${Math.abs(value) === 1 ? 'request' : 'requests'}`,
  transferBytes: (value) => `${signOf(value)}${formatBytes(Math.abs(value))} transferred`,
  renderBlockedUntilMs: (value) => `rendering blocked ${formatMs(Math.abs(value))} ${value < 0 ? 'shorter' : 'longer'}`,
  onLoadMs: (value) => `onLoad ${formatMs(Math.abs(value))} ${value < 0 ? 'earlier' : 'later'}`,
};

function signOf(value: number): string {
  return value < 0 ? '−' : '+';
}

const PAINTS = [
  ['lcpMs', 'LCP'],
  ['fcpMs', 'FCP'],
  ['tbtMs', 'TBT'],
] as const;

/** `LCP 4.5 s (2.7 s before), FCP …`; nothing where no paint is known on both sides. */
function paintWords(sides: Comparison['sides']): string[] {
  const [was, is] = [sides.find(({ side }) => side === 'before'), sides.find(({ side }) => side === 'after')];
  const words = PAINTS.flatMap(([name, short]) => {
    const [before, after] = [was?.[name] ?? null, is?.[name] ?? null];
    return before === null || after === null ? [] : [`${short} ${formatMs(after)} (${formatMs(before)} before)`];
  });
  const runs = was?.runs === undefined || is?.runs === undefined ? '' : `, medians of ${counted(is.runs, 'run')} (${was.runs} before)`;
  return words.length > 0 ? [`${words.join(', ')}${runs}.`] : [];
}

/** The sentence on why one run is slower. */
function culpritWords({ kind, slower, says }: Culprit, counts: Comparison['counts']): string {
  if (slower !== null) return `Slower is the run ${slower}: ${says}.`;
  if (kind === 'nothing' && counts.slower + counts.faster > 0)
    return 'No cause stands out: what is listed as slower or faster held up neither a paint nor the load by more than chance does.';
  return 'What both runs requested took as long as runs differ by anyway.';
}

/** Sums the changes up in a few sentences: culprit, paints, net effect, new hosts, new blockers of rendering, slower requests. */
export function comparisonVerdict(compared: Compared): string {
  const { samePage, net, slower, counts, before, after, runs, culprit, sides } = compared;
  const changes = net.flatMap(({ measure, change }) => (change && UNITS[measure] ? [UNITS[measure](change)] : []));
  const [slowest] = slower;
  const side = runs ? `After (${counted(runs.after, 'run')} against ${runs.before} before)` : 'After';
  return [
    ...(samePage ? [] : [`Not the same page: ${addressOf(before)} against ${addressOf(after)}.`]),
    ...(culprit && culprit.slower !== null ? [culpritWords(culprit, counts)] : []),
    ...paintWords(sides),
    changes.length > 0 ? `${side}: ${changes.join(', ')}.` : `${side}: requests and bytes as before.`,
    ...newcomers(compared),
    ...(slowest && !culprit
      ? [`Slower: ${shortUrl(slowest.after.url, 70)}, ${formatMs(slowest.from)} before, ${formatMs(slowest.to)} after.`]
      : []),
    ...(hasChanges(counts) ? [] : ['No request was added, removed or changed beyond noise.']),
    ...(culprit?.slower === null ? [culpritWords(culprit, counts)] : []),
  ].join(' ');
}

function hasChanges({ added, removed, grown, shrunk, slower, faster }: Comparison['counts']): boolean {
  return added + removed + grown + shrunk + slower + faster > 0;
}

function addressOf({ document }: Har): string {
  return document ? shortUrl(document.url, 70) : 'no document';
}

function newcomers({ added, blocking, runs }: Compared): string[] {
  if (added.length === 0) return [];
  const blocks = added.filter((entry) => blocking.has(entry));
  const bytes = sumOfKnown(added, weightOf);
  const hosts = someOf(hostsOf(added), 3);
  const blocked =
    blocks.length === 0
      ? 'none blocks rendering'
      : `${blocks.length} of them ${blocks.length === 1 ? 'blocks' : 'block'} rendering (${someOf(hostsOf(blocks), 2)})`;
  const words = runs ? 'New in most runs after and in none before' : 'New';
  return [`${words}: ${counted(added.length, 'request')} to ${hosts}, ${formatBytes(bytes)}; ${blocked}.`];
}

/** Hosts of requests in their order, each once. */
function hostsOf(entries: readonly HarEntry[]): string[] {
  return [...new Set(entries.map(({ host }) => (host === null ? 'no host' : sanitiseHost(host))))];
}
