import { formatBytes } from '../../lib/number-text.ts';
import type { Finding, HarSummary } from '../har/index.ts';
import { addressText } from './address.ts';
import type { Problem } from './problem.ts';
import type { HarStudy } from './study.ts';
import { counted } from './words.ts';

/** What packing leaves of a text where the file has no packed one to measure it on. */
const USUAL_PACKED_SHARE = 0.3;

/** Bytes that need not have been sent, or not again. */
export function wasteProblems({ summary: { findings }, answers: { packedShare } }: HarStudy): Problem[] {
  return [
    ...uncompressed(findings.uncompressedText, packedShare ?? USUAL_PACKED_SHARE),
    ...duplicates(findings.duplicates),
    ...cache(findings.missingCache, 'no_cache', 'may not be kept or do not say for how long'),
    ...cache(findings.shortCache, 'short_cache', 'may be kept for less than a week'),
  ];
}

function worst({ heaviest }: Finding): string {
  const [first] = heaviest;
  return first ? `; largest ${addressText(first.url)}` : '';
}

function uncompressed(finding: Finding, share: number): Problem[] {
  const { requests, transferBytes, contentBytes } = finding;
  if (requests === 0) return [];
  const sent = transferBytes ?? contentBytes;
  const costBytes = sent === null ? null : Math.round(sent * (1 - share));
  const says = `${counted(requests, 'text')} came unpacked (${formatBytes(sent)}; packed about ${Math.round(share * 100)} % of it)${worst(finding)}`;
  return [{ problem: 'uncompressed_text', requests, costMs: null, costBytes, basis: 'estimate', when: 'this load', says }];
}

function duplicates({ addresses, repeats, transferBytes, heaviest }: HarSummary['findings']['duplicates']): Problem[] {
  const [first] = heaviest;
  if (!first) return [];
  const says = `${counted(addresses, 'address', 'addresses')} fetched again ${counted(repeats, 'time')}; heaviest ${addressText(first.url)}`;
  return [{ problem: 'duplicates', requests: repeats, costMs: null, costBytes: transferBytes, basis: 'measured', when: 'this load', says }];
}

function cache(finding: Finding, problem: 'no_cache' | 'short_cache', words: string): Problem[] {
  const { requests, transferBytes, contentBytes } = finding;
  if (requests === 0) return [];
  const costBytes = transferBytes ?? contentBytes;
  const says = `${counted(requests, 'static file')} ${words}: ${formatBytes(costBytes)} again${worst(finding)}`;
  return [{ problem, requests, costMs: null, costBytes, basis: 'measured', when: 'next visits', says }];
}
