import { formatBytes, formatMs } from '../../lib/number-text.ts';
import { sanitiseHost, sanitiseUrl } from '../har/index.ts';
import { PAGE_MEDIANS } from '../page-medians.ts';
import { thresholdOf } from '../thresholds.ts';
import { addressText } from './address.ts';
import { longestWait, SLOW_ANSWER_MS } from './answers.ts';
import { byCost, type Problem } from './problem.ts';
import { blockingProblems } from './problems-blocking.ts';
import { transportProblems } from './problems-transport.ts';
import { wasteProblems } from './problems-waste.ts';
import type { HarStudy } from './study.ts';
import { counted } from './words.ts';

/** All that is wrong with a page load, costliest first. */
export function findProblems(study: HarStudy): Problem[] {
  const found = [
    ...documentProblems(study),
    ...blockingProblems(study),
    ...errorProblems(study),
    ...slowAnswerProblems(study),
    ...weightProblems(study),
    ...wasteProblems(study),
    ...transportProblems(study),
  ];
  return found.toSorted(byCost);
}

function documentProblems({ har, summary: { document } }: HarStudy): Problem[] {
  if (!document || !har.document) return [];
  const problems: Problem[] = [];
  const { status, ttfbMs, redirectMs, redirects } = document;
  if (status === 0 || status >= 400) {
    const says = `The document itself failed with status ${status}: everything else is that of an error page.`;
    problems.push({ problem: 'failed_document', requests: 1, costMs: null, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  if (redirects.length > 0) {
    const hosts = [...har.redirects, har.document].map(({ host }) => sanitiseHost(host ?? ''));
    const says = `${counted(redirects.length, 'redirect')} before the document, ${formatMs(redirectMs)} in all: ${hosts.slice(0, 5).join(' → ')}`;
    problems.push({
      problem: 'redirects',
      requests: redirects.length,
      costMs: redirectMs,
      costBytes: null,
      basis: 'measured',
      when: 'this load',
      says,
    });
  }
  const limit = thresholdOf('firstByte', 'unknown');
  if (limit && ttfbMs !== null && ttfbMs > limit.good) {
    const { dnsMs, connectMs, sslMs, waitMs } = document;
    const parts = [
      ['dns', dnsMs],
      ['connect', connectMs],
      ['of it ssl', sslMs],
      ['wait', waitMs],
    ] as const;
    const told = parts.flatMap(([name, ms]) => (ms ? [`${name} ${formatMs(ms)}`] : []));
    const says = `The document's first byte took ${formatMs(ttfbMs)} (good: ${formatMs(limit.good)}, ${limit.basis}): ${told.join(', ')}`;
    problems.push({
      problem: 'slow_document',
      requests: 1,
      costMs: ttfbMs - limit.good,
      costBytes: null,
      basis: 'measured',
      when: 'this load',
      says,
    });
  }
  return problems;
}

function errorProblems({ summary: { errors }, answers: { failures, longestFailureMs } }: HarStudy): Problem[] {
  const [first] = errors.listed;
  if (!first) return [];
  const statuses = [...failures].toSorted(([a], [b]) => a - b).slice(0, 6);
  const told = statuses.map(([status, requests]) => `${requests} × ${status === 0 ? 'no response' : status}`).join(', ');
  const says = `${counted(errors.requests, 'request')} failed: ${told}; first ${addressText(first.url)}; the longest took ${formatMs(longestFailureMs)}`;
  return [{ problem: 'errors', requests: errors.requests, costMs: longestFailureMs, costBytes: null, basis: 'measured', when: 'this load', says }]; // biome-ignore format: one thought
}

/** What blocks rendering is left out: there its wait is counted already. */
function slowAnswerProblems({ answers, blocking }: HarStudy): Problem[] {
  const blocks = new Set(blocking.entries);
  const slow = answers.slow.filter((entry) => !blocks.has(entry));
  const longest = longestWait(slow);
  if (!longest) return [];
  const { entry, waitMs } = longest;
  const says = `${counted(slow.length, 'request')} that block no rendering waited ${SLOW_ANSWER_MS} ms or more for the server; longest ${addressText(sanitiseUrl(entry.url))} with ${formatMs(waitMs)}`;
  return [{ problem: 'slow_answers', requests: slow.length, costMs: waitMs, costBytes: null, basis: 'measured', when: 'this load', says }];
}

function weightProblems({ summary: { totals, byType }, parties }: HarStudy): Problem[] {
  const { transferBytes } = PAGE_MEDIANS.desktop;
  const excess = (totals.transferBytes ?? 0) - transferBytes;
  if (excess <= 0) return [];
  const [type] = byType;
  const party = parties.find((each) => each.party === 'third');
  const heaviest = [type && `${type.type} ${formatBytes(type.transferBytes)}`, party && `${party.name} ${formatBytes(party.totals.transferBytes)}`]; // biome-ignore format: one thought
  const says = `${formatBytes(totals.transferBytes)} in ${counted(totals.requests, 'request')}, the median page of 2024 on desktop has ${formatBytes(transferBytes)}; heaviest type and third party: ${heaviest.filter(Boolean).join(', ')}`;
  return [
    {
      problem: 'heavy_page',
      requests: totals.requests,
      costMs: null,
      costBytes: excess,
      basis: 'measured',
      when: 'this load',
      says,
    },
  ];
}
