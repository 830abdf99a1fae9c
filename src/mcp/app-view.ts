import type { McpServer } from '@modelcontextprotocol/server';

/** The extension of the protocol by which hosts show views. */
export const APP_EXTENSION = 'io.modelcontextprotocol/ui';

const CHART_URI = 'ui://web-analytics/chart';
const VIEW_MIME_TYPE = 'text/html;profile=mcp-app';

/** Connects a tool with the view of its charts; hosts of before 2026 read the second key. */
export const chartToolMeta: Readonly<Record<string, unknown>> = { ui: { resourceUri: CHART_URI }, 'ui/resourceUri': CHART_URI };

/** The view reaches for nothing beyond its own file: every list of allowed origins is empty. */
const VIEW_META = { ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }, prefersBorder: true } };

/** Makes the view of charts readable: one HTML file, loaded when a host asks for it. */
export function registerChartView(server: McpServer): void {
  server.registerResource(
    'chart',
    CHART_URI,
    {
      title: 'Chart',
      description: 'Draws the chart of a tool result inside the conversation, to be zoomed and pointed at; for hosts, not for reading.',
      mimeType: VIEW_MIME_TYPE,
      _meta: VIEW_META,
    },
    async () => {
      const { readChartView } = await import('../views/chart-view.ts');
      return { contents: [{ uri: CHART_URI, mimeType: VIEW_MIME_TYPE, text: await readChartView(), _meta: VIEW_META }] };
    },
  );
}
