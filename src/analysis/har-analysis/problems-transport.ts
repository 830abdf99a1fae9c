import { formatMs } from '../../lib/number-text.ts';
import { sanitiseHost } from '../har/index.ts';
import type { Problem } from './problem.ts';
import type { HarStudy } from './study.ts';
import type { HostTransport } from './transport.ts';
import { counted, someOf } from './words.ts';

/** Fewer requests over the old protocol hardly queue for its connections. */
const WORTH_MULTIPLEXING = 3;

/** Old protocols and connections that were opened again; costs are the longest single wait, because the waits overlap. */
export function transportProblems({ hosts }: HarStudy): Problem[] {
  const old = hosts.filter(({ http1 }) => http1 > 0);
  const requests = total(old, ({ http1 }) => http1);
  const again = hosts.filter(({ openedMultiplexed }) => openedMultiplexed > 1);
  const problems: Problem[] = [];
  if (requests >= WORTH_MULTIPLEXING) {
    const costMs = longest(old, ({ longestQueueMs }) => longestQueueMs);
    const names = namesOf(old, ({ http1 }) => http1);
    const says = `${counted(requests, 'request')} to ${someOf(names, 2)} over HTTP/1.x; the longest queued ${formatMs(costMs)} for a connection`;
    problems.push({ problem: 'http1', requests, costMs, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  if (again.length > 0) {
    const extra = total(again, ({ openedMultiplexed }) => openedMultiplexed - 1);
    const costMs = longest(again, ({ longestOpeningMs }) => longestOpeningMs);
    const names = namesOf(again, ({ openedMultiplexed }) => openedMultiplexed);
    const says = `${counted(extra, 'connection')} more than one for each host over HTTP/2 or 3: ${someOf(names, 2)}; the longest took ${formatMs(costMs)} to open`;
    problems.push({ problem: 'reconnects', requests: extra, costMs, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  return problems;
}

type NumberOf = (host: HostTransport) => number;

function total(hosts: readonly HostTransport[], numberOf: NumberOf): number {
  return hosts.reduce((sum, host) => sum + numberOf(host), 0);
}

function longest(hosts: readonly HostTransport[], numberOf: NumberOf): number {
  return hosts.reduce((most, host) => Math.max(most, numberOf(host)), 0);
}

function namesOf(hosts: readonly HostTransport[], numberOf: NumberOf): string[] {
  return hosts.toSorted((a, b) => numberOf(b) - numberOf(a)).map(({ host }) => sanitiseHost(host));
}
