import { setTimeout as pause } from 'node:timers/promises';
import { forwardTo } from '../support/json-service.ts';
import type { ExternalEmulator } from './emulator.ts';
import type { Row } from './measure.ts';
import { openPeer } from './peer.ts';

/** Seconds that the platform takes for each request. */
const LATENCIES = [0.05, 0.4, 1.2];
/** No first answer lasts longer, even on the slowest of them. */
const LONGEST_S = 20;

const WEEK = { startDate: '-7d', endDate: 'yesterday' };

type Question = readonly [tool: string, input: object];

/** A first question to each tool that answers; files are asked about elsewhere, because their requests are downloads. */
const QUESTIONS: readonly Question[] = [
  ['find_objects', { text: 'mobile' }],
  ['find_changes', {}],
  ['find_changes', { include: ['site', 'speed'] }],
  ['query_metrics', { ...WEEK, metrics: ['visits', 'conversionCount'], breakdown: ['day'] }],
  ['query_metrics', { ...WEEK, metrics: ['visits'], breakdown: ['day'], expected: true }],
  ['compare_metrics', { ...WEEK, metrics: ['visits', 'conversionRate'] }],
  ['compare_metrics', { ...WEEK, by: 'segment', metrics: ['visits'] }],
  ['analyze_scenario', {}],
  ['analyze_scenario', { view: 'levels' }],
  ['analyze_scenario', { view: 'failures' }],
  ['analyze_scenario', { view: 'runs' }],
  ['check_speed_budgets', { budgets: [{ metric: 'largestContentfulPaint', limit: 2500 }] }],
  ['plan_export', { fields: ['pages viewed'], ...WEEK }],
  ['find_export_gaps', {}],
  ['list_export_jobs', {}],
];

async function measure(product: string, { environment }: ExternalEmulator, latency: number, question: Question) {
  let requests = 0;
  const answer = async () => {
    requests += 1;
    await pause(1000 * latency);
  };
  const platform = await forwardTo(() => environment['WEB_ANALYTICS_AUTH_URL'] ?? '', { answer });
  const peer = await openPeer([product], { ...environment, WEB_ANALYTICS_AUTH_URL: platform.url });
  try {
    const started = performance.now();
    const { text } = await peer.call(...question);
    return { seconds: (performance.now() - started) / 1000, requests, text };
  } finally {
    await peer.stop();
    platform.close();
  }
}

/** Requests and seconds of a first question to each answering tool, by how long the platform takes; `--words` prints what is said. */
export async function benchLatency(product: string, emulator: ExternalEmulator, args: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const only = args.find((arg) => !arg.startsWith('--'));
  for (const question of QUESTIONS.filter(([name]) => only === undefined || name === only)) {
    const measured: Awaited<ReturnType<typeof measure>>[] = [];
    for (const latency of LATENCIES) measured.push(await measure(product, emulator, latency, question));
    if (args.includes('--words')) process.stdout.write(`${measured.map(({ text }) => text.split('\n')[0]).join('\n')}\n`);
    rows.push({
      what: `${question[0]} ${JSON.stringify(question[1])}`,
      measured: measured.map(({ requests, seconds }) => `${requests} in ${seconds.toFixed(1)} s`).join(', '),
      aim: `≤ ${LONGEST_S} s`,
    });
  }
  return rows;
}
