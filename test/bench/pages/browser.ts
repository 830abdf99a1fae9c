import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { freePort } from '../../support/free-port.ts';
import type { Photos } from './planted-pages.ts';

const PACKAGES = ['lighthouse@12', 'chrome-har@1'];
const FOLDER = resolve('node_modules/.cache/yardsticks');

/** Where Debian puts it; another one by the variable. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A package that only this bench uses: fetched once into the cache, never a dependency. */
async function yardstick<T>(name: string, file: string): Promise<T> {
  const path = join(FOLDER, 'node_modules', name);
  if (!existsSync(path)) {
    mkdirSync(FOLDER, { recursive: true });
    const args = ['install', '--prefix', FOLDER, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES];
    execFileSync('npm', args, { stdio: 'inherit', env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' } });
  }
  return (await import(pathToFileURL(join(path, file)).href)) as T; // what the package says it exports
}

interface Audit {
  readonly score: number | null;
  readonly scoreDisplayMode: string;
  readonly metricSavings?: Readonly<Record<string, number>>;
  readonly details?: { readonly overallSavingsMs?: number; readonly overallSavingsBytes?: number };
  readonly numericValue?: number;
}
type Lighthouse = {
  readonly default: (
    url: string,
    flags: object,
    config: object,
  ) => Promise<{ lhr: { audits: Record<string, Audit>; runtimeError?: object } }>;
};

/** What the report of a step would say of the load. */
export interface Paints {
  readonly firstContentfulPaint: number;
  readonly largestContentfulPaint: number;
  readonly loadEvent: number;
  readonly firstByte: number;
}

/** A page load: its HAR as `chrome-har` writes it, and its paints. */
export interface Recording {
  readonly har: unknown;
  readonly paints: Paints;
  /** What the browser itself calls the largest element: the address of its image, or the first words of its text. */
  readonly largest: string;
}

/** An audit that did not pass, with what it says it would win. */
export interface FailedAudit {
  readonly id: string;
  readonly savedMs: number;
  readonly savedBytes: number;
}

/** A headless Chromium on hosts that all lie on this machine. */
export interface PageBrowser {
  photos(): Promise<Photos>;
  record(url: string): Promise<Recording>;
  audit(url: string): Promise<FailedAudit[]>;
  close(): Promise<void>;
}

/** A usual broadband line: round trip and bits per second, for both. */
const LINE = { latencyMs: 40, kbps: 10_240 };
const SCREEN = { width: 1350, height: 940 };

const OBSERVE =
  'window.seen={};for(const type of ["largest-contentful-paint","paint"])new PerformanceObserver(list=>{for(const e of list.getEntries())' +
  'window.seen[e.name||e.entryType]={at:e.startTime,url:e.url,text:e.element?e.element.textContent.slice(0,40):""}})' +
  '.observe({type,buffered:true});';

const PAINTS =
  '(()=>{const n=performance.getEntriesByType("navigation")[0];const l=window.seen["largest-contentful-paint"]||{};' +
  'return {paints:{firstContentfulPaint:(window.seen["first-contentful-paint"]||{}).at,largestContentfulPaint:l.at,' +
  'loadEvent:n.loadEventStart,firstByte:n.responseStart},largest:l.url||l.text||""}})()';

const DRAW =
  '(()=>{const draw=(w,h)=>{const c=document.createElement("canvas");c.width=w;c.height=h;const x=c.getContext("2d");' +
  'const g=x.createLinearGradient(0,0,w,h);g.addColorStop(0,"#246");g.addColorStop(.5,"#c84");g.addColorStop(1,"#6a3");' +
  'x.fillStyle=g;x.fillRect(0,0,w,h);for(let i=0;i<400;i++){x.fillStyle=`hsla(${i*37%360},60%,50%,.3)`;x.beginPath();' +
  'x.arc(i*7919%w,i*104729%h,20+i%90,0,7);x.fill()}const d=x.getImageData(0,0,w,h);let s=1;for(let i=0;i<d.data.length;i++)' +
  'if(i%4<3){s=s*16807%2147483647;d.data[i]+=s%13-6}x.putImageData(d,0,0);return c};const big=draw(1200,700),small=draw(80,80);' +
  'return [big.toDataURL("image/webp",.6),big.toDataURL("image/png"),small.toDataURL("image/webp",.6)]})()';

function failedAudits(audits: Readonly<Record<string, Audit>>): FailedAudit[] {
  return Object.entries(audits)
    .filter(([, { score, scoreDisplayMode }]) => score !== null && score < 1 && scoreDisplayMode !== 'numeric')
    .map(([id, { metricSavings = {}, details = {} }]) => ({
      id,
      savedMs: Math.max(metricSavings['LCP'] ?? 0, metricSavings['FCP'] ?? 0, details.overallSavingsMs ?? 0),
      savedBytes: details.overallSavingsBytes ?? 0,
    }))
    .toSorted((a, b) => b.savedMs + b.savedBytes / 1000 - a.savedMs - a.savedBytes / 1000);
}

async function recordPage(browser: Browser, url: string): Promise<Recording> {
  const { harFromMessages } = await yardstick<{ harFromMessages: (messages: unknown[], options: object) => unknown }>(
    'chrome-har',
    'index.js',
  );
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: SCREEN });
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const messages: unknown[] = [];
  const network = ['requestWillBeSent', 'requestWillBeSentExtraInfo', 'requestServedFromCache', 'responseReceived', 'dataReceived'];
  const ended = ['responseReceivedExtraInfo', 'resourceChangedPriority', 'loadingFinished', 'loadingFailed'];
  const events = [
    ...[...network, ...ended].map((event) => `Network.${event}`),
    ...['loadEventFired', 'domContentEventFired', 'frameStartedLoading', 'frameAttached', 'frameNavigated'].map((event) => `Page.${event}`),
  ];
  // What is listened to are events of the protocol, which the types list one by one.
  const listened = events as Parameters<typeof session.on>[0][];
  for (const method of listened) session.on(method, (params: unknown) => messages.push({ method, params }));
  await session.send('Page.enable');
  await session.send('Network.enable');
  const throughput = (LINE.kbps * 1024) / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LINE.latencyMs,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForTimeout(700);
  const { paints, largest } = await page.evaluate<Omit<Recording, 'har'>>(PAINTS);
  await context.close();
  return { har: harFromMessages(messages, {}), paints, largest };
}

