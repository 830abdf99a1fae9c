import { startEmulator } from '../../src/emulator/start-emulator.ts';
import { bigSize, type Size } from '../../src/emulator/world/size.ts';
import { DAY_MS, HOUR_MS, isoTime, systemClock } from '../../src/lib/clock.ts';
import type { GateRow } from './gate-row.ts';
import { type Called, openPeer } from './peer.ts';
import { memoryOf } from './process-figures.ts';

/** What is asked, and within how many seconds an answer is in order. */
type Question = readonly [what: string, tool: string, input: object, seconds: number];

/** No call waits longer. */
const LONGEST = 40;

function questions(size: Size): readonly Question[] {
  const yesterday = isoTime(Date.now() - DAY_MS).slice(0, 10);
  const week = { startDate: '-8d', endDate: 'yesterday' };
  const job = 10_001 + Math.floor(size.jobs / 2) - (Math.floor(size.jobs / 2) % 10);
  const newest = 10_001 + size.jobs - 3;
  return [
    ['segments', 'list_segments', {}, 5],
    ['metrics of a segment by name', 'query_metrics', { metrics: ['visits'], ...week, segmentIds: ['Paid search DE 003'] }, 5],
    ['conversions of a goal by name', 'get_site_conversions', { ...week, goalId: 'Gift card AT 011' }, 5],
    ['metrics of a project by name', 'get_site_visits', { ...week, projectId: 'Fjord AT' }, 5],
    ['page group by name', 'get_page_group', { pageGroupId: 'Alpin CH pages 003 / Product CH 003' }, 5],
    ['zones of a zoning by name', 'list_zones', { zoningId: 'Redesign Alpin 003' }, 5],
    ['zones of a zoning that comes late', 'list_zones', { zoningId: `Redesign Nordlicht ${size.zonings > 45 ? '041' : '001'}` }, 5],
    ['zone by zoning and name', 'get_zone_tap_rate', { ...week, zoneId: 'Redesign Alpin 003 / Hero 001' }, 5],
    ['find_objects, one word', 'find_objects', { text: 'Redesign' }, LONGEST],
    ['scenarios by a part of a name', 'list_scenarios', { name: 'Checkout' }, 5],
    ['analyze_scenario, one by name', 'analyze_scenario', { scenarioIds: ['Search – mobile SE 011'] }, LONGEST],
    ['analyze_scenario, all', 'analyze_scenario', {}, LONGEST],
    ['check_speed_budgets, all', 'check_speed_budgets', { budgets: [{ metric: 'largestContentfulPaint', limit: 2500 }] }, LONGEST],
    ['find_changes', 'find_changes', {}, LONGEST],
    ['jobs', 'list_export_jobs', {}, 5],
    ['5 once jobs', 'list_export_jobs', { frequency: 'once', limit: 5 }, 5],
    ['job by name', 'get_export_job', { jobId: 'Daily views' }, 5],
    ['runs of a job', 'list_export_runs', { jobId: String(job) }, 3],
    ['find_export_gaps, one job', 'find_export_gaps', { jobId: String(job) }, 5],
    ['find_export_gaps, all jobs', 'find_export_gaps', {}, LONGEST],
    ['successful runs since yesterday', 'list_successful_export_runs', { startDate: yesterday }, LONGEST],
    ['successful runs of one job', 'list_successful_export_runs', { jobIds: [String(job)] }, 3],
    ['plan_export', 'plan_export', { fields: ['session_id', 'device'], name: 'A plan', startDate: '-3d', endDate: 'yesterday' }, 5],
    ['sync_exports, one job since -2d', 'sync_exports', { jobIds: [String(newest)], since: '-2d' }, 5],
  ];
}

/** What an answer says first, and whether it is none. */
function firstWords({ text, isError }: Called): { said: string; isError: boolean } {
  const cut = /[^.\n]*(?:of \d|given up|ran out|would not get|No answer|left|go on|not looked|Within)[^.\n]*/i.exec(text)?.[0];
  // Zones of a shop have no metrics: its answer 404 shows that the name was resolved.
  return { said: (cut ?? text).trim().replaceAll('\n', ' ').slice(0, 150), isError: isError && !text.includes('metrics/zone/') };
}

