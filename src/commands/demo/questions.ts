import { formatBytes, formatMs, formatNumber, formatPercent } from '../../lib/number-text.ts';
import { sparkline } from '../../lib/text-table.ts';
import { type AskTool, numberIn, printLine, printTable, rowsOf, seriesOf, type Table } from './ask.ts';

/** Results of earlier questions that later ones use. */
export interface Memory {
  /** The server's present when the demo began. */
  readonly nowMs: number;
  /** Result of a step that became slow. */
  slowStep?: string;
}

/** A question of a user, and how an assistant finds the answer. */
export interface DemoQuestion {
  readonly text: string;
  readonly answer: (ask: AskTool, memory: Memory) => Promise<void>;
}

const reach: DemoQuestion = {
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

/** Questions about what can be reached. */
const accessQuestions: readonly DemoQuestion[] = [reach];

interface Plan {
  planId: string;
  fields: { asked: string; fieldName: string; meaning?: string }[];
  notes: string[];
}

const setUpExport: DemoQuestion = {
  text: 'Set up a daily JSONL session export with browser, device, revenue and our custom variable “plan”.',
  async answer(ask) {
    const { planId, fields } = await ask<Plan>('plan_export', {
      fields: ['project id', 'user id', 'session id', 'browser', 'device', 'revenue', 'custom variable plan'],
      name: 'Daily sessions with plan',
      format: 'JSONL',
      frequency: 'daily',
    });
    printTable(
      ['asked', 'field', 'meaning'],
      fields.map(({ asked, fieldName, meaning }) => [asked, fieldName, meaning]),
    );
    const { status } = await ask<{ status: string }>('apply_export_plan', { planId });
    printLine(`Shown first, nothing sent (${status}).`);
    const done = await ask<{ status: string; jobs: { jobId: number; name: string }[] }>('apply_export_plan', { planId, confirm: true });
    for (const { jobId, name } of done.jobs) printLine(`${done.status}: job ${jobId} "${name}"`);
  },
};

const fromExport: DemoQuestion = {
  text: 'Revenue by browser over the last three days, from the daily session export.',
  async answer(ask) {
    const jobId = 'Daily sessions';
    const { answer } = await ask<{ answer: string }>('sync_exports', { jobIds: [jobId], since: '-2d' });
    printLine(answer);
    const sql =
      'SELECT browser_name AS browser, count(*) AS sessions, sum(session_transactions_revenue) AS revenue FROM data GROUP BY ALL ' +
      'ORDER BY revenue DESC';
    try {
      const { rows, notes } = await ask<{ rows: (string | number | null)[][]; notes: string[] }>('query_export', { jobId, sql });
      printTable(['browser', 'sessions', 'revenue EUR'], rows);
      for (const note of notes.slice(1)) printLine(`· ${note}`);
    } catch (error) {
      // DuckDB is optional and not there for every system; the tool says how to install it.
      printLine(error instanceof Error ? error.message : String(error));
    }
  },
};

/** Questions about exports and what they hold. */
const exportQuestions: readonly DemoQuestion[] = [setUpExport, fromExport];

const devices = ['desktop', 'mobile', 'tablet'];

const compareDevices: DemoQuestion = {
  text: 'Compare conversion on desktop, mobile and tablet for last week.',
  async answer(ask) {
    const metrics = ['visits', 'conversionCount', 'conversionRate', 'revenueSum'];
    const table = await ask<Table>('query_metrics', { metrics, startDate: 'last_week', endDate: 'last_week', breakdown: ['device'] });
    printTable(['device', 'visits', 'conversions', 'conversion %', 'revenue EUR'], rowsOf(table, ['device', ...metrics]));
  },
};

const whyConversion: DemoQuestion = {
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

const monthlyVisits: DemoQuestion = {
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

const tapRate: DemoQuestion = {
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

/** Questions about site and zone metrics. */
const metricQuestions: readonly DemoQuestion[] = [compareDevices, whyConversion, monthlyVisits, tapRate];

interface StudyAnswer {
  answer: string;
  scenarios: { line: string }[];
  examples?: { before?: { stepResultId: string }; after?: { stepResultId: string } };
}

const gotSlower: DemoQuestion = {
  text: 'Did the site get slower since last month, and who is to blame?',
  async answer(ask, memory) {
    const { answer, scenarios, examples } = await ask<StudyAnswer>('analyze_scenario', {});
    printLine(answer);
    for (const { line } of scenarios) printLine(`· ${line}`);
    const before = examples?.before?.stepResultId;
    const after = examples?.after?.stepResultId;
    if (before === undefined || after === undefined) return;
    memory.slowStep = after;
    const { verdict } = await ask<{ verdict: string }>('compare_hars', { before, after });
    printLine(verdict);
  },
};

interface HarStudy {
  verdict: string;
  byType: { type: string; requests: number; transferBytes: number | null }[];
  largest: { url: string; transferBytes: number | null; durationMs: number | null }[];
  uri: string;
}

const whatLoads: DemoQuestion = {
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

/** Questions about speed reports and HAR files. */
const speedQuestions: readonly DemoQuestion[] = [gotSlower, whatLoads];

/** The questions of the demo in the words of users. */
export const questions: readonly DemoQuestion[] = [...accessQuestions, ...metricQuestions, ...speedQuestions, ...exportQuestions];
