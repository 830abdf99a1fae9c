import { formatBytes, formatMs } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { largestBy, totalsOf, weightOf } from '../requests/totals.ts';
import type { ProblemKind } from './problem-kinds.ts';

/** A request that a problem concerns: what is wrong with it, and what orders it among the others (ms or bytes). */
export interface Concerned {
  readonly entry: HarEntry;
  readonly detail: string;
  readonly cost: number;
}

/** The most that a finding can win of the first and the largest paint, ms; left out where the paint is unknown. */
export interface Wins {
  readonly fcpMs?: number;
  readonly lcpMs?: number;
}

/** How sure a problem is: recorded in the file, stated by the browser, derived from its priorities, or one of the less sure ones. */
export type Basis = 'measured' | 'stated' | 'priority' | 'heuristic' | 'estimate';

interface Costs {
  readonly ms?: number | null;
  readonly bytes?: number | null;
  readonly wins?: Wins;
  /** The others that have to go too before anything is won. */
  readonly onlyWith?: string;
}

/** The requests that a rule selected, with what they have in common. */
export type Selected = NonNullable<ReturnType<typeof selectedOf>>;

/** A kind of problem as data: which requests have it, what it costs, what mends it, its words. */
export interface Rule {
  /** In order of start; none where a load has no such problem. */
  readonly selects: (study: HarStudy) => readonly Concerned[];
  /** Whether those selected are worth a word; always where it is left out. */
  readonly isWorth?: (selected: Selected) => boolean;
  /** Costs are bytes, which add up; the largest in ms counts where it is left out. */
  readonly unit?: 'bytes';
  /** In place of that. */
  readonly costs?: (selected: Selected, study: HarStudy) => Costs;
  /** Measured where it is left out. */
  readonly basis?: Basis | ((study: HarStudy) => Basis);
  /** When the cost arises; with this load where it is left out. */
  readonly when?: 'next visits';
  /** A clause that names what is wrong. */
  readonly says: (selected: Selected, study: HarStudy, costs: Costs) => string;
  /** The remedy, as the subject of "saves"; left out where nothing is won by a known amount. */
  readonly advice?: string | ((selected: Selected) => string);
  /** Which requests are meant, for the brackets behind the sentence; empty parts are left out. */
  readonly which?: (selected: Selected, study: HarStudy) => readonly (string | false | null | undefined)[];
}

/** A problem of a page load with what it costs; null where a cost does not apply or the file does not show it. */
export type Problem = NonNullable<ReturnType<typeof problemOf>>;

/** The requests alone. */
export const entriesOf = (concerned: readonly Concerned[]) => concerned.map(({ entry }) => entry);

/** Each request, of all or of these, that has such a detail; what it costs is its bytes, unless something else is given. */
export function each(
  detailOf: (entry: HarEntry, study: HarStudy) => string | false,
  costOf: (entry: HarEntry) => number | null = weightOf,
  among: (study: HarStudy) => readonly (HarEntry | null)[] = ({ entries }) => entries,
): Rule['selects'] {
  return (study) =>
    among(study).flatMap((entry) => {
      const detail = entry && detailOf(entry, study);
      return detail ? [{ entry, detail, cost: costOf(entry) ?? 0 }] : [];
    });
}

function selectedOf(concerned: readonly Concerned[]) {
  const [most] = largestBy(concerned, ({ cost }) => cost, 1);
  if (!most) return undefined;
  const entries = entriesOf(concerned);
  return {
    ...totalsOf(entries),
    entries,
    concerned,
    /** The one of the largest cost, that cost, and what is wrong with it. */
    worst: most.entry,
    most: most.cost,
    detail: most.detail,
    /** All costs together. */
    sum: sumOfKnown(concerned, ({ cost }) => cost),
  };
}

/** `620 ms of FCP and 960 ms of LCP`, `960 ms of FCP and LCP`; empty where nothing is won. */
function winWords({ fcpMs = 0, lcpMs = 0 }: Wins): string {
  if (fcpMs >= 1 && formatMs(fcpMs) === formatMs(lcpMs)) return `${formatMs(fcpMs)} of FCP and LCP`;
  return present(fcpMs >= 1 && `${formatMs(fcpMs)} of FCP`, lcpMs >= 1 && `${formatMs(lcpMs)} of LCP`).join(' and ');
}

/** `; HTTP/2 saves up to 90 ms of FCP`; empty where nothing is won by a known amount. */
function mendedWords({ wins = {}, ms, bytes, onlyWith }: Costs, { advice, when }: Rule, selected: Selected): string {
  const most = winWords(wins) || (ms && !bytes && Object.keys(wins).length === 0 ? formatMs(ms) : '');
  const least = bytes ? `about ${formatBytes(bytes)}${when === undefined ? '' : ' on the next visit'}` : '';
  const saved = most ? `up to ${most}` : least || (onlyWith && `time only with ${onlyWith}`);
  return advice && saved ? `; ${typeof advice === 'function' ? advice(selected) : advice} saves ${saved}` : '';
}

