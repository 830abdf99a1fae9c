import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { capital, present } from '../../lib/sentences.ts';
import { PAGE_MEDIANS, thresholdOf } from '../page-limits.ts';
import { addressIn } from '../read/addresses.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { imageWords, savedShare } from '../requests/images.ts';
import { isWithFirst, type LargestPaint, type PaintPhases } from '../requests/largest-paint.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { countsBy, endOf, hasFailed, hostNames, largestBy, timesText, weight, weightOf } from '../requests/totals.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import { BYTE_RULES } from './byte-rules.ts';
import { blockingCosts, each, largestWins, loadWins, type Problem, problemOf, type Rule, type Selected } from './problem.ts';
import type { ProblemKind } from './problem-kinds.ts';

/** From this wait on a server's answer counts as slow. */
const SLOW_ANSWER_MS = 500;

const statusWords = ({ status }: HarEntry) => (status === 0 ? 'no response' : `status ${status}`);

const firstByteLimit = thresholdOf('firstByte', 'unknown')?.good ?? Number.POSITIVE_INFINITY;

/** Names the server that kept rendering waiting. */
function waitWords(entries: readonly HarEntry[]) {
  const [longest] = largestBy(entries, ({ timings }) => timings.waitMs, 1);
  const waitMs = longest?.timings.waitMs ?? 0;
  return longest && waitMs >= SLOW_ANSWER_MS && `${addressIn(longest)} waited ${formatMs(waitMs)} for its server`;
}

/** Requests that hold rendering back, of third parties or of the page, by what is won without them in the queue of both. */
const blockingRule = (isThird: boolean, advice: string, namedIn: (selected: Selected) => string): Rule => ({
  selects: each(
    (entry, { blocking }) =>
      blocking.firstByteMs !== null && (entry.party === 'third') === isThird && `${blocking.basis}; until ${formatMs(endOf(entry))}`,
    endOf,
    ({ blocking }) => blocking.entries,
  ),
  costs({ entries }, study) {
    const costs = blockingCosts(study, (entry) => (entries.includes(entry) ? Number.POSITIVE_INFINITY : 0));
    const others = `those of ${isThird ? 'the page' : 'third parties'}, which hold it until ${formatMs(study.blocking.untilMs)}`;
    return costs.ms ? costs : { ...costs, onlyWith: others };
  },
  basis: ({ blocking }) => blocking.basis,
  says({ requests, entries, most }, { blocking }) {
    const scripts = entries.filter(({ type }) => type === 'script').length;
    const files = present(scripts > 0 && counted(scripts, 'script'), requests > scripts && counted(requests - scripts, 'stylesheet'));
    const hold = `${blocking.basis === 'heuristic' ? 'probably ' : ''}${requests === 1 ? 'holds' : 'hold'}`;
    return `${files.join(' and ')} of ${isThird ? 'third parties' : 'the page'} ${hold} back rendering until ${formatMs(most)}`;
  },
  advice,
  which: (selected) => [namedIn(selected), formatBytes(weightOf(selected)), waitWords(selected.entries)],
});

/** A delay of a part of the largest paint that is worth a finding, ms and share of the paint. */
const WORTH_MS = 200;
const WORTH_SHARE = 0.1;
/** A request that ended longer before the paint did not hold it back. */
const NEAR_MS = 150;
const NEAR_SHARE = 0.2;
/** A server that answers an image within this time is quick. */
const QUICK_WAIT_MS = 200;

type Painted = LargestPaint & { readonly entry: HarEntry; readonly phases: PaintPhases };

/** A rule about the likely element of the largest paint: inferred from the order of events, never more certain than that. */
function paintRule(
  kind: LargestPaint['kind'],
  lostMs: (largest: Painted, study: HarStudy) => number,
  rest: Omit<Rule, 'selects' | 'basis'>,
): Rule {
  return {
    basis: 'heuristic',
    selects(study) {
      const { largest } = study;
      if (largest?.kind !== kind || !largest.entry || !largest.phases) return [];
      if ((largest.marginMs ?? 0) > Math.max(NEAR_MS, NEAR_SHARE * largest.lcpMs)) return [];
      const { entry, phases, lcpMs } = largest;
      const cost = lostMs({ ...largest, entry, phases }, study);
      return cost >= WORTH_MS && cost >= WORTH_SHARE * lcpMs ? [{ entry, detail: `until ${formatMs(endOf(entry))}`, cost }] : [];
    },
    ...rest,
  };
}

const imageCosts: Rule['costs'] = ({ most }, study) => ({ ms: most, wins: largestWins(study, most) });
const probably = ({ largest }: HarStudy) => `it is ${largest?.certainty === 'likely' ? 'probably' : 'possibly'}`;

