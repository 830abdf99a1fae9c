import type { OperationName } from '../../src/api/operations/index.ts';
import { shop } from '../../src/emulator/credentials.ts';
import type { Fault } from '../../src/emulator/faults.ts';
import type { Assistant, ToolAnswer } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';

/** One tool under fault: what it sends and how its effect shows in the emulator. */
export interface Subject {
  readonly tool: string;
  readonly operation: OperationName;
  readonly args: (mark: string) => Record<string, unknown>;
  /** How often the write of this mark has taken effect; absent for reads. */
  readonly effects?: (platform: Platform, mark: string) => number;
}

/** What became of one call. */
export interface Cell {
  readonly answer: ToolAnswer;
  /** Requests of the operation that reached the service. */
  readonly requests: number;
  /** How often a write took effect; of a read, nothing to be seen. */
  readonly effects: number | undefined;
}

const read = (tool: string, operation: OperationName, args: Record<string, unknown> = {}): Subject => ({
  tool,
  operation,
  args: () => args,
});

/** A user id that no other mark has. */
const userIdOf = (mark: string) => BigInt(`0x${Buffer.from(mark).toString('hex')}`) % 2n ** 63n;

/** One read and one write of each family that has one. */
export const reads: readonly Subject[] = [
  read('list_scenarios', 'listScenarios'),
  read('list_export_jobs', 'listExportJobs', { limit: 100 }),
  read('list_segments', 'listSegments'),
  read('get_site_visits', 'getSiteVisits', { startDate: '2026-11-18', endDate: '2026-11-18' }),
];

export const writes: readonly Subject[] = [
  {
    tool: 'create_speed_event',
    operation: 'createSpeedEvent',
    args: (mark) => ({ key: mark, text: 'Release', date: '2026-11-19' }),
    effects: ({ world }, mark) => [...world.speed.eventsOf(shop.id).keys()].filter((key) => key === mark).length,
  },
  {
    tool: 'create_export_job',
    operation: 'createExportJob',
    args: (mark) => ({
      name: mark,
      format: 'CSV',
      frequency: { value: 'daily' },
      // Columns that no job of an earlier mark has: of an equal job the tool would warn first.
      fields: [{ fieldName: 'session_id' }, { fieldName: 'custom_var', customVarPosition: 1, aliasName: mark }],
      deviceLabel: 'all',
      confirm: true,
    }),
    effects: ({ world, clock }, mark) => world.exports.jobs(shop, clock.now()).filter(({ name }) => name === mark).length,
  },
];

export const enrichment: Subject = {
  tool: 'send_enrichments',
  operation: 'sendEnrichments',
  args: (mark) => ({
    enrichments: [{ userId: String(userIdOf(mark)), sessionNumber: 1, enrichmentNumber: 1, enrichment: { mark } }],
    confirm: true,
  }),
  effects: ({ world }, mark) => world.exports.enrichments.list(shop.id).filter(({ values }) => values['mark'] === mark).length,
};

export const authentication: Subject = read('authenticate', 'requestToken', { renew: true });

/** Longer than any list is kept. */
const KEPT_MS = 11_000;

/** Calls the subject once under the fault; what the fault holds back is let go as soon as it has struck. */
export async function strike(
  { tool, operation, args, effects }: Subject,
  {
    fault,
    mark,
    platform,
    assistant,
  }: { fault: Omit<Fault, 'operation'>; mark: string; platform: Platform; assistant: Pick<Assistant, 'call'> },
): Promise<Cell> {
  platform.requests.length = 0;
  // Else lists of the cell before, which are kept for a while, would answer without a request.
  platform.clock.jump(KEPT_MS);
  const added = platform.faults.add({ ...fault, operation });
  if (fault.kind === 'slow') void added.reached().then(() => added.release());
  const answer = await whileTimePasses(platform.clock, assistant.call(tool, args(mark)), () => added.abandoned());
  // Else the next call may arrive before the platform has seen that this one is given up.
  await added.abandoned();
  platform.faults.clear();
  const requests = platform.requests.filter((request) => request.operation === operation).length;
  return { answer, requests, effects: effects?.(platform, mark) };
}
