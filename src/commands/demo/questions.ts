import { formatBytes, formatMs, formatNumber, formatPercent } from '../../lib/number-text.ts';
import { sparkline } from '../../lib/text-table.ts';
import { type AskTool, numberIn, rowsOf, seriesOf, type Table } from './ask.ts';
import { printLine, printTable } from './print.ts';

/** What an earlier question found out for a later one. */
export interface Memory {
  /** The server's present when the demo began. */
  readonly nowMs: number;
  /** Result of a step that became slow. */
  slowStep?: string;
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
    printTable(
      ['project', 'id'],
      projects.map(({ id, name }) => [name, String(id)]),
    );
  },
};

const compareDevices: Question = {
  text: 'Compare conversion on desktop, mobile and tablet for last week.',
  async answer(ask) {
    const metrics = ['visits', 'conversionCount', 'conversionRate', 'revenueSum'];
    const table = await ask<Table>('query_metrics', { metrics, startDate: 'last_week', endDate: 'last_week', breakdown: ['device'] });
    printTable(['device', 'visits', 'conversions', 'conversion %', 'revenue EUR'], rowsOf(table, ['device', ...metrics]));
  },
};

const whyConversion: Question = {
  text: 'Why did our conversion rate drop, on which device, and on which day did it start?',
  async answer(ask) {
    const { answer } = await ask<{ answer: string }>('compare_metrics', { startDate: '-14d', endDate: 'yesterday' });
    printLine(answer);
    const metrics = ['conversionRate'];
    const breakdown = ['device', 'day'];
    const table = await ask<Table>('query_metrics', { metrics, startDate: '-28d', endDate: 'yesterday', breakdown, devices });
    for (const device of devices) {
      const rows = table.rows.filter((row) => row.includes(device));
      const series = seriesOf({ ...table, rows }, 'conversionRate');
      printLine(`${device.padEnd(8)} ${sparkline(series)}  ${formatPercent(series[0])} → ${formatPercent(series.at(-1))}`);
    }
  },
};

const monthlyVisits: Question = {
  text: 'Show monthly visits for the past 12 months.',
  async answer(ask, { nowMs }) {
    const now = new Date(nowMs);
    const startDate = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 12, 1)).toISOString().slice(0, 7);
    const table = await ask<Table>('query_metrics', { metrics: ['visits'], startDate, endDate: 'last_month', breakdown: ['month'] });
    const visits = seriesOf(table, 'visits');
    printLine(`${String(table.rows[0]?.[0])} ${sparkline(visits)} ${String(table.rows.at(-1)?.[0])}`);
    const known = visits.filter((value) => value !== null);
    printLine(`lowest ${formatNumber(Math.min(...known), { group: true })}, highest ${formatNumber(Math.max(...known), { group: true })}`);
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

interface Study {
  answer: string;
  verdict: string;
  name: string;
  examples?: { before?: { stepResultId: string }; after?: { stepResultId: string } };
}

const gotSlower: Question = {
  text: 'Did the site get slower since last month, and who is to blame?',
  async answer(ask, memory) {
    const { scenarios } = await ask<{ scenarios: { id: number }[] }>('list_scenarios', {});
    const studies = await Promise.all(scenarios.map(({ id }) => ask<Study>('analyze_scenario', { scenarioId: id })));
    const slower = studies.filter(({ verdict }) => verdict === 'slower');
    printLine(`${studies.length - slower.length} of ${studies.length} scenarios are within noise or faster.`);
    for (const { name, answer, examples } of slower) {
      printLine(`${name}: ${answer}`);
      const before = examples?.before?.stepResultId;
      const after = examples?.after?.stepResultId;
      if (before === undefined || after === undefined) continue;
      memory.slowStep = after;
      const { verdict } = await ask<{ verdict: string }>('compare_hars', { before, after });
      printLine(verdict);
    }
  },
};

interface HarStudy {
  verdict: string;
  byType: { type: string; requests: number; transferBytes: number | null }[];
  largest: { url: string; transferBytes: number | null; durationMs: number | null }[];
  uri: string;
}

const whatLoads: Question = {
  text: 'What loads on that page, and what weighs the most?',
  async answer(ask, { slowStep }) {
    const { verdict, byType, largest, uri } = await ask<HarStudy>('analyze_har', { scenarioStepResultId: slowStep });
    printLine(verdict);
    printTable(
      ['type', 'requests', 'transferred'],
      byType.map((row) => [row.type, row.requests, formatBytes(row.transferBytes)]),
    );
    printTable(
      ['largest', 'transferred', 'took'],
      largest.map((row) => [row.url, formatBytes(row.transferBytes), formatMs(row.durationMs)]),
    );
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
  whyConversion,
  monthlyVisits,
  tapRate,
  gotSlower,
  whatLoads,
  setUpExport,
  whichRan,
];