/** Time in which an image waited: for redirects, a slow server, a connection. */
function imageWaits({ startMs, askedMs, timings: { waitMs, blockedMs } }: HarEntry) {
  const redirectMs = (startMs ?? 0) - (askedMs ?? 0);
  return { redirectMs, waitedMs: Math.max(0, (waitMs ?? 0) - QUICK_WAIT_MS) + (blockedMs ?? 0) + redirectMs };
}

const MEDIAN_BYTES = PAGE_MEDIANS.desktop.transferBytes;
const excessOf = ({ totals }: HarStudy) => (totals.transferBytes ?? 0) - MEDIAN_BYTES;

/** How each problem is found: how a page comes to be seen, then bytes and connections that need not have been. */
const RULES: Readonly<Record<ProblemKind, Rule>> = {
  failed_document: {
    selects: each(
      (entry) => hasFailed(entry) && statusWords(entry),
      () => 0,
      ({ har }) => [har.document],
    ),
    costs: () => ({}),
    says: ({ worst }) => `The document itself failed with status ${worst.status}: everything else is that of an error page`,
  },
  errors: {
    selects: each(
      (entry) => hasFailed(entry) && statusWords(entry),
      ({ durationMs }) => durationMs,
    ),
    says({ requests, entries }) {
      const failures = countsBy(entries, ({ status }) => String(status));
      const counts = Object.entries(failures).map(([status, count]) => `${count} × ${status === '0' ? 'no response' : status}`);
      return `${counted(requests, 'request')} failed: ${counts.slice(0, 6).join(', ')}`;
    },
    which: ({ entries: [first], most }) => [first && `First ${addressIn(first)}`, `the longest took ${formatMs(most)}`],
  },
  redirects: {
    selects: each(
      statusWords,
      ({ durationMs }) => durationMs,
      ({ har }) => har.redirects,
    ),
    costs: (_, study) => ({ ms: study.document?.redirectMs ?? null, wins: loadWins(study, study.document?.redirectMs ?? 0) }),
    says: ({ requests }, _study, { ms }) =>
      `${counted(requests, 'redirect delays', 'redirects delay')} the document${ms == null ? '' : ` by ${formatMs(ms)}`}`,
    advice: 'linking to the final address',
    which: (_, { main }) => [
      [...main]
        .slice(0, 5)
        .map(({ host }) => sanitiseHost(host ?? ''))
        .join(' → '),
    ],
  },
  slow_document: {
    selects: (study) =>
      each(
        () => (study.document?.ttfbMs ?? 0) > firstByteLimit && 'the document',
        () => study.document?.ttfbMs ?? null,
        ({ har }) => [har.document],
      )(study),
    costs: ({ most }, study) => ({ ms: most - firstByteLimit, wins: loadWins(study, study.document?.waitMs ?? most) }),
    says: ({ most }) => `The document's first byte took ${formatMs(most)}, where ${formatMs(firstByteLimit)} is good`,
    advice: 'a faster answer',
    which({ worst: { timings } }) {
      const { dnsMs, connectMs, sslMs, waitMs } = timings;
      return [timesText({ dns: dnsMs || null, connect: connectMs || null, 'of it ssl': sslMs || null, wait: waitMs || null })];
    },
  },
  render_blocking: blockingRule(false, 'deferred loading', ({ worst }) => addressIn(worst)),
  third_party_blocking: blockingRule(true, 'asynchronous loading', ({ entries }) => hostNames(entries.toSorted(byMost(endOf)), 3)),
  /** The image is asked for late: what a preload or markup that names it could win. */
  late_lcp_image: paintRule('image', ({ phases }) => phases.loadDelayMs, {
    costs: imageCosts,
    says: ({ most }) => `The main image is requested ${formatMs(most)} too late`,
    advice: 'loading it early',
    which({ worst }, study) {
      const { initiatorType, initiatorUrl, priority, protocol } = worst;
      const by = initiatorUrl === null ? 'a script' : addressIn({ url: initiatorUrl });
      const facts = [
        initiatorType === 'script' && `requested by ${by}`,
        priority && `priority ${priority}`,
        protocol === 'http/1.1' && 'HTTP/1.1',
      ];
      return [capital(`${probably(study)} ${addressIn(worst)}`), ...facts];
    },
  }),
  /** The image loads for long: a redirect, a slow server, many bytes, an old format. */
  slow_lcp_image: paintRule(
    'image',
    ({ entry, phases: { loadTimeMs } }) =>
      Math.min(loadTimeMs, imageWaits(entry).waitedMs + savedShare(entry) * (entry.timings.receiveMs ?? loadTimeMs)),
    {
      costs: imageCosts,
      says: (_, { largest }) => `The main image loads for ${formatMs(largest?.phases?.loadTimeMs)}`,
      advice({ worst }) {
        return present(savedShare(worst) > 0 && 'WebP or AVIF', imageWaits(worst).waitedMs > 0 && 'a faster answer').join(' and ');
      },
      which({ worst }, study) {
        const { waitMs, blockedMs, receiveMs } = worst.timings;
        const { redirectMs, waitedMs } = imageWaits(worst);
        const saved = Math.round(savedShare(worst) * weight(worst));
        const parts = [
          redirectMs > 0 && `a redirect takes ${formatMs(redirectMs)}`,
          waitedMs > redirectMs && `it waits ${formatMs((waitMs ?? 0) + (blockedMs ?? 0))}`,
          receiveMs !== null && `receiving takes ${formatMs(receiveMs)}`,
          saved > 0 && `WebP or AVIF saves about ${formatBytes(saved)}`,
        ];
        return [capital(`${probably(study)} ${addressIn(worst)}: ${imageWords(worst)}`), ...parts];
      },
    },
  ),
  /** Text that is not shown before its font is there. */
  blocking_font: paintRule(
    'text after a font',
    ({ lcpMs, entry }, { paints, blocking }) => {
      return Math.min(lcpMs, endOf(entry)) - Math.max(blocking.untilMs ?? 0, isWithFirst(paints) ? 0 : (paints.fcpMs ?? 0));
    },
    {
      costs({ most }, study) {
        const ms = Math.round(most);
        return { ms: most, wins: isWithFirst(study.paints) ? { fcpMs: ms, lcpMs: ms } : largestWins(study, most) };
      },
      says: ({ most }) => `Text is probably not shown until its font is there, ${formatMs(most)} later`,
      advice: 'font-display: swap',
      which: ({ worst }, { largest }) => [`${addressIn(worst)} ends ${formatMs(largest?.marginMs)} before the paint`],
    },
  ),
  /** Leaves out the document, what blocks rendering and the likely LCP element: their wait is counted there. */
  slow_answers: {
    selects: each(
      (entry, { main, blocks, largest }) => {
        const isElsewhere = main.has(entry) || blocks.has(entry) || largest?.entry === entry;
        return (entry.timings.waitMs ?? 0) >= SLOW_ANSWER_MS && !isElsewhere && `waited ${formatMs(entry.timings.waitMs)}`;
      },
      ({ timings }) => timings.waitMs,
    ),
    says: ({ requests }) =>
      `${counted(requests, 'request that blocks', 'requests that block')} no rendering waited ${SLOW_ANSWER_MS} ms or more for the server`,
    which: ({ worst, most }) => [`Longest ${addressIn(worst)} with ${formatMs(most)}`],
  },
  /** The fewest requests that together weigh as much as the page weighs too much. */
  heavy_page: {
    selects(study) {
      let left = excessOf(study);
      const heaviest = study.entries.toSorted(byMost(({ transferBytes }) => transferBytes ?? 0));
      return each(
        ({ transferBytes }) => {
          const isNeeded = left > 0;
          left -= transferBytes ?? 0;
          return isNeeded && 'among the heaviest';
        },
        ({ transferBytes }) => transferBytes,
        () => heaviest,
      )(study);
    },
    costs: (_, study) => ({ bytes: excessOf(study) }),
    says: (_, { totals }) =>
      `The page moves ${formatBytes(totals.transferBytes)}, where the median page on desktop has ${formatBytes(MEDIAN_BYTES)}`,
    which({ requests, entries: [first] }, { parties }) {
      const third = parties.find(({ party }) => party === 'third');
      return [
        first && `Heaviest ${addressIn(first)}`,
        third && `heaviest third party ${third.name} ${formatBytes(third.transferBytes)}`,
        `${counted(requests, 'request weighs', 'requests weigh')} as much as the excess`,
      ];
    },
  },
  ...BYTE_RULES,
};

/** All that is wrong with a page load, costliest first: a failed document before all, costs of later visits behind those of this load. */
export function findProblems(study: HarStudy): Problem[] {
  return (Object.keys(RULES) as ProblemKind[]) // its own names
    .flatMap((kind) => problemOf(kind, RULES[kind], study) ?? [])
    .toSorted(
      byMost(
        ({ problem }) => problem === 'failed_document',
        ({ when }) => when === 'this load',
        ({ rank }) => rank,
      ),
    );
}
