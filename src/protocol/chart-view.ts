import { readFile } from 'node:fs/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { shippedFile } from '../lib/shipped.ts';
import { CHART_VIEW_URI } from '../tooling/listing.ts';

/** The view of charts as the build made it: one HTML file with all it needs. */
function readChartView(): Promise<string> {
  return readFile(shippedFile('views/chart.html'), 'utf8');
}

/** The extension of the protocol by which hosts show views. */
export const APP_EXTENSION = 'io.modelcontextprotocol/ui';

const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';

/** The view reaches for nothing beyond its own file: every list of allowed origins is empty. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } };

/** Makes the view of charts readable: one HTML file, loaded when a host asks for it. */
export function registerChartView(server: McpServer): void {
  server.registerResource(
    'chart',
    CHART_VIEW_URI,
    {
      title: 'Chart',
      description: 'Draws the chart of a tool result inside the conversation, to be zoomed and pointed at; for hosts, not for reading.',
      mimeType: VIEW_MIME_TYPE,
      _meta: VIEW_META,
    },
    async () => {
      return { contents: [{ uri: CHART_VIEW_URI, mimeType: VIEW_MIME_TYPE, text: await readChartView(), _meta: VIEW_META }] };
    },
  );
}
