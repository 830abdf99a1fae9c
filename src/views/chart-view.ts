import { readFile } from 'node:fs/promises';

/** The view of charts as the build made it: one HTML file with all it needs. */
export function readChartView(): Promise<string> {
  return readFile(new URL('../../dist/views/chart.html', import.meta.url), 'utf8');
}
