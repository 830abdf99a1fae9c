import { formatBytes, formatMs, formatNumber, formatPercent } from '../../lib/number-text.ts';
import { sparkline } from '../../lib/text-table.ts';
import { type AskTool, numberIn, seriesOf, type Table } from './ask.ts';
import { printLine, printTable } from './print.ts';

/** What an earlier question found out for a later one. */
export interface Memory {
  /** Step of the checkout with the largest LCP. */
  slowestStep?: { id: string; name: string };
}

export interface Question {
  readonly text: string;
  readonly answer: (ask: AskTool, memory: Memory) => Promise<void>;
}

const devices = ['desktop', 'mobile', 'tablet'];

const reach: Question = {
  text: 'What can this credential reach?',
  async answer(ask) {
    const { scopes, projects } = await ask<{ scopes: string[]; projects: { id: number; name: string }[] }>('get_credential', {});
    printLine(`Scopes: ${scopes.join(', ')}`);
    printTable(['project', 'id'], projects.map(({ id, name }) => [name, String(id)])); // biome-ignore format: one thought
  },
};

const compareDevices: Question = {
  text: 'Compare conversion on desktop, mobile and tablet for last week.',
  async answer(ask) {
    const range = { startDate: 'last_week', endDate: 'last_week' };
    const tables = await Promise.all(devices.map((device) => ask<Table>('get_site_metrics', { ...range, device })));
    const header = ['device', 'visits', 'conversions', 'conversion %', 'revenue EUR'];
    const columns = ['visits', 'conversionCount', 'conversionRate', 'revenueSum'];
    printTable(header, tables.map((table, index) => [devices[index], ...columns.map((column) => numberIn(table, column))])); // biome-ignore format: one thought
  },
};

const whichDevice: Question = {
  text: 'Conversion dropped. On which device, and on which day did it start?',
  async answer(ask) {
    const range = { startDate: '-28d', endDate: 'yesterday', period: 'daily' };
    const tables = await Promise.all(devices.map((device) => ask<Table>('get_site_conversion_rate', { ...range, device })));
    for (const [index, table] of tables.entries()) {
      const series = seriesOf(table, 'conversionRate');
      printLine(`${(devices[index] ?? '').padEnd(8)} ${sparkline(series)}  ${formatPercent(series[0])} → ${formatPercent(series.at(-1))}`);
    }
    printLine(`${String(tables[0]?.rows[0]?.[0])} … ${String(tables[0]?.rows.at(-1)?.[0])}, one bar a day`);
  },
};

