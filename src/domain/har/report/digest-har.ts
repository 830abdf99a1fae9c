import * as z from 'zod';
import type { HarSummary, RequestRow, RequestTotals } from '../summary/har-summary.ts';

const size = z.number().nullable();
const request = z.object({
  index: z.number(),
  url: z.string(),
  status: z.number().nullable(),
  type: z.string(),
  durationMs: size,
  transferBytes: size,
  contentBytes: size,
});
const group = { requests: z.number(), transferBytes: size, contentBytes: size };
const finding = z.object(group);

/** A HAR file in the size of an answer; times in ms, sizes in bytes, null where the file does not say. */
export const harDigest = z.object({
  document: z
    .object({
      url: z.string(),
      status: z.number().nullable(),
      redirects: z.number(),
      redirectMs: size,
      ttfbMs: size,
      dnsMs: size,
      connectMs: size,
      sslMs: size,
      waitMs: size,
      protocol: z.string().nullable(),
    })
    .nullable(),
  totals: z.object({
    ...group,
    durationMs: size,
    onContentLoadMs: size,
    onLoadMs: size,
    hosts: z.number(),
    domains: z.number(),
    fromCache: z.number(),
  }),
  byType: z.array(z.object({ type: z.string(), ...group })),
  byDomain: z.array(z.object({ domain: z.string(), party: z.string().nullable(), ...group })),
  byStatus: z.record(z.string(), z.number()),
  errors: z.array(request),
  largest: z.array(request),
  slowest: z.array(request),
  findings: z.object({
    uncompressedText: finding,
    uncompressedAnswers: finding,
    missingCache: finding,
    shortCache: finding,
    duplicates: z.object({ addresses: z.number(), repeats: z.number(), transferBytes: size }),
  }),
  notes: z.array(z.string()),
});

/** Domains listed; the rest is summed up in a note. */
const DOMAINS = 10;

function amounts({ requests, transferBytes, contentBytes }: RequestTotals) {
  return { requests, transferBytes, contentBytes };
}

function row({ index, url, status, type, durationMs, transferBytes, contentBytes }: RequestRow): z.output<typeof request> {
  return { index, url, status, type, durationMs, transferBytes, contentBytes };
}

/** Reads a HAR file in any form and picks what an engineer reads first; throws `HarError` for any other file. */
export async function digestHar(har: unknown, firstParty?: readonly string[]): Promise<z.output<typeof harDigest>> {
  const { readHar, summarizeHar } = await import('../index.ts');
  return digestSummary(summarizeHar(readHar(har, { firstParty })));
}

function digestSummary(summary: HarSummary): z.output<typeof harDigest> {
  const { document, totals, byType, byDomain, byStatus, errors, findings } = summary;
  const { hosts, domains, fromCache, durationMs, onContentLoadMs, onLoadMs } = totals;
  const unlisted = byDomain.length - DOMAINS;
  return {
    document: document && {
      url: document.url,
      status: document.status,
      redirects: document.redirects.length,
      redirectMs: document.redirectMs,
      ttfbMs: document.ttfbMs,
      dnsMs: document.dnsMs,
      connectMs: document.connectMs,
      sslMs: document.sslMs,
      waitMs: document.waitMs,
      protocol: document.protocol,
    },
    totals: { ...amounts(totals), durationMs, onContentLoadMs, onLoadMs, hosts, domains, fromCache },
    byType: byType.map((each) => ({ type: each.type, ...amounts(each) })),
    byDomain: byDomain.slice(0, DOMAINS).map((each) => ({ domain: each.domain, party: each.party, ...amounts(each) })),
    byStatus: Object.fromEntries(byStatus.map(({ statusClass, requests }) => [statusClass, requests])),
    errors: errors.listed.map(row),
    largest: summary.largest.map(row),
    slowest: summary.slowest.map(row),
    findings: {
      uncompressedText: amounts(findings.uncompressedText),
      uncompressedAnswers: amounts(findings.uncompressedAnswers),
      missingCache: amounts(findings.missingCache),
      shortCache: amounts(findings.shortCache),
      duplicates: {
        addresses: findings.duplicates.addresses,
        repeats: findings.duplicates.repeats,
        transferBytes: findings.duplicates.transferBytes,
      },
    },
    notes: [...summary.notes, ...(unlisted > 0 ? [`${unlisted} more domains with fewer bytes are not listed.`] : [])],
  };
}
