import { existsSync, mkdirSync } from 'node:fs';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { type Browser, chromium, type Frame, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { readView, type ViewName } from '../../src/protocol/server.ts';
import type { Assistant } from '../support/assistant.ts';
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
export type ShowOptions = Partial<Parameters<HostPage['open']>[0]> & {
  readonly answerCall?: (call: ToolCall) => Promise<CallToolResult>;
};

export interface ViewBrowser {
  readonly show: (options: ShowOptions) => Promise<ShownView>;
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

/** Answers of a host that no network lies behind, by path. */
type Pages = Readonly<Record<string, NonNullable<Parameters<Route['fulfill']>[0]>>>;
const ORIGIN = 'http://host.example';

async function pagesOf(name: ViewName): Promise<Pages> {
  const { outputFiles } = await build({
    entryPoints: ['test/views/host/main.ts'],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    logLevel: 'error',
    write: false,
  });
  await freshBundle();
  const contentType = 'text/html; charset=utf-8';
  const host =
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin:0"><script src="/host.js"></script>';
  return {
    '/': { contentType, body: host },
    '/host.js': { contentType: 'text/javascript; charset=utf-8', body: outputFiles[0]?.text ?? '' },
    '/view': { body: await readView(name), headers: { 'content-type': contentType, 'content-security-policy': DEFAULT_POLICY } },
  };
}

async function show(page: Page, pages: Pages, { answerCall, ...options }: ShowOptions): Promise<ShownView> {
  await page.route(`${ORIGIN}/*`, (route) => route.fulfill(pages[new URL(route.request().url()).pathname] ?? { status: 404 }));
  if (answerCall) await page.exposeFunction('answerCall', answerCall);
  const beyond: string[] = [];
  page.on('request', (request) => {
    if (!(request.url().replace(ORIGIN, '') in pages)) beyond.push(`request ${request.url()}`);
  });
  page.on('pageerror', (error) => beyond.push(`error ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') beyond.push(`console ${message.text()}`);
  });
  await page.addInitScript(watchPolicy);
  await page.goto(ORIGIN);
  await page.evaluate((given) => (globalThis as unknown as HostGlobal).host.open(given), {
    context: { theme: 'light' },
    widthPx: 900,
    callsTools: answerCall !== undefined,
    ...options,
  });
  const view = page.frame({ url: `${ORIGIN}/view` });
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

/** A tool called by the assistant and shown by a host that passes the view's calls on to the server. */
export async function showAnswer(browser: ViewBrowser, { client }: Assistant, name: string, args: Record<string, unknown>) {
  const { tools } = await client.listTools();
  const tool = tools.find((each) => each.name === name);
  const view = await browser.show({ args, context: { theme: 'light', toolInfo: { tool } }, answerCall: (call) => client.callTool(call) });
  await view.host('result', await client.callTool({ name, arguments: { ...args, chart: true } }));
  await view.view.locator('.chart').first().waitFor();
  return view;
}

/** One browser for all tests of a `describe`, in which it is called. */
export function sharedBrowser(name: ViewName = 'chart'): () => ViewBrowser {
  let [browser, pages]: [Browser?, Pages?] = [];
  beforeAll(async () => {
    pages = await pagesOf(name);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  }, 30_000);
  afterAll(() => browser?.close());
  return () => ({
    async show(options) {
      if (!browser || !pages) throw new Error('The browser opens before the tests of its describe.');
      return show(await browser.newPage({ viewport: { width: 960, height: 640 } }), pages, options);
    },
  });
}
