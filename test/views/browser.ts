import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { readView, type ViewName } from '../../src/protocol/server.ts';
import { freshBundle } from '../support/stdio.ts';
import type { HostPage, ToolCall } from './host/page.ts';

/** Debian's Chromium; the tests of views are skipped where it is missing. */
const CHROMIUM = '/usr/bin/chromium';
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) console.warn('The tests of views are skipped: /usr/bin/chromium is missing (apt-get install chromium).');

/** What hosts apply to a view that asks for nothing (MCP Apps, "Restrictive Default"). */
const DEFAULT_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' " +
  "data:; connect-src 'none'";

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const ARTEFACTS = 'node_modules/.cache/test-artefacts';

/** A view shown by a host in a real browser. */
export interface ShownView {
  readonly page: Page;
  readonly view: Frame;
  /** Calls a member of the host page. */
  readonly host: <Name extends 'result' | 'context' | 'resize'>(name: Name, argument: Parameters<HostPage[Name]>[0]) => Promise<void>;
  /** Sizes that the view asked for, tools that it called, and what it told the assistant. */
  readonly told: () => Promise<Pick<HostPage, 'sizes' | 'calls' | 'told'>>;
  /** Addresses that were asked for beyond host page and view, and violations of the content policy. */
  readonly faults: () => Promise<string[]>;
  readonly screenshot: (name: string) => Promise<void>;
}

/** How a view is shown; `answerCall` answers the calls of tools that the view makes. */
export type ShowOptions = Omit<Partial<Parameters<HostPage['open']>[0]>, 'callsTools'> & {
  readonly callsTools?: CallToolResult;
  readonly answerCall?: (call: ToolCall) => Promise<CallToolResult>;
};

export interface ViewBrowser {
  readonly show: (options: ShowOptions) => Promise<ShownView>;
  readonly close: () => Promise<void>;
}

type HostGlobal = { readonly host: HostPage };

/** Runs in the browser: gathers what the content policy refused, in every frame. */
function watchPolicy(): void {
  const list: string[] = [];
  Object.assign(globalThis, { violations: list });
  const page = globalThis as unknown as EventTarget;
  page.addEventListener('securitypolicyviolation', (event) => {
    const { violatedDirective, blockedURI } = event as Event & { violatedDirective: string; blockedURI: string };
    list.push(`${violatedDirective} ${blockedURI}`);
  });
}

async function servePages(name: ViewName): Promise<{ origin: string; close: () => Promise<void> }> {
  const { outputFiles } = await build({
    entryPoints: ['test/views/host/main.ts'],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    logLevel: 'error',
    write: false,
  });
  await freshBundle();
  const view = await readView(name);
  const host =
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin:0"><script src="/host.js"></script>';
  const pages: Readonly<Record<string, [type: string, body: string | Uint8Array]>> = {
    '/': ['text/html; charset=utf-8', host],
    '/host.js': ['text/javascript; charset=utf-8', outputFiles[0]?.text ?? ''],
    '/view': ['text/html; charset=utf-8', view],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = pages[url] ?? ['text/plain', ''];
    response.writeHead(pages[url] ? 200 : 404, {
      'content-type': type,
      ...(url === '/view' && { 'content-security-policy': DEFAULT_POLICY }),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function show(context: BrowserContext, origin: string, { answerCall, ...options }: ShowOptions): Promise<ShownView> {
  const page = await context.newPage();
  if (answerCall) await page.exposeFunction('answerCall', answerCall);
  const beyond: string[] = [];
  page.on('request', (request) => {
    if (!['/', '/host.js', '/view'].includes(request.url().replace(origin, ''))) beyond.push(`request ${request.url()}`);
  });
  page.on('pageerror', (error) => beyond.push(`error ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') beyond.push(`console ${message.text()}`);
  });
  await page.addInitScript(watchPolicy);
  await page.goto(origin);
  await page.evaluate((given) => (globalThis as unknown as HostGlobal).host.open(given), {
    context: { theme: 'light' },
    widthPx: 900,
    ...(answerCall && { callsTools: 'test' as const }),
    ...options,
  });
  const view = page.frame({ url: `${origin}/view` });
  if (!view) throw new Error('The view has no frame.');
  return {
    page,
    view,
    host: (name, argument) =>
      page.evaluate(([member, given]) => (globalThis as unknown as HostGlobal).host[member as 'context'](given as never), [
        name,
        argument,
      ] as const),
    told: () =>
      page.evaluate(() => {
        const { sizes, calls, told } = (globalThis as unknown as HostGlobal).host;
        return { sizes, calls, told };
      }),
    async faults() {
      const refused = await view.evaluate(() => (globalThis as unknown as { violations: string[] }).violations);
      return [...beyond, ...refused];
    },
    async screenshot(name) {
      mkdirSync(ARTEFACTS, { recursive: true });
      await page.screenshot({ path: `${ARTEFACTS}/${name}.png` });
    },
  };
}

/** Starts the browser and the host's pages. */
async function openBrowser(name: ViewName): Promise<ViewBrowser> {
  const pages = await servePages(name);
  const folder = await mkdtemp(`${tmpdir()}/chart-view-`);
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    args: FLAGS,
    viewport: { width: 960, height: 640 },
  });
  return {
    show: (options) => show(context, pages.origin, options),
    async close() {
      await context.close();
      await pages.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One browser for all tests of a `describe`, in which it is called. */
export function sharedBrowser(name: ViewName = 'chart'): () => ViewBrowser {
  let browser: ViewBrowser | undefined;
  beforeAll(async () => {
    browser = await openBrowser(name);
  }, 30_000);
  afterAll(() => browser?.close());
  return () => {
    if (!browser) throw new Error('The browser opens before the tests of its describe.');
    return browser;
  };
}
