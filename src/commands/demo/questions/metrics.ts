import { formatNumber, formatPercent } from '../../../lib/number-text.ts';
import { sparkline } from '../../../lib/text-table.ts';
import { numberIn, rowsOf, seriesOf, type Table } from '../ask.ts';
import { printLine, printTable } from '../print.ts';
import type { Question } from './question.ts';

const devices = ['desktop', 'mobile', 'tablet'];

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

/** Questions about site and zone metrics. */
export const metricQuestions: readonly Question[] = [compareDevices, whyConversion, monthlyVisits, tapRate];
