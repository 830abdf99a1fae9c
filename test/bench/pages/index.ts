import { makeCertificates } from '../../support/certificates.ts';
import { forwardTo, type JsonService } from '../../support/json-service.ts';
import { type ExternalEmulator, startExternalEmulator } from '../emulator.ts';
import { openPeer } from '../peer.ts';
import { anyFont, type FailedAudit, openPageBrowser, type PageBrowser, type Recording } from './browser.ts';
import { type PageSite, servePage } from './page-site.ts';
import { plantedPages } from './planted-pages.ts';

/** A page with what a browser recorded of it and what Lighthouse says. */
interface Loaded {
  readonly site: PageSite;
  readonly recording: Recording;
  readonly audits: readonly FailedAudit[];
}

interface Finding {
  readonly problem: string;
  readonly says: string;
  readonly costMs: number | null;
  readonly costBytes: number | null;
  readonly when: string;
  readonly wins?: { readonly fcpMs?: number; readonly lcpMs?: number };
}

/** The part of an analysis that is judged. */
interface Analysis {
  readonly findings: readonly Finding[];
  readonly verdict: string;
  readonly likelyLcp?: { readonly url?: string; readonly kind: string; readonly certainty: string };
}

/** A finding of less than this is no finding that matters. */
const MATTERS = { ms: 100, bytes: 100_000 };

async function loadPage(site: PageSite, browser: PageBrowser): Promise<Loaded> {
  const certificates = makeCertificates(['DNS:www.shop.example']);
  const server = await servePage(site, certificates);
  const url = `https://www.shop.example:${server.port}/`;
  try {
    return { site, recording: await browser.record(url), audits: await browser.audit(url) };
  } finally {
    server.close();
    certificates.remove();
  }
}

/** A platform whose step results `page-0`, `page-1` … are the recorded pages; all else is the emulator's. */
function platformOf(loaded: readonly Loaded[], { environment }: ExternalEmulator): Promise<JsonService> {
  const answer = (target: string, body: string) => {
    const id = /"page-(\d+)"/.exec(body)?.[1] ?? /page-(\d+)/.exec(target)?.[1];
    const recording = id === undefined ? undefined : loaded[Number(id)]?.recording;
    if (!recording) return undefined;
    if (target.includes('/report/har')) return { har: JSON.stringify(recording.har) };
    return { step: { stepResultId: `page-${id}`, name: 'Page', date: 1_763_600_000_000, timings: recording.paints } };
  };
  return forwardTo(() => environment['WEB_ANALYTICS_AUTH_URL'] ?? '', { answer });
}

function matters({ costMs, costBytes, wins, when }: Finding): boolean {
  const ms = wins ? Math.max(wins.fcpMs ?? 0, wins.lcpMs ?? 0) : (costMs ?? 0);
  return when === 'this load' && (ms >= MATTERS.ms || (costBytes ?? 0) >= MATTERS.bytes);
}

function isNamed({ problems, culprit }: PageSite, finding: Finding | undefined): boolean {
  return finding !== undefined && problems.includes(finding.problem) && finding.says.includes(culprit);
}

/** The place of the planted fault among the audits of Lighthouse that did not pass; 0 where none names it. */
function placeInAudits({ audits: wanted }: PageSite, audits: readonly FailedAudit[]): number {
  return audits.findIndex(({ id }) => wanted.includes(id)) + 1;
}

/** Holds the first finding against what was planted, and prints what Lighthouse says of the same page. */
export async function benchPages(product: string): Promise<void> {
  const browser = await openPageBrowser();
  const loaded: Loaded[] = [];
  try {
    const pages = plantedPages(await browser.photos(), anyFont());
    // The first visit warms the browser, not the pages: each has a profile of its own.
    for (const site of [...pages.slice(0, 1), ...pages]) {
      loaded.push(await loadPage(site, browser).catch((error: unknown) => Promise.reject(new Error(site.name, { cause: error }))));
    }
  } finally {
    await browser.close();
  }
  loaded.shift();
  const emulator = await startExternalEmulator(product);
  const platform = await platformOf(loaded, emulator);
  const peer = await openPeer([product], { ...emulator.environment, WEB_ANALYTICS_AUTH_URL: platform.url });
  const counts = { first: 0, lighthouse: 0, planted: 0, quiet: 0, clean: 0, lcp: 0, images: 0 };
  for (const [index, { site, recording, audits }] of loaded.entries()) {
    const { findings, likelyLcp } = await peer.answer<Analysis>('analyze_har', { scenarioStepResultId: `page-${index}` });
    const place = placeInAudits(site, audits);
    const { firstContentfulPaint: fcp, largestContentfulPaint: lcp } = recording.paints;
    const lines = findings.slice(0, 3).map(({ problem, says }) => `    ${problem}: ${says}`);
    const top = audits
      .slice(0, 4)
      .map(({ id, savedMs, savedBytes }) => `${id} ${Math.round(savedMs)} ms ${Math.round(savedBytes / 1000)} kB`);
    process.stdout.write(`${site.name} (${site.planted || 'nothing planted'}; FCP ${Math.round(fcp)}, LCP ${Math.round(lcp)} ms)\n`);
    process.stdout.write(
      `${lines.join('\n')}\n    LCP: browser ${recording.largest || '?'}; inferred ${likelyLcp?.kind} ${likelyLcp?.url ?? ''}\n`,
    );
    process.stdout.write(`    Lighthouse: place ${place || 'none'}; ${top.join('; ')}\n`);
    if (recording.largest.startsWith('http')) {
      counts.images += 1;
      counts.lcp += Number(
        likelyLcp?.url === undefined ? likelyLcp?.kind === 'with the first paint' : recording.largest.includes(likelyLcp.url),
      );
    }
    if (site.planted === '') {
      counts.clean += 1;
      counts.quiet += Number(!findings.some(matters));
    } else {
      counts.planted += 1;
      counts.first += Number(isNamed(site, findings[0]));
      counts.lighthouse += Number(place > 0);
    }
  }
  await peer.stop();
  platform.close();
  await emulator.stop();
  process.stdout.write(
    `planted fault first: ${counts.first} of ${counts.planted} (aim 9 of 10); named by Lighthouse at any place: ${counts.lighthouse}; ` +
      `clean pages without a finding that matters: ${counts.quiet} of ${counts.clean}; ` +
      `likely LCP element right: ${counts.lcp} of ${counts.images}\n`,
  );
}
