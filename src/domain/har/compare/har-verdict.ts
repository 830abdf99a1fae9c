import { formatBytes, formatMs, formatNumber } from '../../../lib/number-text.ts';
import { counted, someOf } from '../analyse/problem.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { sanitiseHost, shortUrl } from '../sanitise/sanitise-url.ts';
import { weightOf } from '../summary/totals.ts';
import type { Comparison, NetEffect } from './har-comparison.ts';
import type { Change } from './request-changes.ts';

export interface Compared {
  readonly samePage: boolean;
  readonly net: NetEffect;
  /** Those that block rendering first. */
  readonly added: readonly HarEntry[];
  readonly blocking: ReadonlySet<HarEntry>;
  readonly slower: readonly Change[];
  readonly counts: Comparison['counts'];
  readonly before: Har;
  readonly after: Har;
  /** How many runs each side has, where it is a sample. */
  readonly runs?: { readonly before: number; readonly after: number };
}

const UNITS: Record<string, (value: number) => string> = {
  requests: (value) => `${signed(value)} ${Math.abs(value) === 1 ? 'request' : 'requests'}`,
  transferBytes: (value) => `${signOf(value)}${formatBytes(Math.abs(value))} transferred`,
  renderBlockedUntilMs: (value) => `rendering blocked ${formatMs(Math.abs(value))} ${value < 0 ? 'shorter' : 'longer'}`,
  onLoadMs: (value) => `onLoad ${formatMs(Math.abs(value))} ${value < 0 ? 'earlier' : 'later'}`,
};

function signOf(value: number): string {
  return value < 0 ? '−' : '+';
}

function signed(value: number): string {
  return formatNumber(value, { sign: true });
}

/** What changed, in two or three sentences: net effect, who is new and what of it blocks rendering, what became slower. */
export function comparisonVerdict(compared: Compared): string {
  const { samePage, net, slower, counts, before, after, runs } = compared;
  const changes = net.flatMap(({ measure, change }) => (change && UNITS[measure] ? [UNITS[measure](change)] : []));
  const [slowest] = slower;
  const side = runs ? `After (${counted(runs.after, 'run')} against ${runs.before} before)` : 'After';
  return [
    ...(samePage ? [] : [`Not the same page: ${addressOf(before)} against ${addressOf(after)}.`]),
    changes.length > 0 ? `${side}: ${changes.join(', ')}.` : `${side}: requests and bytes as before.`,
    ...newcomers(compared),
    ...(slowest ? [`Slower: ${shortUrl(slowest.after.url, 70)}, ${formatMs(slowest.from)} before, ${formatMs(slowest.to)} after.`] : []),
    ...(counts.added + counts.removed + counts.grown + counts.shrunk + counts.slower + counts.faster === 0
      ? ['No request was added, removed or changed beyond noise.']
      : []),
  ].join(' ');
}

function addressOf({ document }: Har): string {
  return document ? shortUrl(document.url, 70) : 'no document';
}

function newcomers({ added, blocking, runs }: Compared): string[] {
  if (added.length === 0) return [];
  const blocks = added.filter((entry) => blocking.has(entry));
  const bytes = added.reduce((sum, entry) => sum + (weightOf(entry) ?? 0), 0);
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
