import { speedMetricDefinitions } from '../../domain/metrics/metric-definitions.ts';
import { PAGE_MEDIANS, thresholds } from '../../domain/speed/thresholds.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { markdownTable } from '../../lib/text-table.ts';

const units: Readonly<Record<string, { readonly unit: string } | undefined>> = speedMetricDefinitions;

function pair(limits: readonly [number, number] | undefined): string {
  return limits ? `${limits[0]} / ${limits[1]}` : '–';
}

/** Good and poor limits of speed metrics, and how to use them. */
export default function writeThresholds(): string {
  const rows = Object.entries(thresholds).map(([metric, { field, desktop, mobile }]) => [
    metric,
    units[metric]?.unit ?? '',
    pair(field),
    pair(desktop),
    pair(mobile),
  ]);
  const { desktop, mobile } = PAGE_MEDIANS;
  return `Each cell: good up to / poor above; between the two: needs improvement.

${markdownTable(['metric', 'unit', 'field p75', 'lab desktop', 'lab mobile'], rows)}

- Field limits (Core Web Vitals) are for the 75th percentile of real visits. Reports here are lab runs: say so when a lab value is held against a field limit, and prefer the lab limit of the device where there is one.
- INP has no lab value; totalBlockingTime is its stand-in.
- One run proves nothing (totalBlockingTime scatters up to 3 times). Compare medians of at least 3 runs on each side, and claim a change only when it stands out from the scatter; otherwise "within noise" or "not enough data". analyze_scenario does this.
- Median page of the web (2024): desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile ${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`;
}
