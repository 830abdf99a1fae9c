import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { shippedFile } from '../lib/shipped.ts';
import { CHART_VIEW_URI, OVERVIEW_VIEW_URI } from '../tooling/tool.ts';

/** The views that the product ships. */
export type ViewName = 'chart' | 'overview';

/** A view as hosts list it; its page and the script of all pages are what the build made. */
interface View {
  readonly name: ViewName;
  readonly uri: string;
  readonly title: string;
  readonly description: string;
}

const views: readonly View[] = [
  {
    name: 'chart',
    uri: CHART_VIEW_URI,
    title: 'Chart',
    description: 'Draws the chart of a tool result inside the conversation, to be zoomed and pointed at; for hosts, not for reading.',
  },
  {
    name: 'overview',
    uri: OVERVIEW_VIEW_URI,
    title: 'Overview',
    description: 'Shows changes, key figures, speed and exports of a period inside the conversation; for hosts, not for reading.',
  },
];

const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';

/** The view reaches for nothing beyond its own file: every list of allowed origins is empty. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } };

/** A view as a host reads it: one HTML file with all it needs. */
export async function readView(name: ViewName): Promise<string> {
  const [page, script] = await Promise.all([`${name}.html`, 'view.js'].map((file) => readFile(shippedFile(`views/${file}`), 'utf8')));
  // A function, because a replacement would read "$" in the script as its own.
  return (page ?? '').replace('<script src="view.js">', () => `<script>${script?.replaceAll('</script', '<\\/script')}`);
}

/** Makes the views readable, loaded when a host asks for one. */
export function registerViews(server: McpServer): void {
  for (const { name, uri, title, description } of views)
    server.registerResource(name, uri, { title, description, mimeType: VIEW_MIME_TYPE, _meta: VIEW_META }, async () => ({
      contents: [{ uri, mimeType: VIEW_MIME_TYPE, text: await readView(name), _meta: VIEW_META }],
    }));
}
