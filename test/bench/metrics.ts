import { encodeRequest } from '../../src/api/wire.ts';
import { siteMetricNames } from '../../src/domain/metrics/metric-definitions.ts';
import { type Device, inputOf, planGrid } from '../../src/domain/metrics/read/metric-grid.ts';
import { directReader, type ExternalEmulator } from './emulator.ts';
import { median, type Row, timed } from './measure.ts';
import { openPeer } from './peer.ts';

const ROUNDS = 9;
const DEVICES: readonly Device[] = ['all', 'desktop', 'mobile', 'tablet'];
/** 13 months up to the clock of the emulator. */
const RANGE = { startDate: '2025-10-21', endDate: '2026-11-19' };

/** Paths and queries of the requests that the tool sends for the year. */
function targets(projectId: number): string[] {
  const interval = { startMs: Date.parse(`${RANGE.startDate}T00:00:00.000Z`), endMs: Date.parse(`${RANGE.endDate}T23:59:59.999Z`) };
  const { calls } = planGrid({ metrics: siteMetricNames, ranges: [interval], devices: DEVICES, daily: true }, 'UTC');
  return calls.map((call) => encodeRequest(call.endpoint.operation, { projectId, ...inputOf(call, 'UTC') }).target);
}

/**
 * `query_metrics` over 13 months of days, 8 metrics and 4 devices: its requests, and its time over that of the same requests sent one after
 * the other.
 */
export async function benchMetrics(product: string, emulator: ExternalEmulator): Promise<Row[]> {
  const read = await directReader(emulator);
  const requests = targets(Number(emulator.environment['WEB_ANALYTICS_PROJECT_ID']));
  // Nothing is kept, so that each round sends its requests.
  const peer = await openPeer([product], { ...emulator.environment, WEB_ANALYTICS_REPORT_CACHE_MB: '0' });
  const args = { ...RANGE, metrics: ['all'], breakdown: ['day', 'device'] };
  const direct: number[] = [];
  const through: number[] = [];
  for (let turn = 0; turn < ROUNDS + 1; turn += 1) {
    const directMs = await timed(async () => {
      for (const target of requests) await read(target);
    });
    const throughMs = await timed(() => peer.answer('query_metrics', args));
    // The first round makes the days of the emulated world.
    if (turn === 0) continue;
    direct.push(directMs);
    through.push(throughMs);
  }
  await peer.stop();
  const [sum, whole] = [median(direct), median(through)];
  const times = `${whole.toFixed(0)} ms : ${sum.toFixed(0)} ms one after the other`;
  const measured = `${requests.length} requests, ${(whole / sum).toFixed(2)} × (${times})`;
  return [{ what: 'query_metrics, 8 metrics × 4 devices × 13 months of days, over its requests', measured, aim: '≤ 1.2 ×' }];
}