function monthsBefore(nowMs: number, count: number): string[] {
  const now = new Date(nowMs);
  const first = (back: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
  return Array.from({ length: count }, (_, index) => first(count - index));
}

const monthlyVisits: Question = {
  text: 'Show monthly visits for the past 12 months.',
  async answer(ask) {
    const { expiresAt, expiresInSeconds } = await ask<{ expiresAt: string; expiresInSeconds: number }>('authenticate', {});
    // The server's present, which --clock may have moved.
    const months = monthsBefore(Date.parse(expiresAt) - expiresInSeconds * 1000, 12);
    const tables = await Promise.all(months.map((month) => ask<Table>('get_site_visits', { startDate: month, endDate: month })));
    const visits = tables.map((table) => numberIn(table, 'visits'));
    printLine(`${months[0]} ${sparkline(visits)} ${months.at(-1)}`);
    const known = visits.filter((value) => value !== null);
    printLine(
      `lowest ${formatNumber(Math.min(...known), { group: true })}, highest ${formatNumber(Math.max(...known), { group: true })} visits a month`,
    );
  },
};

const tapRate: Question = {
  text: 'What is the tap rate of “Add to cart” on the product screen of the app?',
  async answer(ask) {
    const range = { startDate: '-28d', endDate: 'yesterday' };
    const zone = { zoneId: 'Product screen / Add to cart', projectId: 1202 };
    const [whole, daily] = await Promise.all([
      ask<Table & { notes: string[] }>('get_zone_tap_rate', { ...zone, ...range }),
      ask<Table>('get_zone_tap_rate', { ...zone, ...range, period: 'daily' }),
    ]);
    printLine(`${formatPercent(numberIn(whole, 'tapRate'))} of users tapped it  ${sparkline(seriesOf(daily, 'tapRate'))}`);
    for (const note of whole.notes) printLine(`· ${note}`);
  },
};

interface Report {
  time: string;
  steps: {
    stepResultId: string;
    name: string;
    weight: number;
    requestsCount: number;
    loadTime: number;
    timings: Record<string, number | null>;
  }[];
}

const slowestStep: Question = {
  text: 'Which step of the checkout is slowest?',
  async answer(ask, memory) {
    const { time, steps } = await ask<Report>('get_scenario_report', { scenarioId: 'Checkout - mobile' });
    const paint = ({ timings }: Report['steps'][number]) => timings['largestContentfulPaint'] ?? 0;
    const slowest = steps.toSorted((a, b) => paint(b) - paint(a))[0];
    if (slowest) memory.slowestStep = { id: slowest.stepResultId, name: slowest.name };
    const rows = steps.map(({ name, timings, loadTime, weight, requestsCount }) => [
      name,
      formatMs(timings['largestContentfulPaint']),
      formatMs(timings['totalBlockingTime']),
      formatMs(loadTime),
      formatBytes(weight),
      requestsCount,
    ]);
    printTable(['step', 'LCP', 'TBT', 'load', 'weight', 'requests'], rows);
    printLine(`“${slowest?.name}” paints its largest content last (run of ${time}; one lab run, so look at several before you act).`);
  },
};

interface Digest {
  totals: { requests: number; transferBytes: number | null };
  byType: { type: string; requests: number; transferBytes: number | null }[];
  largest: { url: string; type: string; transferBytes: number | null; durationMs: number | null }[];
  uri: string;
}

const whatLoads: Question = {
  text: 'What loads on that page, and what weighs the most?',
  async answer(ask, { slowestStep: step }) {
    const { totals, byType, largest, uri } = await ask<Digest>('get_step_har', { scenarioStepResultId: step?.id });
    printLine(`${totals.requests} requests, ${formatBytes(totals.transferBytes)} transferred`);
    printTable(['type', 'requests', 'transferred'], byType.map((row) => [row.type, row.requests, formatBytes(row.transferBytes)])); // biome-ignore format: one thought
    printTable(['largest', 'transferred', 'took'], largest.map((row) => [row.url, formatBytes(row.transferBytes), formatMs(row.durationMs)])); // biome-ignore format: one thought
    printLine(`The sanitised HAR file: ${uri}`);
  },
};

const fields = ['session_time', 'browser_name', 'device_id', 'session_transactions_revenue_cents'];

const setUpExport: Question = {
  text: 'Set up a daily JSONL session export with browser, device, revenue and our custom variable “plan”.',
  async answer(ask) {
    const { customVariables } = await ask<{ customVariables: { position: number; key: string }[] }>('list_custom_variables', {});
    const plan = customVariables.find(({ key }) => key === 'plan');
    const job = {
      name: 'Daily sessions with plan',
      format: 'JSONL',
      scope: 'sessions',
      frequency: { value: 'daily' },
      fields: [
        ...fields.map((fieldName) => ({ fieldName })),
        { fieldName: 'custom_var', customVarPosition: plan?.position, aliasName: 'plan' },
      ],
      deviceLabel: 'all',
    };
    const preview = await ask<{ status: string; request: { method: string; path: string } }>('create_export_job', job);
    printLine(`Shown first, nothing sent (${preview.status}): ${preview.request.method} ${preview.request.path}`);
    const { jobId, status } = await ask<{ jobId: number; status: string }>('create_export_job', { ...job, confirm: true });
    printLine(`${status}: job ${jobId}`);
  },
};

const whichRan: Question = {
  text: 'List the export jobs and tell me which ones ran successfully.',
  async answer(ask) {
    const { jobs } = await ask<{ jobs: { jobId: number; name: string; state: string; frequency: string }[] }>('list_export_jobs', {
      limit: 8,
    });
    const rows = await Promise.all(
      jobs.map(async ({ jobId, name, state, frequency }) => {
        const { runs } = await ask<{ runs: { endDate: string | null }[] }>('list_export_runs', { jobId, state: 'success', limit: 1 });
        return [String(jobId), name, frequency, state, runs[0]?.endDate?.slice(0, 16) ?? 'none yet'];
      }),
    );
    printTable(['job', 'name', 'frequency', 'state', 'last success (UTC)'], rows);
  },
};

/** What the demo asks, each the words of a user. */
export const questions: readonly Question[] = [
  reach,
  compareDevices,
  whichDevice,
  monthlyVisits,
  tapRate,
  slowestStep,
  whatLoads,
  setUpExport,
  whichRan,
];