/** ` (Longest a.example/b.json with 900 ms.)`; empty where nothing is named. */
function whichWords({ which = () => [] }: Rule, selected: Selected, study: HarStudy): string {
  const parts = present(...which(selected, study)).join('; ');
  return parts && ` (${parts}.)`;
}

const basisOf = ({ basis = 'measured' }: Rule, study: HarStudy): Basis => (typeof basis === 'function' ? basis(study) : basis);

/** The one problem of a rule in a load; undefined where no request has it. */
export function problemOf(problem: ProblemKind, rule: Rule, study: HarStudy) {
  const selected = selectedOf(rule.selects(study));
  if (!selected || rule.isWorth?.(selected) === false) return undefined;
  const { when = 'this load' } = rule;
  const basis = basisOf(rule, study);
  const usual = rule.unit === 'bytes' ? { bytes: selected.sum || null } : { ms: selected.most };
  const costs: Costs = rule.costs?.(selected, study) ?? usual;
  const { ms = null, bytes = null, wins = {} } = costs;
  return {
    problem,
    concerned: selected.concerned,
    rank: rankOf(costs, basis),
    requests: selected.requests,
    costMs: ms,
    costBytes: bytes,
    basis,
    when,
    /** One sentence free of secrets with what can be won, and brackets that name the worst. */
    says: `${rule.says(selected, study, costs)}${mendedWords(costs, rule, selected)}.${whichWords(rule, selected, study)}`,
    // Left out where it touches no paint, as far as the file shows, or the paints are unknown.
    ...(Object.keys(wins).length > 0 && { wins }),
  };
}

/** One ms is taken to be worth the bytes that 8 Mbit/s carry in it. */
const BYTES_PER_MS = 1000;
/** Time that no paint waits for, as a part of time that one does; what is inferred, as a part of what is certain. */
const BESIDE_PAINTS = 0.1;
const INFERRED = 0.5;

/** The ms that both paints win, all of it where only the paints are unknown, and a part of what else it costs. */
function rankOf({ ms, bytes, wins }: Costs, basis: Basis): number {
  const cost = (ms ?? 0) + (bytes ?? 0) / BYTES_PER_MS;
  const { fcpMs = cost, lcpMs = cost } = wins ?? { fcpMs: 0, lcpMs: 0 };
  const beside = Math.max(0, cost - Math.max(fcpMs, lcpMs));
  return (fcpMs + lcpMs + BESIDE_PAINTS * beside) * (basis === 'heuristic' || basis === 'estimate' ? INFERRED : 1);
}

/** How the order of problems comes about. */
export const ORDER_NOTE =
  'Order of findings: FCP and LCP to win at best; other ms, and 1 kB as 1 ms, count a tenth; what is inferred a half; costs of later ' +
  'visits last.';

/** A request that begins this much before another ends did not wait for it. */
const TOGETHER_MS = 20;

/** At most so much of both paints, which cannot come before these instants. */
function winsOf({ paints: { fcpMs, lcpMs } }: HarStudy, [first, largest]: readonly [number, number], fromMs = 0, lcpFromMs = fromMs): Wins {
  const won = (ms: number, paintMs: number, from: number) => Math.round(Math.max(0, Math.min(ms, paintMs - from)));
  return {
    ...(fcpMs !== null && { fcpMs: won(first, fcpMs, fromMs) }),
    ...(lcpMs !== null && { lcpMs: won(largest, lcpMs, lcpFromMs) }),
  };
}

/** Of what everything waits for: redirects and the document. */
export const loadWins = (study: HarStudy, ms: number) => winsOf(study, [ms, ms]);

/**
 * The win where each of the requests that hold rendering back takes so much less: the end of the last of them moves to that of the last
 * that is left. An image that was loaded beside them waits for its own end too.
 */
export function blockingCosts(study: HarStudy, savedMs: (entry: HarEntry) => number): Costs {
  const { largest, blocking } = study;
  const { untilMs, firstByteMs } = blocking;
  const ms = (untilMs ?? 0) - (blocking.untilWith(savedMs) ?? 0);
  const startMs = largest?.kind === 'image' ? largest.entry?.startMs : null;
  const isBeside = startMs != null && startMs < (untilMs ?? 0) - TOGETHER_MS;
  return { ms, wins: winsOf(study, [ms, isBeside ? Math.min(ms, largest?.marginMs ?? 0) : ms], firstByteMs ?? 0) };
}

/** Of what the largest paint alone waited for: it cannot come before the first one. */
export const largestWins = (study: HarStudy, ms: number) =>
  winsOf(study, [0, ms], 0, study.paints.fcpMs ?? study.blocking.firstByteMs ?? 0);