async function auditPage(port: number, url: string): Promise<FailedAudit[]> {
  const { default: lighthouse } = await yardstick<Lighthouse>('lighthouse', 'core/index.js');
  const throttling = {
    rttMs: LINE.latencyMs,
    requestLatencyMs: LINE.latencyMs,
    throughputKbps: LINE.kbps,
    downloadThroughputKbps: LINE.kbps,
    uploadThroughputKbps: LINE.kbps,
    cpuSlowdownMultiplier: 1,
  };
  const settings = {
    onlyCategories: ['performance'],
    formFactor: 'desktop',
    screenEmulation: { ...SCREEN, mobile: false, deviceScaleFactor: 1, disabled: false },
    throttlingMethod: 'devtools',
    throttling,
    maxWaitForLoad: 20_000,
  };
  const { lhr } = await lighthouse(url, { port, logLevel: 'error' }, { extends: 'lighthouse:default', settings });
  if (lhr.runtimeError) throw new Error(JSON.stringify(lhr.runtimeError));
  return failedAudits(lhr.audits);
}

/** Starts Chromium; the caller closes it. */
export async function openPageBrowser(): Promise<PageBrowser> {
  const port = await freePort();
  const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  const args = [
    ...quiet,
    '--disable-component-update',
    '--disable-sync',
    '--ignore-certificate-errors',
    '--host-resolver-rules=MAP * 127.0.0.1',
    `--remote-debugging-port=${port}`,
  ];
  const browser = await chromium.launch({ executablePath: EXECUTABLE, headless: true, args });
  return {
    async photos() {
      const context = await browser.newContext({});
      const [webp = '', png = '', thumb = ''] = await (await context.newPage()).evaluate<string[]>(DRAW);
      await context.close();
      const bytes = (dataUrl: string) => Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
      return { webp: bytes(webp), png: bytes(png), thumb: bytes(thumb) };
    },
    record: (url) => recordPage(browser, url),
    audit: (url) => auditPage(port, url),
    close: () => browser.close(),
  };
}

/** A font of this system. */
export function anyFont(): Buffer {
  return readFileSync(execFileSync('fc-match', ['-f', '%{file}', 'serif'], { encoding: 'utf8' }));
}
