import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FaultKind } from '../../src/emulator/faults.ts';
import { type Assistant, callTool, openAssistant } from '../support/assistant.ts';
import type { Platform } from '../support/emulator.ts';
import { openService } from '../support/http.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { type Cell, strike } from './fault-cells.ts';
import { complaints, HASTY_MS, type subjects, table } from './fault-outcomes.ts';

/** How a host is connected. */
export const transports = ['stdio', 'http'] as const;
export type TransportName = (typeof transports)[number];

/** What a cell needs of a connected host. */
export type Caller = Pick<Assistant, 'call' | 'close'>;

/** The two callers of one transport: the usual one, and one whose deadline ends a hang soon. */
export interface Callers {
  readonly patient: Caller;
  readonly hasty: Caller;
  readonly close: () => Promise<void>;
}

async function overHttp(platform: Platform, timeoutMs: number): Promise<Caller> {
  const { clientId, clientSecret } = platform.credentials.enrichment;
  const enrichment = { ENRICHMENT_CLIENT_ID: clientId, ENRICHMENT_CLIENT_SECRET: clientSecret };
  const service = await openService({ on: platform, settings: { TIMEOUT_MS: String(timeoutMs), ...enrichment } });
  const client = new Client({ name: 'test', version: '0.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url)));
  return {
    call: (tool, args) => callTool(client, tool, args),
    async close() {
      await client.close();
      await service.close();
    },
  };
}

/** Connects a caller over the transport; whoever opens it closes it. */
function openCaller(transport: TransportName, platform: Platform, timeoutMs = 30_000): Promise<Caller> {
  return transport === 'stdio' ? openAssistant(platform, { over: 'lines', timeoutMs }) : overHttp(platform, timeoutMs);
}

/** Connects both callers of a transport. */
export async function openCallers(transport: TransportName, platform: Platform): Promise<Callers> {
  const patient = await openCaller(transport, platform);
  const hasty = await openCaller(transport, platform, HASTY_MS);
  return {
    patient,
    hasty,
    async close() {
      await patient.close();
      await hasty.close();
    },
  };
}

/** One cell of the matrix: what happened, and what of it the rules do not allow. */
export interface Run {
  readonly often: 'once' | 'always';
  readonly cell: Cell;
  readonly complaints: readonly string[];
  readonly tookMs: number;
}

/** Calls one subject under a fault that strikes once and under one that stays; a hang always stays. */
export async function runCells(
  kind: FaultKind,
  { column, subject }: (typeof subjects)[number],
  { platform, callers, mark }: { platform: Platform; callers: Callers; mark: string },
): Promise<readonly Run[]> {
  const [once, always] = table[kind][column];
  const rounds = [
    { often: 'once', expected: once, times: 1 },
    { often: 'always', expected: always },
  ] as const;
  const caller = kind === 'hang' ? callers.hasty : callers.patient;
  // Tokens are there and what is cold has been computed before a short deadline begins.
  for (const [name, each] of Object.entries({ patient: callers.patient, own: caller }))
    await whileTimePasses(platform.clock, each.call(subject.tool, subject.args(`${mark} warm ${kind} ${name}`)));
  const runs: Run[] = [];
  for (const { often, expected, ...times } of kind === 'hang' ? rounds.slice(1) : rounds) {
    const started = performance.now();
    const cell = await strike(subject, { fault: { kind, ...times }, mark: `${mark} ${kind} ${often}`, platform, assistant: caller });
    runs.push({ often, cell, complaints: complaints(cell, expected, platform), tookMs: performance.now() - started });
  }
  return runs;
}