interface Asked {
  readonly seconds: number;
  readonly requests: number;
  readonly isFine: boolean;
}

interface BigOptions {
  /** Of the objects of the whole account. */
  readonly share?: number;
  /** Asks only the questions whose name holds it. */
  readonly part?: string;
  readonly tell?: (line: string) => void;
}

async function askBig(product: string, { share = 1, part = '', tell = () => undefined }: BigOptions) {
  const scale = (count: number) => Math.max(1, Math.round(count * share));
  const size = { ...bigSize, scenarios: scale(bigSize.scenarios), mappings: scale(bigSize.mappings), jobs: scale(bigSize.jobs) };
  const started = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const emulator = await startEmulator({ clock: systemClock, seed: 1, size });
  let arrived = 0;
  const keep = emulator.requests.push.bind(emulator.requests);
  emulator.requests.push = (...requests) => {
    arrived += requests.filter(({ server }) => server === 'service').length;
    return keep(...requests);
  };
  const { clientId, clientSecret } = emulator.credentials.account;
  const environment = {
    WEB_ANALYTICS_AUTH_URL: emulator.authUrl,
    WEB_ANALYTICS_CLIENT_ID: clientId,
    WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    WEB_ANALYTICS_PROJECT_ID: '1201',
    WEB_ANALYTICS_DATA_DIR: `${process.cwd()}/node_modules/.cache/big-${started}`,
  };
  const firsts: Asked[] = [];
  const all = questions(size).filter(([what]) => what.includes(part));
  for (const [what, name, input, allowed] of all) {
    const peer = await openPeer([product], environment);
    const ask = async () => {
      arrived = 0;
      const startedMs = performance.now();
      const called = await peer.call(name, input);
      const seconds = (performance.now() - startedMs) / 1000;
      return { seconds, requests: arrived, megabytes: memoryOf(peer.child.pid ?? 0).peakMb.toFixed(0), ...firstWords(called) };
    };
    const [first, again] = [await ask(), await ask()];
    await peer.stop();
    const isFine = !first.isError && first.seconds <= allowed;
    firsts.push({ ...first, isFine });
    const times = `${first.seconds.toFixed(1)} s, ${first.requests} requests; again ${again.seconds.toFixed(1)} s, ${again.requests}`;
    const verdict = isFine ? 'in order' : 'NOT in order';
    tell(`${what.padEnd(34)} ${times.padEnd(48)} ${first.megabytes} MB, again ${again.megabytes}  ${verdict}: ${first.said}\n`);
  }
  await emulator.close();
  return firsts;
}

/** The rows of the gate: how many questions are answered in order, and the longest and most requests of a first answer. */
export async function bigRows(product: string): Promise<GateRow[]> {
  const firsts = await askBig(product, {});
  const most = (of: (each: Asked) => number) => Math.max(...firsts.map(of));
  const inOrder = (100 * firsts.filter(({ isFine }) => isFine).length) / firsts.length;
  return [
    { what: 'big account: questions answered in order', value: inOrder, unit: '%', better: 'higher' },
    { what: 'big account: longest first answer', value: most(({ seconds }) => seconds), unit: 's', better: 'lower', bound: LONGEST },
    { what: 'big account: most requests of a first answer', value: most(({ requests }) => requests), unit: 'requests', better: 'lower' },
  ];
}

/**
 * Asks each question of a server of its own, twice, and prints how long it took and how many requests the platform got. A second argument
 * asks only those whose name holds it.
 */
export async function benchBig(product: string, [share = '1', part = '']: readonly string[]): Promise<void> {
  const firsts = await askBig(product, { share: Number(share), part, tell: (line) => void process.stdout.write(line) });
  process.stdout.write(`${firsts.filter(({ isFine }) => isFine).length} of ${firsts.length} in order\n`);
}
